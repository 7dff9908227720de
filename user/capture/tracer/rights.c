// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/tracer/rights.h"

#include <string.h>

gboolean rights_has(guint64 wanted)
{
	g_autofree char *text = NULL;
	const char *line;

	if (!g_file_get_contents("/proc/self/status", &text, NULL, NULL))
		return TRUE;
	line = strstr(text, "\nCapEff:");
	return !line || g_ascii_strtoull(line + strlen("\nCapEff:"), NULL, 16) & wanted;
}

char *rights_lockdown(void)
{
	g_autofree char *text = NULL;
	const char *start, *end;

	if (!g_file_get_contents("/sys/kernel/security/lockdown", &text, NULL, NULL))
		return NULL;
	start = strchr(text, '[');
	end = start ? strchr(start, ']') : NULL;
	if (!end || g_str_has_prefix(start, "[none]"))
		return NULL;
	return g_strndup(start + 1, end - start - 1);
}

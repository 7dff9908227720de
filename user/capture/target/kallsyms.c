// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/target/kallsyms.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "capture/tracer/control.h"

#define KALLSYMS       "/proc/kallsyms"
#define LINE_MAX_BYTES 1024
#define LOOK_LINES     1000

/* "address type name", followed by "\t[module]" for a module. */
static gboolean is_function(const char *line)
{
	const char *type = strchr(line, ' ');

	return type && type[1] && strchr("tTwW", type[1]);
}

gboolean kallsyms_each(KallsymsFunc func, gpointer data, GError **error)
{
	FILE *file = fopen(KALLSYMS, "re");
	char line[LINE_MAX_BYTES];

	if (!file) {
		g_set_error(error, CAPTURE_ERROR, CAPTURE_ERROR_NO_SYMBOLS,
			    "can't read " KALLSYMS ": %s", g_strerror(errno));
		return FALSE;
	}
	while (fgets(line, sizeof(line), file)) {
		if (is_function(line))
			func(line, data);
	}
	fclose(file);
	return TRUE;
}

gboolean kallsyms_check(GError **error)
{
	FILE *file = fopen(KALLSYMS, "re");
	unsigned long long addr = 0;
	char line[LINE_MAX_BYTES];

	/*
	 * The first symbols of some kernels are per-CPU offsets with the address 0, so a few more
	 * are checked.
	 */
	for (int i = 0; file && !addr && i < LOOK_LINES && fgets(line, sizeof(line), file); i++)
		addr = g_ascii_strtoull(line, NULL, 16);
	if (file)
		fclose(file);
	if (addr)
		return TRUE;
	g_set_error(
		error, CAPTURE_ERROR, CAPTURE_ERROR_NO_SYMBOLS,
		KALLSYMS
		" hides its addresses, so no function could be named: sysctl kernel.kptr_restrict=0, then try again");
	return FALSE;
}

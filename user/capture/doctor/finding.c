// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/doctor/finding.h"

const char *finding_level_name(FindingLevel level)
{
	static const char *const names[] = {
		[FINDING_FINE] = "ok",
		[FINDING_NOTE] = "note",
		[FINDING_WRONG] = "wrong",
	};

	return names[level];
}

static void clear_finding(gpointer data)
{
	Finding *finding = data;

	g_free(finding->text);
	g_free(finding->command);
}

GArray *findings_new(void)
{
	GArray *findings = g_array_new(FALSE, FALSE, sizeof(Finding));

	g_array_set_clear_func(findings, clear_finding);
	return findings;
}

void findings_add(GArray *findings, const char *topic, FindingLevel level, char *text,
		  char *command)
{
	Finding finding = { topic, level, text, command };

	g_array_append_val(findings, finding);
}

char *machine_read(const Machine *machine, const char *path)
{
	g_autofree char *full = g_strconcat(machine->root, path, NULL);
	char *text = NULL;

	return g_file_get_contents(full, &text, NULL, NULL) ? g_strchomp(text) : NULL;
}

gboolean machine_has(const Machine *machine, const char *format, ...)
{
	g_autofree char *path = NULL;
	g_autofree char *full = NULL;
	va_list args;

	va_start(args, format);
	path = g_strdup_vprintf(format, args);
	va_end(args);
	full = g_strconcat(machine->root, path, NULL);
	return g_file_test(full, G_FILE_TEST_EXISTS);
}

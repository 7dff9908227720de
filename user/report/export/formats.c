// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/export/formats.h"

#include <string.h>

static const ExportFormat formats[] = {
	{ "folded", FALSE, FALSE, FALSE, export_folded },
	{ "speedscope", FALSE, FALSE, TRUE, export_speedscope },
	{ "pprof", TRUE, FALSE, TRUE, export_pprof },
	{ "dhat", FALSE, TRUE, FALSE, export_dhat },
	{ "perfetto", FALSE, TRUE, FALSE, export_perfetto },
	{ "csv", FALSE, FALSE, TRUE, export_csv },
};

const ExportFormat *export_find(const char *name)
{
	for (guint i = 0; i < G_N_ELEMENTS(formats); i++) {
		if (!strcmp(formats[i].name, name))
			return &formats[i];
	}
	return NULL;
}

char *export_names(void)
{
	GString *names = g_string_new(NULL);

	for (guint i = 0; i < G_N_ELEMENTS(formats); i++)
		g_string_append_printf(names, "%s%s", i ? ", " : "", formats[i].name);
	return g_string_free(names, FALSE);
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/columns.h"

void columns_parse(const char *text, ColumnsFunc func, gpointer data)
{
	g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
	g_auto(GStrv) columns = NULL;

	if (!lines[0])
		return;
	columns = g_strsplit(lines[0], " ", -1);
	for (guint i = 1; lines[i]; i++) {
		g_auto(GStrv) values = g_strsplit(lines[i], " ", -1);

		if (!g_ascii_isdigit(lines[i][0]))
			continue;
		for (guint j = 1; columns[0] && columns[j] && values[j]; j++)
			func(g_ascii_strtoull(values[0], NULL, 10), columns[j],
			     g_ascii_strtoull(values[j], NULL, 10), data);
	}
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/merged.h"

#include <stdlib.h>
#include <string.h>

#include "report/rows.h"

#define LIMIT	"20"	/* rows */
#define TITLE	"Merged by the allocator: the objects of these caches are counted under the first name"

/* Rows are printed to memory first, as a table without one is left out. */
static gboolean print_text(const Answer *answer, StoreRows *rows, GError **error)
{
	char *text = NULL;
	gboolean fine;
	guint64 count;
	size_t len;
	FILE *memory = open_memstream(&text, &len);

	fine = rows_print(rows, ROWS_REPORT, memory, &count, error);
	fclose(memory);
	if (fine && count)
		fprintf(answer->out, "\n%s\n%s", TITLE, text);
	free(text);
	return fine;
}

gboolean merged_print(const Answer *answer, const char *by, GError **error)
{
	const char *params[] = { ":limit", LIMIT, NULL };
	g_autoptr(StoreRows) rows = NULL;

	if (strcmp(by, "cache") != 0)
		return TRUE;
	rows = store_query_named(answer->db, "report_merged", params, error);
	if (!rows)
		return FALSE;
	return answer->json ? answer_rows(answer, "merged", rows, error)
			    : print_text(answer, rows, error);
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/groups/group_rows.h"
#include "report/groups/group_table.h"
#include "trace/event/kind.h"

#include <string.h>

static const char *const kind_texts[TRACE_KINDS] = {
	[TRACE_SLAB] = "slab objects and large kmallocs",
	[TRACE_PAGE] = "pages (without those that back slabs, large kmallocs or per-CPU memory)",
	[TRACE_PERCPU] = "per-CPU memory, on all CPUs",
	[TRACE_VMALLOC] = "addresses of vmalloc space (the memory in them is pages)",
};

/* Prints the stacks whose numbers are in a table, innermost first, a frame a line. */
static gboolean print_stacks(const Printer *printer, const char *sql, const char *const *params,
			     GError **error)
{
	g_autoptr(StoreRows) rows = store_query_named(printer->db, sql, params, error);

	while (store_rows_next(rows)) {
		int column = store_rows_columns(rows) - 1;
		const char *id = store_rows_text(rows, column);
		const char *stack_params[] = { ":id", id, NULL };
		g_autoptr(StoreRows) stack = NULL;
		g_auto(GStrv) frames = NULL;

		if (store_rows_type(rows, column) == STORE_NULL)
			continue;
		stack = store_query_row(printer->db, "group_stack", stack_params, error);
		if (!stack)
			return FALSE;
		frames = g_strsplit(store_rows_text(stack, 0), " < ", -1);
		fprintf(printer->out, "Stack %s\n", id);
		for (guint i = 0; frames[i]; i++)
			fprintf(printer->out, "    %s\n", frames[i]);
	}
	return store_rows_done(rows, error);
}

static char *title_of(const GroupTable *table, enum trace_kind kind)
{
	g_auto(GStrv) parts = g_strsplit(table->title, "%s", 2);

	return g_strconcat(parts[0], kind_texts[kind], parts[1], ", by ", groups_title(table->by),
			   NULL);
}

gboolean group_table_print(const Printer *printer, const GroupTable *table, enum trace_kind kind,
			   const GPtrArray *groups, GError **error)
{
	gboolean by_stack = strcmp(table->by, "stack") == 0;
	gboolean by_site = strcmp(table->by, "site") == 0;
	const char *sql = by_stack ? "group_stacks" : by_site ? "group_sites" : "group_holders";
	const char *params[] = { ":text", printer->json ? "1" : "0", NULL };
	const Groups *all = &table->live->groups;
	g_autofree char *title = title_of(table, kind);
	g_auto(GroupRows) rows = { NULL };

	group_rows_init(&rows, table->by, table->columns);
	for (guint i = 0; i < groups->len; i++) {
		const LiveGroup *group = g_ptr_array_index(groups, i);

		group_rows_add(&rows, all, group - table->live->all);
		table->add_figures(group, all->factor, rows.figures);
	}
	if (!groups->len && !printer->json)
		return TRUE;
	return group_rows_create(&rows, printer->db, error) &&
	       printer_table(printer, trace_kind_names[kind], title, sql, params, error) &&
	       (!by_stack || printer->json || print_stacks(printer, sql, params, error));
}

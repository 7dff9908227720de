// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/groups/group_rows.h"

#include <string.h>

void group_rows_init(GroupRows *rows, const char *by, const char *columns)
{
	rows->by = by;
	rows->keys = temp_table_new("group_keys", "origin, task, word");
	rows->figures = temp_table_new("figures", columns);
}

void group_rows_clear(GroupRows *rows)
{
	g_clear_pointer(&rows->keys, temp_table_free);
	g_clear_pointer(&rows->figures, temp_table_free);
}

void group_rows_add(GroupRows *rows, const Groups *groups, gsize group)
{
	TEMP_TABLE_ADD(rows->keys, groups_first(groups, group), groups_naming_task(groups, group));
	temp_table_add_text(rows->keys, rows->by);
}

gboolean group_rows_create(const GroupRows *rows, StoreDb *db, GError **error)
{
	return temp_table_create(rows->keys, db, error) &&
	       temp_table_create(rows->figures, db, error) &&
	       temp_view_create(db, "group_names", error);
}

gboolean group_rows_print(const GroupRows *rows, const Printer *printer, const char *key,
			  const char *title, GError **error)
{
	gboolean stacks = !printer->json && strcmp(rows->by, "stack") == 0;

	return group_rows_create(rows, printer->db, error) &&
	       printer_table(printer, key, title, stacks ? "group_rows_stacks" : "group_rows", NULL,
			     error);
}

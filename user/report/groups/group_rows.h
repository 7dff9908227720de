/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A table with a row for each of some groups: figures, and the names of the group by the word of
 * --by, which are in the view group_names.
 */
#ifndef KMT_REPORT_GROUPS_GROUP_ROWS_H
#define KMT_REPORT_GROUPS_GROUP_ROWS_H

#include "report/groups/groups.h"
#include "report/print/printer.h"
#include "store/query/temp_table.h"

typedef struct {
	const char *by;
	TempTable *keys;
	TempTable *figures; /* for TEMP_TABLE_ADD() after each group_rows_add() */
} GroupRows;

/* @columns: of the figures, as of temp_table_new(). *@rows is for group_rows_clear(). */
void group_rows_init(GroupRows *rows, const char *by, const char *columns);
void group_rows_clear(GroupRows *rows);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(GroupRows, group_rows_clear)

void group_rows_add(GroupRows *rows, const Groups *groups, gsize group);

/* Creates the tables, for statements that read figures and group_names. */
gboolean group_rows_create(const GroupRows *rows, StoreDb *db, GError **error);

/* Prints the figures, the kind and the name of each group. */
gboolean group_rows_print(const GroupRows *rows, const Printer *printer, const char *key,
			  const char *title, GError **error);

#endif

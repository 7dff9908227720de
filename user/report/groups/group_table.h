/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Prints tables of groups: one for each kind, since kinds are never added up.
 */
#ifndef KMT_REPORT_GROUPS_GROUP_TABLE_H
#define KMT_REPORT_GROUPS_GROUP_TABLE_H

#include "report/groups/live_groups.h"
#include "report/print/printer.h"
#include "trace/event/kind.h"

typedef struct {
	const LiveGroups *live;
	const char *by;      /* one of groups_words */
	const char *title;   /* "%s" is replaced by the kind */
	const char *columns; /* of the figures, as of temp_table_new() */
	/* Adds the figures of a group. Multiplies counts and bytes by @factor. */
	void (*add_figures)(const LiveGroup *group, gint64 factor, TempTable *figures);
} GroupTable;

/* Prints the table of @groups (LiveGroup *) of @kind; in text nothing if there is no group. */
gboolean group_table_print(const Printer *printer, const GroupTable *table, enum trace_kind kind,
			   const GPtrArray *groups, GError **error);

#endif

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
	const char *title;   /* "%s" in it is the kind */
	const char *columns; /* of the figures, as of temp_table_new() */
	/* Adds those of a group. Counts and bytes are multiplied by @factor. */
	void (*add_figures)(const LiveGroup *group, gint64 factor, TempTable *figures);
} GroupTable;

/* The table of @groups (LiveGroup *) of @kind; in text none if there is no group. */
gboolean group_table_print(const Printer *printer, const GroupTable *table, enum trace_kind kind,
			   const GPtrArray *groups, GError **error);

#endif

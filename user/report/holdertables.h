/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tables of who holds memory: of each kind one, for kinds are never added up.
 */
#ifndef KMT_REPORT_HOLDERTABLES_H
#define KMT_REPORT_HOLDERTABLES_H

#include "report/answer.h"
#include "report/holders.h"

/* What a table has. */
typedef struct {
	/* Its statement is SQL_rows, by stack SQL_stacks, by what is no site SQL_names. */
	const char *sql;
	const char *by;		/* as of holders_is_by() */
	const char *title;	/* "%s" in it is the kind */
	/* A group as members of a JSON object, without braces. */
	void (*members)(const HoldersGroup *group, GString *json);
} HolderTable;

/* The table of @groups (HoldersGroup *) of @kind; in text none if there is no group. */
gboolean holder_table_print(const Answer *answer, const HolderTable *table, HoldersKind kind,
			    const GPtrArray *groups, GError **error);

#endif

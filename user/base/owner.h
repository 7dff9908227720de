/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The user whose quota a process is charged to. */
#ifndef KMT_BASE_OWNER_H
#define KMT_BASE_OWNER_H

#include <glib.h>

/* Returns a table for owner_of_process(): each user namespace is walked through once. */
GHashTable *owner_known_new(void);

/*
 * Finds the user of process @pid: its effective uid or, in a user namespace, the uid that created
 * the outermost one below this process's own, unless that was root. So a user's subordinate uids
 * count as that user. @known: of owner_known_new(). Returns FALSE if the process has ended. The
 * process cannot delay this.
 */
gboolean owner_of_process(GHashTable *known, const char *pid, guint32 *uid);

/*
 * Finds the effective uid of process @pid. If it isn't root's, neither is the one that
 * owner_of_process() finds, in many times the time where user namespaces are nested. Returns FALSE
 * if the process has ended.
 */
gboolean owner_effective(const char *pid, guint32 *uid);

/* Returns a table of counters for each user except root. */
GHashTable *owner_table_new(void);

/* Returns the @size bytes for @uid, which are initially zero. NULL for root, who has no limits. */
gpointer owner_table_get(GHashTable *table, guint32 uid, gsize size);

#endif

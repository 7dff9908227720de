/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which user a process counts for, where one user must not take what all others need. */
#ifndef KMT_CAPTURE_PROCESS_OWNER_H
#define KMT_CAPTURE_PROCESS_OWNER_H

#include <glib.h>

/*
 * The user of process @pid: its effective uid or, in a user namespace, the uid that created the
 * outermost one below this process's own, unless that was root. So a user's subordinate uids count
 * for that user. FALSE: the process has ended. Nothing that the process does can delay this.
 */
gboolean owner_of_process(const char *pid, guint32 *uid);

/* A table of what is counted for each user but root. */
GHashTable *owner_table_new(void);

/* The @size bytes for @uid, which are zero at first. NULL: root, for whom nothing is counted. */
gpointer owner_table_get(GHashTable *table, guint32 uid, gsize size);

#endif

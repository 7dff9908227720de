/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The user whose quota a process is charged to. */
#ifndef KMT_BASE_OWNER_H
#define KMT_BASE_OWNER_H

#include <glib.h>

/* The users of processes, as far as they were found: each user namespace is walked through once. */
typedef struct Owners Owners;

Owners *owners_new(void);
void owners_free(Owners *owners);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Owners, owners_free)

/*
 * Finds the user of process @pid: its uid or, in a user namespace, the uid that created the
 * outermost one below this process's own, unless that was root; and of a subordinate uid, the user
 * who has it. Returns FALSE if the process has ended. The process cannot delay this.
 */
gboolean owners_find(Owners *owners, const char *pid, guint32 *uid);

/*
 * The same by the uid alone, whose user is known if owners_find() has found it for another process.
 * Where user namespaces are nested, this takes a small part of the time.
 */
gboolean owners_guess(const Owners *owners, const char *pid, guint32 *uid);

/*
 * Finds the uid of process @pid: the effective one, or if that is root's, the real one, as any user
 * can start a program that is set-uid root. If it isn't root's, neither is the one that
 * owners_find() finds. Returns FALSE if the process has ended.
 */
gboolean owner_uid(const char *pid, guint32 *uid);

/* Returns a table of counters for each user except root. */
GHashTable *owner_table_new(void);

/* Returns the @size bytes for @uid, which are initially zero. NULL for root, who has no limits. */
gpointer owner_table_get(GHashTable *table, guint32 uid, gsize size);

#endif

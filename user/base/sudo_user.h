/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The user who called sudo, pkexec or doas. Files are created, replaced and removed with that
 * user's permissions: a user with a rule for this tool must not be able to overwrite any file by
 * -o.
 */
#ifndef KMT_BASE_SUDO_USER_H
#define KMT_BASE_SUDO_USER_H

#include <glib.h>

/*
 * Makes this thread open, rename and remove files with the permissions and groups of the user that
 * SUDO_UID (with SUDO_GID), PKEXEC_UID or DOAS_USER names; new files belong to the user. Does
 * nothing if the process doesn't run as root, or none of them is set, or only to root. Invalid
 * values, and two different users, count as nobody. Calls don't nest. Keeps errno.
 */
void sudo_user_enter(void);

/* Ends it. Keeps errno. */
void sudo_user_leave(void);

/* Returns TRUE if @uid is this process's user, root, or the user who called it. */
gboolean sudo_user_trusts(guint uid);

/*
 * Returns TRUE if this process runs for another user, not root, by sudo, doas or pkexec, as root or
 * another user. It must not run programs that let its user run anything, such as man with its
 * pager.
 */
gboolean sudo_user_is_other(void);

/*
 * Returns " (with the rights of user NAME, who called PROGRAM)", or "" if sudo_user_enter() does
 * nothing. For g_free().
 */
char *sudo_user_describe(void);

#endif

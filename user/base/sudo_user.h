/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The user who called sudo. Files are created, replaced and removed with that user's rights: a user
 * with a sudo rule for this tool must not be able to overwrite any file by -o.
 */
#ifndef KMT_BASE_SUDO_USER_H
#define KMT_BASE_SUDO_USER_H

#include <glib.h>

/*
 * Makes this thread open, rename and remove files with the rights of SUDO_UID, SUDO_GID and that
 * user's groups; new files belong to the user. Does nothing if the process doesn't run as root, or
 * SUDO_UID is not set or is root. Ids that cannot be read count as nobody's. Calls don't nest.
 * Keeps errno.
 */
void sudo_user_enter(void);

/* Ends it. Keeps errno. */
void sudo_user_leave(void);

/* Returns TRUE if @uid is this process' user, root, or the user who called sudo. */
gboolean sudo_user_trusts(guint uid);

/*
 * Returns TRUE if this process is root for somebody else, by sudo, doas or pkexec. It must not run
 * what lets its user run anything, like man with its pager.
 */
gboolean sudo_user_is_other(void);

/*
 * " (with the rights of user NAME, who called sudo)", or "" if sudo_user_enter() does nothing. For
 * g_free().
 */
char *sudo_user_describe(void);

#endif

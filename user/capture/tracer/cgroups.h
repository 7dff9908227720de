/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Cgroups of version 2, by path and by inode number. If version 1 has the usual mount point,
 * version 2 is below it.
 */
#ifndef KMT_CAPTURE_TRACER_CGROUPS_H
#define KMT_CAPTURE_TRACER_CGROUPS_H

#include <glib.h>

/*
 * Returns the directory of the cgroup at @path, which may include the mount point, for g_free(),
 * and sets *@inode; NULL: there is none.
 */
char *cgroups_dir(const char *path, guint64 *inode);

/* Returns its inode number; 0: there is none, or @path is NULL. Cheap. */
guint64 cgroups_inode(const char *path);

/* Sets *@inode likewise. FALSE with an error: there is no such cgroup. */
gboolean cgroups_find(const char *path, guint64 *inode, GError **error);

/*
 * Returns a descriptor of the cgroup's directory; -1 with errno: there is none, or it can't be
 * opened.
 */
int cgroups_open(guint64 inode);

/* Returns whether there is no cgroup with this inode number; FALSE if that can't be found out. */
gboolean cgroups_is_gone(guint64 inode);

#endif

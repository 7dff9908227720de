/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The memory limit of this process's control groups, of versions 1 and 2.
 */
#ifndef KMT_BASE_CGROUP_H
#define KMT_BASE_CGROUP_H

#include <glib.h>

/*
 * Returns the lowest memory limit, in bytes, of the process's control group and its ancestors;
 * G_MAXUINT64 if none. @root: "", or a folder with proc and sys for tests.
 */
guint64 cgroup_memory_limit(const char *root);

#endif

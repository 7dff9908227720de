/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The memory limit of this process's control groups, of versions 1 and 2.
 */
#ifndef KMT_BASE_CGROUP_H
#define KMT_BASE_CGROUP_H

#include <glib.h>

/*
 * Returns the lowest limit in bytes of the process's control group and of those above it;
 * G_MAXUINT64: there is none. @root: "", or the folder in which a test has proc and sys.
 */
guint64 cgroup_memory_limit(const char *root);

#endif

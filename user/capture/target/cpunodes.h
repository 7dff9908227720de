/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The NUMA node of each CPU, from sysfs.
 */
#ifndef KMT_CAPTURE_TARGET_CPUNODES_H
#define KMT_CAPTURE_TARGET_CPUNODES_H

#include <glib.h>

/*
 * Returns lines "cpu node" of the online CPUs, or of @all, for g_free(); "" if the kernel has no
 * nodes.
 */
char *cpunodes_text(gboolean all);

#endif

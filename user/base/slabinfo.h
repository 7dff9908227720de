/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KMT_BASE_SLABINFO_H
#define KMT_BASE_SLABINFO_H

#include <glib.h>

/*
 * Returns the length in bytes of the cache name, which may have spaces, at the start of a line of
 * /proc/slabinfo. Five numbers follow it, then " : tunables". 0 if the line has another format,
 * such as the two header lines.
 */
gsize slabinfo_name_len(const char *line);

#endif

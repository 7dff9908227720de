/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KMT_BASE_SLABINFO_H
#define KMT_BASE_SLABINFO_H

#include <glib.h>

/*
 * The bytes of the cache's name, with which a line of /proc/slabinfo begins; it may hold blanks.
 * Five numbers follow it, and then " : tunables". 0: the line isn't of that form, such as the two
 * header lines.
 */
gsize slabinfo_name_len(const char *line);

#endif

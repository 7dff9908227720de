/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KMT_BASE_SLABINFO_H
#define KMT_BASE_SLABINFO_H

#include <glib.h>

/*
 * The length in bytes of the cache name at the start of a line of /proc/slabinfo; a name may have
 * blanks. Five numbers follow it, then " : tunables". 0 if the line has another form, such as the
 * two header lines.
 */
gsize slabinfo_name_len(const char *line);

#endif

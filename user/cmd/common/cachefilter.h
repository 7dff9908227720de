/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the cache of --cache by the name that the kernel's events have: another one if the
 * allocator has merged it.
 */
#ifndef KMT_CMD_COMMON_CACHEFILTER_H
#define KMT_CMD_COMMON_CACHEFILTER_H

#include <glib.h>

/*
 * Returns the name to filter by, for g_free(), and says which caches share its slabs. NULL, after
 * saying so: there is no cache @asked, and not @allow_missing.
 */
char *cachefilter_find(const char *asked, gboolean allow_missing);

/*
 * Says at the end of a recording if no cache came that was @asked for with --allow-missing, or if
 * it was merged with another one, so that the filter could not match.
 */
void cachefilter_say_missed(const char *asked);

#endif

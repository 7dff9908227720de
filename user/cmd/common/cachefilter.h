/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the name in the kernel's events for the cache of --cache. It differs if the allocator has
 * merged the cache.
 */
#ifndef KMT_CMD_COMMON_CACHEFILTER_H
#define KMT_CMD_COMMON_CACHEFILTER_H

#include <glib.h>

/*
 * Returns the name to filter by, for g_free(), and prints which caches share its slabs. Without
 * @allow_missing, NULL with a message if there is no cache @asked.
 */
char *cachefilter_find(const char *asked, gboolean allow_missing);

/*
 * At the end of a recording, prints whether the cache @asked of --allow-missing was never created,
 * or was merged with another one, so that the filter could not match.
 */
void cachefilter_say_missed(const char *asked);

#endif

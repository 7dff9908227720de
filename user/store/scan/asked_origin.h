/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The arguments of table functions: origins, and addresses as the table lifetime encodes them.
 * Private to the store.
 */
#ifndef KMT_STORE_SCAN_ASKED_ORIGIN_H
#define KMT_STORE_SCAN_ASKED_ORIGIN_H

#include <glib.h>

typedef struct {
	gboolean known;
	gint64 values[2]; /* what the argument has of it */
} AskedOrigin;

/*
 * @argument: an origin and two values, and so on. Of AskedOrigin, by origin; for g_array_unref().
 */
GArray *asked_origin_read(const GArray *argument);

/* NULL: not asked for. */
static inline const AskedOrigin *asked_origin_find(const GArray *origins, gint64 id)
{
	const AskedOrigin *origin;

	if (id < 0 || id >= origins->len)
		return NULL;
	origin = &g_array_index(origins, AskedOrigin, id);
	return origin->known ? origin : NULL;
}

/* The address of a lifetime with these columns; @base is that of addresses in words. */
static inline guint64 asked_origin_addr(guint64 base, gint64 addr, gint64 ending)
{
	return ending & 32 ? (guint64)addr : base + ((guint64)addr << 3);
}

#endif

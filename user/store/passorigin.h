/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The origins that a pass is asked for, and addresses as lifetimes have them. Private to the store.
 */
#ifndef KMT_STORE_PASSORIGIN_H
#define KMT_STORE_PASSORIGIN_H

#include <glib.h>

typedef struct {
	gboolean known;
	gint64 values[2]; /* what the argument has of it */
} PassOrigin;

/* @argument: an origin and two values, and so on. Of PassOrigin, by origin; for g_array_unref(). */
GArray *passorigin_read(const GArray *argument);

/* NULL: not asked for. */
static inline const PassOrigin *passorigin_find(const GArray *origins, gint64 id)
{
	const PassOrigin *origin;

	if (id < 0 || id >= origins->len)
		return NULL;
	origin = &g_array_index(origins, PassOrigin, id);
	return origin->known ? origin : NULL;
}

/* The address of a lifetime with these columns; @base is that of addresses in words. */
static inline guint64 passorigin_addr(guint64 base, gint64 addr, gint64 ending)
{
	return ending & 32 ? (guint64)addr : base + ((guint64)addr << 3);
}

#endif

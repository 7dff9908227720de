/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Origins in the arguments of table functions. Private to the store. */
#ifndef KMT_STORE_SCAN_ASKED_ORIGIN_H
#define KMT_STORE_SCAN_ASKED_ORIGIN_H

#include <glib.h>

typedef struct {
	gboolean known;
	gint64 values[2]; /* its values in the argument */
} AskedOrigin;

/*
 * @argument: an origin and two values, repeated. Returns AskedOrigins, by origin, for
 * g_array_unref().
 */
GArray *asked_origin_read(const GArray *argument);

/* Returns NULL for an origin not in the argument. */
static inline const AskedOrigin *asked_origin_find(const GArray *origins, gint64 id)
{
	const AskedOrigin *origin;

	if (id < 0 || id >= origins->len)
		return NULL;
	origin = &g_array_index(origins, AskedOrigin, id);
	return origin->known ? origin : NULL;
}

#endif

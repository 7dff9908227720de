/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Arrays sorted by a number. */
#ifndef KMT_BASE_SORTED_H
#define KMT_BASE_SORTED_H

#include <glib.h>
#include <stddef.h>

/* Sorts guint64s, and removes duplicates. */
void sorted_make(GArray *numbers);

/*
 * Returns how many of the first elements have @limit or less. Each of the @count elements has @size
 * bytes, and its number is the guint64 at @offset.
 */
guint sorted_count(gconstpointer elements, guint count, gsize size, gsize offset, guint64 limit);

/* The same for a GArray of @type; @member is the guint64. */
#define SORTED_COUNT(array, type, member, limit)                                                   \
	sorted_count((array)->data, (array)->len, sizeof(type), offsetof(type, member), (limit))

#endif

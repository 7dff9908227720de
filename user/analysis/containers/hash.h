/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The hash function of these tables: see base/seed.h. */
#ifndef KMT_ANALYSIS_CONTAINERS_HASH_H
#define KMT_ANALYSIS_CONTAINERS_HASH_H

#include "base/seed.h"

#define HASH_SLOTS_ROOMY (1U << 19) /* up to here a table may be three quarters empty */

static inline guint64 hash_mix(guint64 value)
{
	return seed_mix(value, 0);
}

/* @bytes is a multiple of 8. Sums a hash of each word, so that no word waits for the one before. */
static inline guint32 hash_words(gconstpointer words, gsize bytes)
{
	guint64 hash = bytes;

	for (gsize i = 0; i < bytes; i += sizeof(guint64)) {
		guint64 word;

		memcpy(&word, (const guint8 *)words + i, sizeof(word));
		hash += seed_mix(word, i / sizeof(guint64));
	}
	return (guint32)(hash ^ hash >> 32);
}

/*
 * Returns whether a table needs more slots for @count entries. An entry in its first slot is found
 * without a mispredicted branch, so a small table has four slots for each entry; a large one has
 * two, to save memory.
 */
static inline gboolean hash_is_crowded(gsize count, gsize slots)
{
	return count > slots / (slots < HASH_SLOTS_ROOMY ? 4 : 2);
}

#endif

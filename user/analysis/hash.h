/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The one hash of the tables here: multiplications and folds. Addresses and small numbers, which is
 * all that is hashed, differ in few bits; a fold brings them down to where a table of a power of
 * two looks.
 */
#ifndef KMT_ANALYSIS_HASH_H
#define KMT_ANALYSIS_HASH_H

#include <glib.h>
#include <string.h>

#define HASH_SLOTS_ROOMY	(1U << 19)	/* a table up to here may be three quarters empty */

static inline guint64 hash_mix(guint64 value)
{
	value *= G_GUINT64_CONSTANT(0x9e3779b97f4a7c15);	/* 2^64 / golden ratio, odd */
	return value ^ value >> 32;
}

/*
 * @bytes is a multiple of 8. No word waits for the one before: each is multiplied by a number of
 * its own, and the sum is mixed.
 */
static inline guint32 hash_words(gconstpointer words, gsize bytes)
{
	guint64 factor = G_GUINT64_CONSTANT(0x9e3779b97f4a7c15), hash = bytes;

	for (gsize i = 0; i < bytes; i += sizeof(guint64)) {
		guint64 word;

		memcpy(&word, (const guint8 *)words + i, sizeof(word));
		hash += (word ^ word >> 32) * factor;
		factor *= G_GUINT64_CONSTANT(0xd1342543de82ef95);	/* odd, as all of these */
	}
	return (guint32)hash_mix(hash ^ hash >> 32);
}

/*
 * Whether a table needs more slots for @count entries. An entry that stands where it belongs is
 * found without a wrong guess of the processor; so a table has four slots for each, as long as it
 * is small, and two when memory counts.
 */
static inline gboolean hash_is_crowded(gsize count, gsize slots)
{
	return count > slots / (slots < HASH_SLOTS_ROOMY ? 4 : 2);
}

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The one hash of the tables here: a multiplication and a fold for each word. Addresses and small
 * numbers, which is all that is hashed, differ in few bits; the fold brings them down to where a
 * table of a power of two looks.
 */
#ifndef KMT_ANALYSIS_HASH_H
#define KMT_ANALYSIS_HASH_H

#include <glib.h>
#include <string.h>

static inline guint64 hash_mix(guint64 value)
{
	value *= G_GUINT64_CONSTANT(0x9e3779b97f4a7c15);	/* 2^64 / golden ratio, odd */
	return value ^ value >> 32;
}

/* @bytes is a multiple of 8. */
static inline guint32 hash_words(gconstpointer words, gsize bytes)
{
	guint64 hash = bytes;

	for (gsize i = 0; i < bytes; i += sizeof(guint64)) {
		guint64 word;

		memcpy(&word, (const guint8 *)words + i, sizeof(word));
		hash = hash_mix(hash ^ word);
	}
	return (guint32)hash_mix(hash);
}

#endif

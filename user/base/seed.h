/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Seeded hash functions, with a new seed in each process. Keys of hash tables come from files that
 * may be hostile: with a known hash function, a small file can have keys that all collide.
 *
 * No output may depend on the order of entries in a hash table.
 */
#ifndef KMT_BASE_SEED_H
#define KMT_BASE_SEED_H

#include <glib.h>
#include <string.h>

#define SEED_WORDS 16 /* power of two */

extern guint64 seed_words[SEED_WORDS]; /* random and odd, set before main() */

/*
 * XORs the two halves of a 128-bit product, so that all bits of @value affect all bits of the hash.
 * With a plain product, keys that differ only in high bits would collide whatever the factor.
 * @index selects a hash function, one for each position in a longer key.
 */
static inline guint64 seed_mix(guint64 value, guint index)
{
	guint64 seed = seed_words[2 * index % SEED_WORDS];
	guint64 factor = seed_words[(2 * index + 1) % SEED_WORDS];
#ifdef __SIZEOF_INT128__
	__extension__ unsigned __int128 product = (unsigned __int128)(value ^ seed) * factor;

	return (guint64)product ^ (guint64)(product >> 64);
#else
	value = (value ^ seed) * factor;
	value = (value ^ value >> 32) * factor;
	return value ^ value >> 32;
#endif
}

/* GHashFuncs, to be used instead of GLib's: of GUINT_TO_POINTER(), of a gint64, of a string. */
guint seed_number(gconstpointer number);
guint seed_int64(gconstpointer number);
guint seed_text(gconstpointer text);

/* Returns a key for seed_int64(), for g_free(). */
gint64 *seed_key(gint64 number);

#endif

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Open addressing with linear probing; keys are contiguous in a separate array, and never removed.
 * A slot has the key's hash, so that a lookup usually reads at most one key, and growing none.
 */
#include "analysis/containers/intern.h"

#include <string.h>

#include "analysis/containers/hash.h"

#define SLOTS_MIN 256 /* power of two */

typedef struct {
	guint32 hash;
	guint32 id; /* 0: free */
} Slot;

struct Intern {
	gsize key_size; /* bytes */
	guint8 *keys;   /* count keys, in the order of their numbers */
	gsize room;     /* keys that fit in keys */
	Slot *slots;
	gsize mask; /* slots - 1; their number is a power of two, see hash_is_crowded() */
	guint32 count;
};

Intern *intern_new(gsize key_size)
{
	Intern *intern = g_new0(Intern, 1);

	g_assert(key_size && key_size % sizeof(guint64) == 0);
	intern->key_size = key_size;
	intern->mask = SLOTS_MIN - 1;
	intern->slots = g_new0(Slot, SLOTS_MIN);
	return intern;
}

void intern_free(Intern *intern)
{
	if (!intern)
		return;
	g_free(intern->keys);
	g_free(intern->slots);
	g_free(intern);
}

gconstpointer intern_key(const Intern *intern, guint32 id)
{
	g_assert(id && id <= intern->count);
	return intern->keys + (id - 1) * intern->key_size;
}

guint32 intern_count(const Intern *intern)
{
	return intern->count;
}

/* Compares words: keys are short, and a call of memcmp() would take longer. */
static gboolean same_key(const Intern *intern, guint32 id, const guint8 *key)
{
	const guint8 *other = intern->keys + (id - 1) * intern->key_size;
	guint64 differs = 0;

	for (gsize i = 0; i < intern->key_size; i += sizeof(guint64)) {
		guint64 x, y;

		memcpy(&x, key + i, sizeof(x));
		memcpy(&y, other + i, sizeof(y));
		differs |= x ^ y;
	}
	return !differs;
}

/* Returns the slot of @key, or the free one where it belongs. */
static Slot *find_slot(const Intern *intern, gconstpointer key, guint32 hash)
{
	gsize i = hash & intern->mask;

	for (;; i = (i + 1) & intern->mask) {
		Slot *slot = &intern->slots[i];

		if (!slot->id || (slot->hash == hash && same_key(intern, slot->id, key)))
			return slot;
	}
}

static void grow_slots(Intern *intern)
{
	Slot *old = intern->slots;
	gsize count = intern->mask + 1;

	intern->mask = 2 * count - 1;
	intern->slots = g_new0(Slot, 2 * count);
	for (gsize i = 0; i < count; i++) {
		gsize to = old[i].hash & intern->mask;

		if (!old[i].id)
			continue;
		while (intern->slots[to].id)
			to = (to + 1) & intern->mask;
		intern->slots[to] = old[i];
	}
	g_free(old);
}

static void append_key(Intern *intern, gconstpointer key)
{
	if (intern->count == intern->room) {
		intern->room = MAX(64, 2 * intern->room);
		intern->keys = g_realloc_n(intern->keys, intern->room, intern->key_size);
	}
	memcpy(intern->keys + intern->count * intern->key_size, key, intern->key_size);
	intern->count++;
}

guint32 intern_add(Intern *intern, gconstpointer key, gboolean *added)
{
	guint32 hash = hash_words(key, intern->key_size);
	Slot *slot = find_slot(intern, key, hash);

	if (added)
		*added = !slot->id;
	if (slot->id)
		return slot->id;
	append_key(intern, key);
	*slot = (Slot){ hash, intern->count };
	if (hash_is_crowded(intern->count, intern->mask + 1))
		grow_slots(intern);
	return intern->count;
}

guint32 intern_find(const Intern *intern, gconstpointer key)
{
	return find_slot(intern, key, hash_words(key, intern->key_size))->id;
}

guint32 intern_prefetch(const Intern *intern, gconstpointer key)
{
	guint32 hash = hash_words(key, intern->key_size);

	__builtin_prefetch(&intern->slots[hash & intern->mask]);
	return hash;
}

guint32 intern_guess(const Intern *intern, guint32 number)
{
	const Slot *slot = &intern->slots[number & intern->mask];

	if (slot->hash != number || !slot->id)
		return 0;
	__builtin_prefetch(intern->keys + (slot->id - 1) * intern->key_size);
	return slot->id;
}

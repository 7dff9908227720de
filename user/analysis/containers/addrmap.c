// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Open addressing with linear probing. Removal leaves no tombstone: later entries move into the
 * gap, so the table is as fast after a billion removals as at the start.
 *
 * Invariant: no slot between a key's home and its position is free.
 */
#include "analysis/containers/addrmap.h"

#include "analysis/containers/hash.h"

#define SLOTS_MIN 1024 /* power of two */

typedef struct {
	guint64 key; /* 0: free */
	guint32 value;
} Slot;

struct AddrMap {
	Slot *slots;
	gsize mask; /* number of slots - 1, which is a power of two, see hash_is_crowded() */
	gsize count;
};

AddrMap *addrmap_new(void)
{
	AddrMap *map = g_new0(AddrMap, 1);

	map->slots = g_new0(Slot, SLOTS_MIN);
	map->mask = SLOTS_MIN - 1;
	return map;
}

void addrmap_free(AddrMap *map)
{
	if (!map)
		return;
	g_free(map->slots);
	g_free(map);
}

gsize addrmap_count(const AddrMap *map)
{
	return map->count;
}

gsize addrmap_bytes(const AddrMap *map)
{
	return sizeof(*map) + (map->mask + 1) * sizeof(Slot);
}

static gsize home_of(const AddrMap *map, guint64 key)
{
	return hash_mix(key) & map->mask;
}

/* Returns the slot of @key, or the free one where it would go. */
static gsize find_slot(const AddrMap *map, guint64 key)
{
	gsize i = home_of(map, key);

	while (map->slots[i].key && map->slots[i].key != key)
		i = (i + 1) & map->mask;
	return i;
}

void addrmap_prefetch(const AddrMap *map, guint64 key)
{
	__builtin_prefetch(&map->slots[home_of(map, key)], 1);
}

guint32 addrmap_guess(const AddrMap *map, guint64 key)
{
	return map->slots[home_of(map, key)].value;
}

guint32 addrmap_get(const AddrMap *map, guint64 key)
{
	return map->slots[find_slot(map, key)].value;
}

static void grow(AddrMap *map)
{
	Slot *old = map->slots;
	gsize count = map->mask + 1;

	map->slots = g_new0(Slot, 2 * count);
	map->mask = 2 * count - 1;
	for (gsize i = 0; i < count; i++) {
		if (old[i].key)
			map->slots[find_slot(map, old[i].key)] = old[i];
	}
	g_free(old);
}

guint32 addrmap_put(AddrMap *map, guint64 key, guint32 value)
{
	Slot *slot = &map->slots[find_slot(map, key)];
	guint32 old = slot->value;

	*slot = (Slot){ key, value };
	if (!old && hash_is_crowded(++map->count, map->mask + 1))
		grow(map);
	return old;
}

/*
 * Fills the hole with the next entry that may move there, and repeats this for the hole that it
 * leaves.
 */
static void close_hole(AddrMap *map, gsize hole)
{
	gsize i = hole;

	for (;;) {
		i = (i + 1) & map->mask;
		if (!map->slots[i].key)
			break;
		/* May move if the hole lies between its home and its position. */
		if (((i - home_of(map, map->slots[i].key)) & map->mask) >=
		    ((i - hole) & map->mask)) {
			map->slots[hole] = map->slots[i];
			hole = i;
		}
	}
	map->slots[hole] = (Slot){ 0, 0 };
}

guint32 addrmap_take(AddrMap *map, guint64 key)
{
	gsize i = find_slot(map, key);
	guint32 value = map->slots[i].value;

	if (value) {
		map->count--;
		close_hole(map, i);
	}
	return value;
}

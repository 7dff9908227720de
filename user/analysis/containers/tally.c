// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Open addressing with linear probing; a key and its sums are contiguous. A free slot has key 0:
 * keys are stored one higher.
 */
#include "analysis/containers/tally.h"

#include <string.h>

#include "analysis/containers/hash.h"
#include "base/compare.h"

#define SLOTS_MIN 1024 /* power of two */
#define WAITING   32

struct Tally {
	TallyRow *slots;
	gsize mask; /* slots - 1; their number is a power of two, at most half are used */
	gsize count;
	TallyAdd add;
	guint waiting;
	TallyRow rows[WAITING]; /* queued rows */
};

static void add_sums(gint64 *sums, const gint64 *more)
{
	for (guint i = 0; i < TALLY_SUMS; i++)
		sums[i] += more[i];
}

/*
 * Allocates free slots. Writes them before they are read: a page that is first read is mapped
 * twice, and the second mapping interrupts all CPUs with a thread of this process.
 */
static TallyRow *slots_new(gsize count)
{
	TallyRow *slots = g_new(TallyRow, count);

	memset(slots, 0, count * sizeof(*slots));
	return slots;
}

Tally *tally_new(void)
{
	Tally *tally = g_new0(Tally, 1);

	tally->mask = SLOTS_MIN - 1;
	tally->slots = slots_new(SLOTS_MIN);
	tally->add = add_sums;
	return tally;
}

void tally_add_by(Tally *tally, TallyAdd add)
{
	tally->add = add;
}

void tally_free(Tally *tally)
{
	if (!tally)
		return;
	g_free(tally->slots);
	g_free(tally);
}

static gsize first_slot(const Tally *tally, guint64 key)
{
	return hash_mix(key) & tally->mask;
}

/* Returns the slot of @key, or the free one where it belongs. */
static TallyRow *find_slot(const Tally *tally, guint64 key)
{
	gsize i = first_slot(tally, key);

	while (tally->slots[i].key && tally->slots[i].key != key)
		i = (i + 1) & tally->mask;
	return &tally->slots[i];
}

static void grow(Tally *tally)
{
	TallyRow *old = tally->slots;
	gsize count = tally->mask + 1;

	tally->mask = 2 * count - 1;
	tally->slots = slots_new(2 * count);
	for (gsize i = 0; i < count; i++) {
		if (old[i].key)
			*find_slot(tally, old[i].key) = old[i];
	}
	g_free(old);
}

static void add_now(Tally *tally, const TallyRow *row)
{
	TallyRow *slot = find_slot(tally, row->key);

	tally->add(slot->sums, row->sums);
	if (slot->key)
		return;
	slot->key = row->key;
	if (2 * ++tally->count > tally->mask)
		grow(tally);
}

static void add_waiting(Tally *tally)
{
	for (guint i = 0; i < tally->waiting; i++)
		__builtin_prefetch(&tally->slots[first_slot(tally, tally->rows[i].key)], 1);
	for (guint i = 0; i < tally->waiting; i++)
		add_now(tally, &tally->rows[i]);
	tally->waiting = 0;
}

void tally_add(Tally *tally, const TallyRow *row)
{
	TallyRow *waiting = &tally->rows[tally->waiting++];

	*waiting = *row;
	waiting->key++;
	if (tally->waiting == WAITING)
		add_waiting(tally);
}

void tally_merge(Tally *to, Tally *from)
{
	add_waiting(from);
	for (gsize i = 0; i <= from->mask; i++) {
		TallyRow row = from->slots[i];

		if (!row.key--)
			continue;
		tally_add(to, &row);
	}
}

/* Sorts by key: the order of the slots differs in each process. */
static gint compare_keys(gconstpointer a, gconstpointer b)
{
	guint64 x = ((const TallyRow *)a)->key, y = ((const TallyRow *)b)->key;

	return COMPARE(x, y);
}

GArray *tally_rows(Tally *tally)
{
	GArray *rows = g_array_new(FALSE, FALSE, sizeof(TallyRow));

	add_waiting(tally);
	for (gsize i = 0; i <= tally->mask; i++) {
		TallyRow row = tally->slots[i];

		if (!row.key--)
			continue;
		g_array_append_val(rows, row);
	}
	g_array_sort(rows, compare_keys);
	return rows;
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/containers/tally.h"

#define KEYS   5000
#define ROUNDS 7

/* Keys that differ in high bits, in low ones, and 0. */
static guint64 key_of(guint64 i)
{
	return i % 2 ? i << 32 : i;
}

static void add_keys(Tally *tally, guint rounds)
{
	for (guint round = 0; round < rounds; round++) {
		for (gint64 i = 0; i < KEYS; i++)
			tally_add(tally, &(TallyRow){key_of(i), {1, i, -i, round}});
	}
}

static gint compare(gconstpointer a, gconstpointer b)
{
	const TallyRow *x = a, *y = b;

	return x->sums[1] < y->sums[1] ? -1 : x->sums[1] > y->sums[1];
}

static void sums_of_each_key_are_added(void)
{
	g_autoptr(Tally) tally = tally_new(), more = tally_new();
	g_autoptr(GArray) rows = NULL;

	add_keys(tally, ROUNDS - 2);
	add_keys(more, 2);
	tally_merge(tally, more);
	rows = tally_rows(tally);
	g_assert_cmpuint(rows->len, ==, KEYS);
	g_array_sort(rows, compare);
	for (gint64 i = 0; i < KEYS; i++) {
		const TallyRow *row = &g_array_index(rows, TallyRow, i);

		g_assert_cmpuint(row->key, ==, key_of(i));
		g_assert_cmpint(row->sums[0], ==, ROUNDS);
		g_assert_cmpint(row->sums[1], ==, ROUNDS * i);
		g_assert_cmpint(row->sums[2], ==, -ROUNDS * i);
		g_assert_cmpint(row->sums[3], ==, 0 + 1 + 2 + 3 + 4 + 0 + 1);
	}
}

static void add_largest(gint64 *sums, const gint64 *more)
{
	sums[0] += more[0];
	sums[3] = MAX(sums[3], more[3]);
}

static void rows_are_added_by_the_function(void)
{
	g_autoptr(Tally) tally = tally_new();
	g_autoptr(GArray) rows = NULL;

	tally_add_by(tally, add_largest);
	add_keys(tally, ROUNDS);
	rows = tally_rows(tally);
	g_assert_cmpuint(rows->len, ==, KEYS);
	for (guint i = 0; i < KEYS; i++) {
		g_assert_cmpint(g_array_index(rows, TallyRow, i).sums[0], ==, ROUNDS);
		g_assert_cmpint(g_array_index(rows, TallyRow, i).sums[3], ==, ROUNDS - 1);
	}
}

static void new_tally_is_empty(void)
{
	g_autoptr(Tally) tally = tally_new();
	g_autoptr(GArray) rows = tally_rows(tally);

	g_assert_cmpuint(rows->len, ==, 0);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/tally/sums_of_each_key_are_added", sums_of_each_key_are_added);
	g_test_add_func("/tally/rows_are_added_by_the_function", rows_are_added_by_the_function);
	g_test_add_func("/tally/new_tally_is_empty", new_tally_is_empty);
	return g_test_run();
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* The tables below the pairing, each compared with a slow and simple model. */
#include <glib.h>
#include <string.h>

#include "analysis/containers/addrmap.h"
#include "analysis/containers/intern.h"
#include "analysis/pairing/pagemap.h"
#include "analysis/stacks/stacktree.h"

static void addrmap_equals_the_model(void)
{
	g_autoptr(AddrMap) map = addrmap_new();
	g_autoptr(GHashTable) model = g_hash_table_new(NULL, NULL);
	g_autoptr(GRand) rand = g_rand_new_with_seed(1);

	for (guint i = 1; i < 400000; i++) {
		/* Few addresses, in steps of slabs, so that they collide and repeat. */
		guint64 key = G_GUINT64_CONSTANT(0xffff888000000000) +
			      64 * (guint64)g_rand_int_range(rand, 0, 3000);
		gpointer model_key = GSIZE_TO_POINTER(key);
		guint32 old = GPOINTER_TO_UINT(g_hash_table_lookup(model, model_key));

		g_assert_cmpuint(addrmap_get(map, key), ==, old);
		if (g_rand_boolean(rand)) {
			g_assert_cmpuint(addrmap_put(map, key, i), ==, old);
			g_hash_table_insert(model, model_key, GUINT_TO_POINTER(i));
		} else {
			g_assert_cmpuint(addrmap_take(map, key), ==, old);
			g_hash_table_remove(model, model_key);
		}
		g_assert_cmpuint(addrmap_count(map), ==, g_hash_table_size(model));
	}
}

static void addrmap_size_depends_on_live_entries_only(void)
{
	g_autoptr(AddrMap) map = addrmap_new();
	gsize before = addrmap_bytes(map);

	for (guint64 i = 1; i < 1000000; i++) {
		addrmap_put(map, i * 64, 1);
		addrmap_take(map, i * 64);
	}
	g_assert_cmpuint(addrmap_bytes(map), ==, before);
}

static void intern_gives_each_key_one_number(void)
{
	g_autoptr(Intern) intern = intern_new(16);
	gboolean added;

	for (guint64 round = 0; round < 2; round++) {
		for (guint64 i = 0; i < 10000; i++) {
			guint64 key[2] = { i % 100, i / 100 };

			g_assert_cmpuint(intern_add(intern, key, &added), ==, i + 1);
			g_assert_true(added == !round);
			g_assert_cmpmem(intern_key(intern, i + 1), 16, key, 16);
			g_assert_cmpuint(intern_find(intern, key), ==, i + 1);
		}
	}
	g_assert_cmpuint(intern_count(intern), ==, 10000);
	g_assert_cmpuint(intern_find(intern, (guint64[]){ 100, 0 }), ==, 0);
}

/* The owners that pagemap_set() passes, frame by frame. */
typedef struct {
	guint32 owners[1 << 12];
	guint64 count;
} Told;

static void tell(gpointer data, guint32 owner, guint64 pages)
{
	Told *told = data;

	g_assert_cmpuint(pages, >, 0);
	while (pages--) {
		g_assert_cmpuint(told->count, <, G_N_ELEMENTS(told->owners));
		told->owners[told->count++] = owner;
	}
}

static void ignore(gpointer data, guint32 owner, guint64 pages)
{
}

static void pagemap_equals_the_model(void)
{
	enum { FRAMES = 8192 };
	g_autoptr(PageMap) map = pagemap_new();
	g_autoptr(GRand) rand = g_rand_new_with_seed(2);
	g_autofree guint32 *model = g_new0(guint32, FRAMES);
	g_autofree Told *told = g_new0(Told, 1);

	for (guint32 i = 1; i < 20000; i++) {
		guint order = g_rand_int_range(rand, 0, 12);
		guint64 pfn = g_rand_int_range(rand, 0, FRAMES - (1 << order) + 1);
		guint32 owner = g_rand_boolean(rand) ? i : PAGEMAP_NOBODY;

		told->count = 0;
		g_assert_true(pagemap_set(map, pfn, order, owner, tell, told));
		g_assert_cmpuint(told->count, ==, 1U << order);
		g_assert_cmpmem(told->owners, told->count * 4, model + pfn, told->count * 4);
		for (guint k = 0; k < 1U << order; k++)
			model[pfn + k] = owner;
	}
	for (guint64 pfn = 0; pfn < FRAMES; pfn++)
		g_assert_cmpuint(pagemap_owner(map, pfn), ==, model[pfn]);
}

/* The next expected owner, by the model. */
typedef struct {
	const guint32 *next;
} Expected;

static void expect_owner(gpointer data, guint32 owner, guint64 pages)
{
	Expected *expected = data;

	for (; pages--; expected->next++) {
		if (*expected->next != owner)
			g_assert_cmpuint(*expected->next, ==, owner);
	}
}

static void exchange(gpointer data, guint32 *owner, guint32 *other, guint64 pages)
{
	guint32 old = *owner;

	*owner = *other;
	*other = old;
}

/* Gigantic pages, and small ones that split them. */
static void pagemap_of_gigantic_pages_equals_the_model(void)
{
	enum { FRAMES = 1 << 21 };
	static const guint orders[] = { 0, 0, 0, 3, 9, 10, 17, 18, 18, 19, 20 };
	g_autoptr(PageMap) map = pagemap_new();
	g_autoptr(GRand) rand = g_rand_new_with_seed(3);
	g_autofree guint32 *model = g_new0(guint32, FRAMES);
	gsize empty = 0;

	for (guint32 i = 1; i < 1000; i++) {
		guint order = orders[g_rand_int_range(rand, 0, G_N_ELEMENTS(orders))];
		guint64 pages = 1 << order, pfn = g_rand_int_range(rand, 0, FRAMES - pages + 1);
		guint32 owner = g_rand_boolean(rand) ? i : PAGEMAP_NOBODY;
		Expected expected;

		if (g_rand_int_range(rand, 0, 4))
			pfn = pfn / pages * pages;
		expected.next = model + pfn;
		if (order < 20 && !g_rand_int_range(rand, 0, 8)) {
			guint64 other = pfn < FRAMES / 2 ? pfn + FRAMES / 2 : pfn - FRAMES / 2;

			if (other + pages > FRAMES)
				continue;
			g_assert_true(pagemap_pair(map, pfn, other, order, exchange, NULL));
			for (guint k = 0; k < pages; k++)
				exchange(NULL, &model[pfn + k], &model[other + k], 1);
			continue;
		}
		g_assert_true(pagemap_set(map, pfn, order, owner, expect_owner, &expected));
		g_assert_true(expected.next == model + pfn + pages);
		for (guint k = 0; k < pages; k++)
			model[pfn + k] = owner;
	}
	for (guint64 pfn = 0; pfn < FRAMES; pfn++) {
		if (pagemap_owner(map, pfn) != model[pfn])
			g_assert_cmpuint(pagemap_owner(map, pfn), ==, model[pfn]);
	}
	/* Memory of frames without an owner is reused. */
	for (guint round = 0; round < 20; round++) {
		g_assert_true(pagemap_set(map, 0, 20, round + 1, ignore, NULL));
		for (guint i = 0; i < 100; i++)
			g_assert_true(pagemap_set(map, i * 5003, 0, i % 3, ignore, NULL));
		g_assert_true(pagemap_set(map, 0, 20, PAGEMAP_NOBODY, ignore, NULL));
		if (!round)
			empty = pagemap_bytes(map);
		g_assert_cmpuint(pagemap_bytes(map), ==, empty);
	}
}

static void pagemap_releases_memory_of_free_frames(void)
{
	g_autoptr(PageMap) map = pagemap_new();
	gsize before = 0;

	for (guint64 i = 0; i < 100000; i++) {
		g_assert_true(pagemap_set(map, i * 512 + 1, 0, 1, ignore, NULL));
		g_assert_true(pagemap_set(map, i * 512 + 1, 0, PAGEMAP_NOBODY, ignore, NULL));
		if (!i)
			before = pagemap_bytes(map);
	}
	g_assert_cmpuint(pagemap_bytes(map), ==, before);
}

static void swap_owners(gpointer data, guint32 *owner, guint32 *other, guint64 pages)
{
	guint *calls = data;
	guint32 old = *owner;

	*owner = *other;
	*other = old;
	g_assert_cmpuint(pages, >, 0);
	(*calls)++;
}

static void pagemap_pair_visits_runs_of_one_owner(void)
{
	g_autoptr(PageMap) map = pagemap_new();
	guint calls = 0;

	g_assert_true(pagemap_set(map, 1 << 18, 18, 7, ignore, NULL));
	g_assert_true(pagemap_set(map, (1 << 20) + 1000, 0, 8, ignore, NULL));
	g_assert_true(pagemap_pair(map, 1 << 18, 1 << 20, 18, swap_owners, &calls));
	g_assert_cmpuint(calls, ==, 3);
	g_assert_cmpuint(pagemap_owner(map, (1 << 18) + 999), ==, PAGEMAP_NOBODY);
	g_assert_cmpuint(pagemap_owner(map, (1 << 18) + 1000), ==, 8);
	g_assert_cmpuint(pagemap_owner(map, (1 << 18) + 1001), ==, PAGEMAP_NOBODY);
	g_assert_cmpuint(pagemap_owner(map, (1 << 20) + 1000), ==, 7);
	g_assert_cmpuint(pagemap_owner(map, (1 << 21) - (1 << 19) - (1 << 18) - 1), ==, 7);
}

/* The same owners could be moved any number of times. */
static void pagemap_pair_has_a_budget(void)
{
	enum { OWNERS = 1 << 10, PAGES = 1 << 20, ENOUGH = 10000 };
	g_autoptr(PageMap) map = pagemap_new();
	guint paired = 0, calls = 0;
	gsize bytes;

	for (guint64 i = 0; i < OWNERS; i++)
		g_assert_true(pagemap_set(map, i * (PAGES / OWNERS), 0, i + 1, ignore, NULL));
	while (pagemap_pair(map, 0, PAGES, 20, swap_owners, &calls))
		g_assert_cmpuint(++paired, <, ENOUGH);
	g_assert_cmpuint(paired, >, 100);
	/* A refused change has no effect. */
	bytes = pagemap_bytes(map);
	calls = 0;
	for (guint i = 0; i < 10; i++)
		g_assert_false(pagemap_pair(map, 0, PAGES, 20, swap_owners, &calls));
	g_assert_cmpuint(calls, ==, 0);
	g_assert_cmpuint(pagemap_bytes(map), ==, bytes);
	for (guint64 i = 0; i < OWNERS; i++)
		g_assert_cmpuint(pagemap_owner(map, (paired % 2 ? PAGES : 0) +
							    i * (PAGES / OWNERS)), ==, i + 1);
	/* A page or a huge page can always be moved. */
	for (guint i = 0; i < 1 << 20; i++)
		g_assert_true(pagemap_pair(map, 4 * PAGES, 5 * PAGES, 9 * (i & 1), swap_owners,
					   &calls));
}

/* A table for each would be 2 KiB. */
static void pagemap_keeps_scattered_frames_small(void)
{
	enum { FRAMES = 100000 };
	g_autoptr(PageMap) map = pagemap_new();

	for (guint64 i = 0; i < FRAMES; i++)
		g_assert_true(pagemap_set(map, i * 512 + 1, 0, i + 1, ignore, NULL));
	for (guint64 i = 0; i < FRAMES; i++)
		g_assert_cmpuint(pagemap_owner(map, i * 512 + 1), ==, i + 1);
	g_assert_cmpuint(pagemap_bytes(map), <, FRAMES * 200);
}

static void pagemap_rejects_invalid_range(void)
{
	g_autoptr(PageMap) map = pagemap_new();

	g_assert_false(pagemap_set(map, PAGEMAP_PFN_END, 0, 1, ignore, NULL));
	g_assert_false(pagemap_set(map, PAGEMAP_PFN_END - 1, 1, 1, ignore, NULL));
	g_assert_false(pagemap_set(map, G_MAXUINT64, 0, 1, ignore, NULL));
	g_assert_false(pagemap_set(map, 0, 21, 1, ignore, NULL));
	g_assert_false(pagemap_set(map, 0, 255, 1, ignore, NULL));
	g_assert_true(pagemap_set(map, PAGEMAP_PFN_END - 1, 0, 1, ignore, NULL));
	g_assert_cmpuint(pagemap_owner(map, PAGEMAP_PFN_END - 1), ==, 1);
	g_assert_cmpuint(pagemap_owner(map, G_MAXUINT64), ==, 0);
	g_assert_true(pagemap_set(map, 7, 20, 2, ignore, NULL));
	g_assert_cmpuint(pagemap_bytes(map), <, 1 << 20);
}

static void stacktree_shares_outer_frames(void)
{
	g_autoptr(StackTree) tree = stacktree_new();
	guint32 a = stacktree_add(tree, (guint32[]){ 1, 2, 3 }, 3);
	guint32 b = stacktree_add(tree, (guint32[]){ 4, 2, 3 }, 3);
	guint32 c = stacktree_add(tree, (guint32[]){ 2, 3 }, 2);

	g_assert_cmpuint(stacktree_count(tree), ==, 4);
	g_assert_cmpuint(a, !=, b);
	g_assert_cmpuint(stacktree_node(tree, a).parent, ==, c);
	g_assert_cmpuint(stacktree_node(tree, b).parent, ==, c);
	g_assert_cmpuint(stacktree_depth(tree, a), ==, 3);
	g_assert_true(stacktree_is_stack(tree, c));
	g_assert_false(stacktree_is_stack(tree, stacktree_node(tree, c).parent));
	g_assert_cmpuint(stacktree_add(tree, (guint32[]){ 1, 2, 3 }, 3), ==, a);
	g_assert_cmpuint(stacktree_add(tree, NULL, 0), ==, 0);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
#define ADD(test) g_test_add_func("/maps/" #test, test)
	ADD(addrmap_equals_the_model);
	ADD(addrmap_size_depends_on_live_entries_only);
	ADD(intern_gives_each_key_one_number);
	ADD(pagemap_equals_the_model);
	ADD(pagemap_releases_memory_of_free_frames);
	ADD(pagemap_of_gigantic_pages_equals_the_model);
	ADD(pagemap_rejects_invalid_range);
	ADD(pagemap_pair_visits_runs_of_one_owner);
	ADD(pagemap_pair_has_a_budget);
	ADD(pagemap_keeps_scattered_frames_small);
	ADD(stacktree_shares_outer_frames);
	return g_test_run();
}

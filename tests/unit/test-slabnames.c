// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/tracer/slabnames.h"

#define SLABINFO							\
	"slabinfo - version: 2.1\n"					\
	"# name            <active_objs> <num_objs> <objsize>\n"	\
	"file_lock_cache  10  20  216  37  2 : tunables 0 0 0\n"	\
	"dentry  10  20  192  21  1 : tunables 0 0 0\n"		\
	"kmalloc-cg-64  10  20  64  64  1 : tunables 0 0 0\n"		\
	"two words 3       10  20  80  51  1 : tunables 0 0 0\n"

/* The last one is left over from a destroyed cache. */
#define LINKS				\
	":0000216 file_lock_cache\n"	\
	":0000216 mycache\n"		\
	":0000216 odd name\n"		\
	":a-0000192 dentry\n"		\
	":0000104 gone\n"

static void merged_caches_are_found(void)
{
	g_autoptr(SlabNames) names = slabnames_new(SLABINFO, LINKS);
	g_autofree char *shared = slabnames_shared(names, "file_lock_cache");
	g_autofree char *of_alias = slabnames_shared(names, "mycache");

	g_assert_true(slabnames_known(names));
	g_assert_cmpstr(slabnames_find(names, "dentry"), ==, "dentry");
	g_assert_cmpstr(slabnames_find(names, "kmalloc-cg-64"), ==, "kmalloc-cg-64");
	g_assert_cmpstr(slabnames_find(names, "mycache"), ==, "file_lock_cache");
	g_assert_cmpstr(slabnames_find(names, "odd name"), ==, "file_lock_cache");
	g_assert_null(slabnames_find(names, "gone"));
	g_assert_null(slabnames_find(names, "kmalloc-64"));
	g_assert_null(slabnames_shared(names, "dentry"));
	g_assert_null(slabnames_shared(names, "kmalloc-cg-64"));
	g_assert_cmpstr(shared, ==, "mycache, odd name");
	g_assert_cmpstr(of_alias, ==, "file_lock_cache, odd name");
	g_assert_cmpuint(slabnames_object_size(names, "dentry"), ==, 192);
	g_assert_cmpuint(slabnames_object_size(names, "mycache"), ==, 0);
	g_assert_cmpstr(slabnames_find(names, "two words 3"), ==, "two words 3");
	g_assert_cmpuint(slabnames_object_size(names, "two words 3"), ==, 80);
}

static void cache_is_unknown_without_slabinfo(void)
{
	g_autoptr(SlabNames) names = slabnames_new(NULL, LINKS);

	g_assert_false(slabnames_known(names));
	g_assert_null(slabnames_find(names, "dentry"));
	g_assert_cmpstr(slabnames_all(names)[0], ==, "dentry");
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/slabnames/merged_caches_are_found", merged_caches_are_found);
	g_test_add_func("/slabnames/cache_is_unknown_without_slabinfo",
			cache_is_unknown_without_slabinfo);
	return g_test_run();
}

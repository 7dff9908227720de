// SPDX-License-Identifier: GPL-2.0-or-later
#include "symbols/keepers.h"

#include "symbols/symbols.h"

typedef struct {
	const char *prefix; /* of names */
	guint keeps;
} KeeperName;

/* Not by cache: caches of others may be merged with vmap_area. */
static const KeeperName keepers[] = {
	/* vectors of a slab's objects, freed with the slab */
	{ "alloc_slab_obj_exts", KEEPER_ALL },
	{ "memcg_alloc_slab_cgroups", KEEPER_ALL },
	/* arrays of what kvfree_rcu() will free */
	{ "kfree_call_rcu", KEEPER_ALL },
	{ "kvfree_call_rcu", KEEPER_ALL },
	{ "__kfree_rcu_sheaf", KEEPER_ALL },
	/* sheaves: a slab cache's arrays of free objects */
	{ "__pcs_replace_", KEEPER_OBJECTS },
	{ "__alloc_empty_sheaf", KEEPER_OBJECTS },
	{ "alloc_empty_sheaf", KEEPER_OBJECTS },
	{ "pcpu_", KEEPER_CHUNKS },
	/* vmalloc space, and its page tables */
	{ "alloc_vmap_area", KEEPER_AREAS },
	{ "vm_map_ram", KEEPER_BLOCKS },
	{ "__pte_alloc_kernel", KEEPER_PAGES },
	{ "__vmap_pages_range", KEEPER_PAGES },
	{ "vmap_pages_range", KEEPER_PAGES },
	{ "vmap_range", KEEPER_PAGES },
	{ "vmap_small_pages_range", KEEPER_PAGES },
	{ "filemap_alloc_folio", KEEPER_CACHE },
};

guint symbols_keeps(const char *name, const char *module)
{
	guint keeps = 0;

	for (guint i = 0; !module && i < G_N_ELEMENTS(keepers); i++)
		keeps |= g_str_has_prefix(name, keepers[i].prefix) ? keepers[i].keeps : 0;
	return keeps;
}

gboolean symbols_is_keeper_boundary(const char *name, const char *module)
{
	if (module)
		return !symbols_is_allocator(name, module);
	return g_str_has_prefix(name, "shrink_") || g_str_has_prefix(name, "try_to_free_");
}

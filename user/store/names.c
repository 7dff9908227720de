// SPDX-License-Identifier: GPL-2.0-or-later
#include "store/names.h"

#include <stdio.h>
#include <string.h>

#define KMALLOC_CACHE_FIRST	65537	/* above the kernel's own ids, which have 16 bits */

/* What is known of a frame. */
typedef struct {
	guint32 symbol;		/* number of table symbol; 0: not looked up yet */
	guint32 offset;
	gboolean resolved;
	gboolean allocator, slab;
} FrameInfo;

typedef struct {
	guint32 id;
	guint32 object_size;
	char *name;
} Cache;

struct Names {
	Stacks *stacks;
	const Symbols *symbols;
	TextsAbi abi;
	GArray *frames;			/* FrameInfo, number − 1 is the index */
	GHashTable *symbol_numbers;	/* "name\nmodule" → number */
	GPtrArray *symbol_keys;		/* those strings, owned by the table, in order of number */
	GArray *callers;		/* guint32 by stack node − 1: symbol; 0: not computed, G_MAXUINT32: none */
	GArray *slab_stacks;		/* guint8 by stack node − 1: 0 not computed, 1 no, 2 yes */
	GHashTable *slab_names;		/* set of the names in slabinfo */
	GHashTable *kmalloc_caches;	/* name → Cache; caches owns them */
	GPtrArray *caches;		/* Cache */
};

static void cache_free(gpointer data)
{
	Cache *cache = data;

	g_free(cache->name);
	g_free(cache);
}

static void read_slab_names(Names *names, const char *slabinfo)
{
	g_auto(GStrv) lines = g_strsplit(slabinfo, "\n", -1);

	for (guint i = 0; lines[i]; i++) {
		lines[i][strcspn(lines[i], " ")] = 0;
		g_hash_table_add(names->slab_names, g_strdup(lines[i]));
	}
}

Names *names_new(Stacks *stacks, const Symbols *symbols, const TextsAbi *abi, const char *slabinfo)
{
	Names *names = g_new0(Names, 1);

	names->stacks = stacks;
	names->symbols = symbols;
	names->abi = *abi;
	names->frames = g_array_new(FALSE, TRUE, sizeof(FrameInfo));
	names->symbol_numbers = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	names->symbol_keys = g_ptr_array_new();
	names->callers = g_array_new(FALSE, TRUE, sizeof(guint32));
	names->slab_stacks = g_array_new(FALSE, TRUE, sizeof(guint8));
	names->slab_names = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	names->kmalloc_caches = g_hash_table_new(g_str_hash, g_str_equal);
	names->caches = g_ptr_array_new_with_free_func(cache_free);
	if (slabinfo)
		read_slab_names(names, slabinfo);
	return names;
}

void names_free(Names *names)
{
	if (!names)
		return;
	g_array_unref(names->frames);
	g_hash_table_unref(names->symbol_numbers);
	g_ptr_array_unref(names->symbol_keys);
	g_array_unref(names->callers);
	g_array_unref(names->slab_stacks);
	g_hash_table_unref(names->slab_names);
	g_hash_table_unref(names->kmalloc_caches);
	g_ptr_array_unref(names->caches);
	g_free(names);
}

/* ---- frames ---- */

static guint32 symbol_number(Names *names, const char *name, const char *module)
{
	char *key = g_strconcat(name, "\n", module, NULL);
	guint32 number = GPOINTER_TO_UINT(g_hash_table_lookup(names->symbol_numbers, key));

	if (number) {
		g_free(key);
		return number;
	}
	g_ptr_array_add(names->symbol_keys, key);
	number = names->symbol_keys->len;
	g_hash_table_insert(names->symbol_numbers, key, GUINT_TO_POINTER(number));
	return number;
}

/* An address that no symbol covers is its own name. */
static void look_up(Names *names, guint32 frame, FrameInfo *info)
{
	guint64 addr = stacks_frame_addr(names->stacks, frame);
	Symbol symbol;
	char text[32];

	info->resolved = symbols_resolve(names->symbols, addr, &symbol);
	if (info->resolved) {
		info->symbol = symbol_number(names, symbol.name, symbol.module);
		info->offset = symbol.offset;
		info->allocator = !symbol.module && symbols_is_allocator(symbol.name);
		info->slab = !symbol.module && symbols_is_slab_backing(symbol.name);
		return;
	}
	g_snprintf(text, sizeof(text), "0x%" G_GINT64_MODIFIER "x", addr);
	info->symbol = symbol_number(names, text, NULL);
}

static const FrameInfo *frame_info(Names *names, guint32 frame)
{
	FrameInfo *info;

	if (names->frames->len < frame)
		g_array_set_size(names->frames, MAX(frame, stacks_frames(names->stacks)));
	info = &g_array_index(names->frames, FrameInfo, frame - 1);
	if (!info->symbol)
		look_up(names, frame, info);
	return info;
}

/* ---- stacks ---- */

/* From the innermost frame outwards. */
static guint32 find_caller(Names *names, guint32 node)
{
	const StackTree *tree = stacks_tree(names->stacks);

	for (; node; node = stacktree_node(tree, node).parent) {
		const FrameInfo *info = frame_info(names, stacktree_node(tree, node).frame);

		if (!info->allocator)
			return info->symbol;
	}
	return G_MAXUINT32;
}

static guint32 stack_caller(Names *names, guint32 node)
{
	guint32 *caller;

	if (names->callers->len < node)
		g_array_set_size(names->callers, stacktree_count(stacks_tree(names->stacks)));
	caller = &g_array_index(names->callers, guint32, node - 1);
	if (!*caller)
		*caller = find_caller(names, node);
	return *caller == G_MAXUINT32 ? 0 : *caller;
}

guint32 names_caller(Names *names, guint32 call_site_frame, guint32 stack_node)
{
	const FrameInfo *site = call_site_frame ? frame_info(names, call_site_frame) : NULL;
	guint32 symbol = site ? site->symbol : 0;

	if (site && !site->allocator)
		return symbol;
	return (stack_node ? stack_caller(names, stack_node) : 0) ?: symbol;
}

gboolean names_is_slab_stack(Names *names, guint32 stack_node)
{
	const StackTree *tree = stacks_tree(names->stacks);
	guint8 *known;

	if (!stack_node)
		return FALSE;
	if (names->slab_stacks->len < stack_node)
		g_array_set_size(names->slab_stacks, stacktree_count(stacks_tree(names->stacks)));
	known = &g_array_index(names->slab_stacks, guint8, stack_node - 1);
	if (!*known) {
		*known = 1;
		for (guint32 node = stack_node; node; node = stacktree_node(tree, node).parent) {
			if (frame_info(names, stacktree_node(tree, node).frame)->slab)
				*known = 2;
		}
	}
	return *known == 2;
}

/* ---- caches ---- */

static Cache *add_cache(Names *names, guint32 id, guint32 object_size, const char *name)
{
	Cache *cache = g_new0(Cache, 1);

	cache->id = id;
	cache->object_size = object_size;
	cache->name = g_strdup(name);
	g_ptr_array_add(names->caches, cache);
	return cache;
}

void names_add_caches(Names *names, const char *text, guint *skipped)
{
	g_auto(GStrv) lines = g_strsplit(text, "\n", -1);

	for (guint i = 0; lines[i]; i++) {
		unsigned int id, object_size;
		int at = 0;

		if (sscanf(lines[i], "%u %u %n", &id, &object_size, &at) == 2 && at && id < KMALLOC_CACHE_FIRST)
			add_cache(names, id, object_size, lines[i] + at);
		else if (lines[i][0])
			(*skipped)++;
	}
}

/* The prefixes of the kernel's kmalloc_type(), in its order of precedence. */
static const char *kmalloc_prefix(const Names *names, guint32 gfp)
{
	if (gfp & names->abi.gfp_dma)
		return "dma-kmalloc";
	if (gfp & names->abi.gfp_reclaimable)
		return "kmalloc-rcl";
	if (gfp & names->abi.gfp_account)
		return "kmalloc-cg";
	return "kmalloc";
}

guint32 names_kmalloc_cache(Names *names, guint32 bytes_alloc, guint32 gfp)
{
	gboolean kilo = bytes_alloc >= 1024 && bytes_alloc % 1024 == 0;
	char name[48];
	Cache *cache;

	g_snprintf(name, sizeof(name), "%s-%u%s", kmalloc_prefix(names, gfp),
		   kilo ? bytes_alloc / 1024 : bytes_alloc, kilo ? "k" : "");
	cache = g_hash_table_lookup(names->kmalloc_caches, name);
	if (cache)
		return cache->id;
	if (!g_hash_table_contains(names->slab_names, name))	/* large, or of another allocator */
		return 0;
	cache = add_cache(names, KMALLOC_CACHE_FIRST + g_hash_table_size(names->kmalloc_caches), bytes_alloc,
			  name);
	g_hash_table_insert(names->kmalloc_caches, cache->name, cache);
	return cache->id;
}

/* ---- storing ---- */

static void store_symbols(Names *names, StoreWriter *writer)
{
	for (guint i = 0; i < names->symbol_keys->len; i++) {
		g_auto(GStrv) parts = g_strsplit(g_ptr_array_index(names->symbol_keys, i), "\n", 2);

		store_writer_row(writer, STORE_INSERT_SYMBOL, "iss", (gint64)i + 1, parts[0],
				 parts[1] && parts[1][0] ? parts[1] : NULL);
	}
}

static void store_frames(Names *names, StoreWriter *writer)
{
	for (guint32 i = 1; i <= stacks_frames(names->stacks); i++) {
		const FrameInfo *info = frame_info(names, i);
		gint64 values[] = {
			i, stacks_frame_addr(names->stacks, i), info->symbol,
			info->resolved ? (gint64)info->offset : G_MININT64, info->allocator,
		};

		store_writer_ints(writer, STORE_INSERT_FRAME, values, G_N_ELEMENTS(values));
	}
}

static void store_stacks(Names *names, StoreWriter *writer)
{
	const StackTree *tree = stacks_tree(names->stacks);

	for (guint32 i = 1; i <= stacktree_count(tree); i++) {
		StackNode node = stacktree_node(tree, i);
		gint64 values[] = { i, node.parent, stacktree_depth(tree, i), node.frame,
				    stacktree_is_stack(tree, i) };

		store_writer_ints(writer, STORE_INSERT_STACK, values, G_N_ELEMENTS(values));
	}
}

void names_store(Names *names, StoreWriter *writer)
{
	store_frames(names, writer);	/* may find more symbols */
	store_symbols(names, writer);
	store_stacks(names, writer);
	for (guint i = 0; i < names->caches->len; i++) {
		const Cache *cache = g_ptr_array_index(names->caches, i);

		store_writer_row(writer, STORE_INSERT_CACHE, "isi", (gint64)cache->id, cache->name,
				 (gint64)cache->object_size);
	}
}

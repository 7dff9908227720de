// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * An event names its cache, except for a kmalloc() that failed or was recorded by an older tracer.
 * The cache then follows from size and flags, as in the kernel's kmalloc_type(); slabinfo has the
 * sizes and kinds that exist. An allocation from buckets, of kmem_buckets_create() or
 * CONFIG_RANDOM_KMALLOC_CACHES, has the same size and flags: if slabinfo has a bucket of the size,
 * the name says so.
 */
#include "store/load/caches.h"

#include <string.h>

#include "base/seed.h"

#define OR_A_BUCKET " or a bucket of its size"

typedef enum { KIND_NORMAL, KIND_DMA, KIND_RECLAIM, KIND_CGROUP, KINDS } KmallocKind;

static const char *const kind_prefixes[KINDS] = {
	[KIND_NORMAL] = "kmalloc-",
	[KIND_DMA] = "dma-kmalloc-",
	[KIND_RECLAIM] = "kmalloc-rcl-",
	[KIND_CGROUP] = "kmalloc-cg-",
};

typedef struct {
	char *name;         /* NULL: unknown */
	char *slabinfo;     /* its name in slabinfo; NULL: unknown */
	gint64 object_size; /* DB_NULL: unknown */
} Cache;

struct Caches {
	GArray *caches;                   /* of Cache, by number - 1 */
	GHashTable *by_name;              /* "size name" to number */
	GHashTable *by_kernel_id;         /* to number */
	GHashTable *kmalloc_names[KINDS]; /* object size to name */
	GHashTable *buckets;  /* "size suffix" of other caches whose names end in a size */
	guint32 flags[KINDS]; /* gfp bits that select the kind; 0: unknown */
};

static void clear_cache(gpointer data)
{
	g_free(((Cache *)data)->name);
	g_free(((Cache *)data)->slabinfo);
}

Caches *caches_new(void)
{
	Caches *caches = g_new0(Caches, 1);

	caches->caches = g_array_new(FALSE, TRUE, sizeof(Cache));
	g_array_set_clear_func(caches->caches, clear_cache);
	caches->by_name = g_hash_table_new_full(seed_text, g_str_equal, g_free, NULL);
	caches->by_kernel_id = g_hash_table_new(seed_number, NULL);
	caches->buckets = g_hash_table_new_full(seed_text, g_str_equal, g_free, NULL);
	for (int i = 0; i < KINDS; i++)
		caches->kmalloc_names[i] =
			g_hash_table_new_full(seed_int64, g_int64_equal, g_free, g_free);
	return caches;
}

void caches_free(Caches *caches)
{
	if (!caches)
		return;
	for (int i = 0; i < KINDS; i++)
		g_hash_table_unref(caches->kmalloc_names[i]);
	g_hash_table_unref(caches->buckets);
	g_hash_table_unref(caches->by_kernel_id);
	g_hash_table_unref(caches->by_name);
	g_array_unref(caches->caches);
	g_free(caches);
}

static guint32 append(Caches *caches, const char *name, gint64 object_size)
{
	Cache cache = { .name = g_strdup(name), .object_size = object_size };

	/* A cache without buckets is the best guess. */
	if (name && g_str_has_suffix(name, OR_A_BUCKET))
		cache.slabinfo = g_strndup(name, strlen(name) - strlen(OR_A_BUCKET));
	else
		cache.slabinfo = g_strdup(name);
	g_array_append_val(caches->caches, cache);
	return caches->caches->len;
}

/*
 * Merges a cache that was destroyed and created again: it has two ids in the tracer, but one name.
 */
static guint32 add_named(Caches *caches, const char *name, gint64 object_size)
{
	g_autofree char *key = g_strdup_printf("%" G_GINT64_FORMAT " %s", object_size, name);
	guint32 id = GPOINTER_TO_UINT(g_hash_table_lookup(caches->by_name, key));

	if (!id) {
		id = append(caches, name, object_size);
		g_hash_table_insert(caches->by_name, g_steal_pointer(&key), GUINT_TO_POINTER(id));
	}
	return id;
}

void caches_add(Caches *caches, guint32 kernel_id, guint32 object_size, const char *name)
{
	gboolean known = strcmp(name, "?") != 0; /* the tracer's placeholder for an unknown name */
	guint32 id =
		known ? add_named(caches, name, object_size) : append(caches, NULL, object_size);

	g_hash_table_insert(caches->by_kernel_id, GUINT_TO_POINTER(kernel_id),
			    GUINT_TO_POINTER(id));
}

/*
 * Returns the key for caches of equal size with equal suffixes: "128 128" for "kmalloc-cg-128" and
 * "msg_msg-128".
 */
static char *bucket_key(const char *name, gint64 object_size)
{
	const char *dash = strrchr(name, '-');

	if (!dash || !g_ascii_isdigit(dash[1]))
		return NULL;
	return g_strdup_printf("%" G_GINT64_FORMAT " %s", object_size, dash + 1);
}

void caches_add_slabinfo(Caches *caches, const char *name, gint64 object_size)
{
	char *key;

	for (int i = 0; i < KINDS; i++) {
		gsize len = strlen(kind_prefixes[i]);

		if (!strncmp(name, kind_prefixes[i], len) && g_ascii_isdigit(name[len])) {
			g_hash_table_insert(caches->kmalloc_names[i],
					    g_memdup2(&object_size, sizeof(object_size)),
					    g_strdup(name));
			return;
		}
	}
	key = bucket_key(name, object_size);
	if (key)
		g_hash_table_add(caches->buckets, key);
}

void caches_set_flag(Caches *caches, const char *name, guint32 bits)
{
	if (!strcmp(name, "__GFP_DMA"))
		caches->flags[KIND_DMA] = bits;
	else if (!strcmp(name, "__GFP_RECLAIMABLE"))
		caches->flags[KIND_RECLAIM] = bits;
	else if (!strcmp(name, "__GFP_ACCOUNT"))
		caches->flags[KIND_CGROUP] = bits;
}

static guint32 add_kmalloc(Caches *caches, const char *name, gint64 size)
{
	g_autofree char *key = bucket_key(name, size);
	g_autofree char *either = NULL;

	if (!key || !g_hash_table_contains(caches->buckets, key))
		return add_named(caches, name, size);
	either = g_strconcat(name, OR_A_BUCKET, NULL);
	return add_named(caches, either, size);
}

/*
 * Tries the kinds in the kernel's order; a kind without a cache of this size falls back to the next
 * one.
 */
static guint32 kmalloc_cache(Caches *caches, const struct trace_event *event)
{
	static const KmallocKind order[] = { KIND_DMA, KIND_RECLAIM, KIND_CGROUP, KIND_NORMAL };
	gint64 size = event->bytes_alloc;

	for (guint i = 0; i < G_N_ELEMENTS(order); i++) {
		const char *name = g_hash_table_lookup(caches->kmalloc_names[order[i]], &size);

		if (name && (order[i] == KIND_NORMAL || event->gfp & caches->flags[order[i]]))
			return add_kmalloc(caches, name, size);
	}
	return 0;
}

guint32 caches_of(Caches *caches, const struct trace_event *event)
{
	gpointer key = GUINT_TO_POINTER(event->cache);
	guint32 id;

	if (event->cache == KMEMTRACE_CACHE_NONE)
		return event->event == KMEMTRACE_EVENT_KMALLOC ? kmalloc_cache(caches, event) : 0;
	id = GPOINTER_TO_UINT(g_hash_table_lookup(caches->by_kernel_id, key));
	if (!id) { /* no list of caches: the recording did not finish */
		id = append(caches, NULL,
			    event->bytes_alloc ? (gint64)event->bytes_alloc : DB_NULL);
		g_hash_table_insert(caches->by_kernel_id, key, GUINT_TO_POINTER(id));
	}
	return id;
}

gint64 caches_object_size(const Caches *caches, guint32 id)
{
	gint64 size = id ? g_array_index(caches->caches, Cache, id - 1).object_size : 0;

	return size == DB_NULL ? 0 : size;
}

void caches_write(const Caches *caches, Db *db)
{
	Insert *insert = db_insert(db, "cache");

	for (guint i = 0; i < caches->caches->len; i++) {
		const Cache *cache = &g_array_index(caches->caches, Cache, i);

		insert_row(insert, "isis", (gint64)i + 1, cache->name, cache->object_size,
			   cache->slabinfo);
	}
}

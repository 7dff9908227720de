/* SPDX-License-Identifier: GPL-2.0-only */
/* The caches and threads that records refer to by number. */
#ifndef KMEMTRACE_CACHES_H
#define KMEMTRACE_CACHES_H

#include <linux/compiler.h>
#include <linux/hash.h>
#include <linux/mm.h>
#include <linux/types.h>

#include "kmemtrace_abi.h"

struct kmem_cache;
struct seq_file;

#define KMT_CACHE_BITS 12
#define KMT_CACHES_MAX (1U << KMT_CACHE_BITS) /* a few hundred are usual */

/* A slab cache that events refer to. Its id is its index in kmt_caches, plus one. */
struct kmt_cache {
	struct kmem_cache *cache; /* release/acquire: the fields below are set */
	const char *identity;     /* see kmt_cache_identity() */
	u32 object_size;          /* bytes */
};

extern struct kmt_cache *kmt_caches;
extern size_t kmt_name_offset;

/*
 * A word that distinguishes a cache from another one at the same address: the pointer to its name,
 * or its first word if that is unknown.
 */
static __always_inline const char *kmt_cache_identity(const struct kmem_cache *cache)
{
	return READ_ONCE(*(const char **)((const char *)cache + kmt_name_offset));
}

/* The cache of struct kmem_cache; NULL until an event refers to it. */
extern struct kmem_cache *kmt_cache_of_caches;

/* @cache was destroyed: a cache at this address is a new one. Takes no lock. */
void kmt_cache_forget(const void *cache);

/* Notes that @ptr is freed to @cache, as @ptr may be a cache. Must be called for each such free. */
static __always_inline void kmt_cache_note_free(const struct kmem_cache *cache, const void *ptr)
{
	if (unlikely(cache == READ_ONCE(kmt_cache_of_caches)))
		kmt_cache_forget(ptr);
}

/* Returns whether @cache has this name; false if names are unknown. @cache must exist. */
bool kmt_cache_has_name(const struct kmem_cache *cache, const char *name);

/* Returns whether events of the cache @name can be recognized on this kernel. */
bool kmt_cache_is_identifiable(const char *name);

/* The fields of a record that describe a cache. */
struct kmt_cache_ref {
	u16 id;          /* KMEMTRACE_CACHE_NONE: the table is full */
	u32 object_size; /* bytes */
};

/*
 * Slow path of kmt_cache_lookup(): @cache is not in its first slot, or not in the table. Counts a
 * loss if the table is full.
 */
struct kmt_cache_ref kmt_cache_find(struct kmem_cache *cache);

/* Returns the id and object size of @cache, which must exist; adds it if it's new. No lock. */
static __always_inline struct kmt_cache_ref kmt_cache_lookup(struct kmem_cache *cache)
{
	u32 index = hash_ptr(cache, KMT_CACHE_BITS);
	const struct kmt_cache *known = &kmt_caches[index];

	if (likely(smp_load_acquire(&known->cache) == cache &&
		   known->identity == kmt_cache_identity(cache)))
		return (struct kmt_cache_ref){ index + 1, known->object_size };
	return kmt_cache_find(cache);
}

/*
 * The offset in bytes of the cache pointer in the head page of a slab, and the size of the largest
 * objects in slabs, which is 0 if the offset is unknown.
 */
extern size_t kmt_slab_cache_offset;
extern size_t kmt_slab_object_max;

/*
 * Returns the cache that kmalloc() allocated @ptr from; NULL: none, or unknown. @bytes_req is the
 * requested size: with slab_debug, the allocated one may exceed the largest cache. @ptr must not be
 * freed while the caller uses the cache.
 */
static __always_inline struct kmem_cache *kmt_cache_of_object(const void *ptr, size_t bytes_req)
{
	const struct folio *folio;

	if (unlikely(!ptr || bytes_req > kmt_slab_object_max))
		return NULL;
	folio = virt_to_folio(ptr);
	if (unlikely(!folio_test_slab((struct folio *)folio)))
		return NULL;
	return READ_ONCE(*(struct kmem_cache **)((const char *)folio + kmt_slab_cache_offset));
}

int kmt_caches_init(void); /* -ENOMEM */
void kmt_caches_exit(void);
void kmt_caches_reset(void); /* forgets all caches; no probe may run */

/*
 * Notes that any cache may have been destroyed unseen; ids stay valid for caches of the same name.
 * No probe may run.
 */
void kmt_caches_invalidate(void);
u64 kmt_caches_bytes(void);                 /* memory held, with per-CPU state */
void kmt_caches_show(struct seq_file *seq); /* the view "caches" */
void kmt_tasks_show(struct seq_file *seq);  /* the view "tasks" */

#endif /* KMEMTRACE_CACHES_H */

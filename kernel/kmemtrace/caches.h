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

/* A slab cache that was met. Its id is its place in kmt_caches, plus one. */
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

/* Where the structures of caches are allocated; NULL: it wasn't met yet. */
extern struct kmem_cache *kmt_cache_of_caches;

void kmt_cache_forget(const void *cache); /* destroyed: a cache at this address is another one */

/* @ptr is freed to @cache: that may be a cache itself. To be called at each such free. */
static __always_inline void kmt_cache_note_free(const struct kmem_cache *cache, const void *ptr)
{
	if (unlikely(cache == READ_ONCE(kmt_cache_of_caches)))
		kmt_cache_forget(ptr);
}

bool kmt_cache_has_name(const struct kmem_cache *cache, const char *name);

/* Whether events on this kernel show whether they are of the cache @name. */
bool kmt_cache_is_identifiable(const char *name);

/* The fields of a record that describe a cache. */
struct kmt_cache_ref {
	u16 id;          /* KMEMTRACE_CACHE_NONE: the table is full */
	u32 object_size; /* bytes */
};

/* Slow path of kmt_cache_lookup(): @cache is not in its first slot, or not in the table. */
struct kmt_cache_ref kmt_cache_find(struct kmem_cache *cache);

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
 * The slab of an object has a pointer to its cache, this many bytes after the start of its head
 * page. Larger objects than kmt_slab_object_max bytes are in no slab; 0: the offset is unknown.
 */
extern size_t kmt_slab_cache_offset;
extern size_t kmt_slab_object_max;

/*
 * Returns the cache that @ptr was allocated from by a kmalloc() for @bytes_req: what the kernel
 * allocated may be more than any cache's objects have, as slab_debug adds to them. NULL: none, or
 * not known. @ptr must not be freed before the caller is done with the cache.
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

int kmt_caches_init(void);
void kmt_caches_exit(void);
void kmt_caches_reset(void); /* forgets all caches; no probe may run */
/* The same, but that their ids stay: any of them may have been destroyed unseen. */
void kmt_caches_invalidate(void);
u64 kmt_caches_bytes(void);
void kmt_caches_show(struct seq_file *seq);
void kmt_tasks_show(struct seq_file *seq);

#endif /* KMEMTRACE_CACHES_H */

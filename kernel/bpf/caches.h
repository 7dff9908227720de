/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Assigns ids to slab caches, and reads their names and sizes when they are first seen.
 */
#ifndef KMEMTRACE_CACHES_H
#define KMEMTRACE_CACHES_H

#include "kernel_types.h"
#include "ring.h"

#include <bpf/bpf_core_read.h>

#define KMT_CACHE_PROBES 16

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, KMT_BPF_CACHES);
	__type(key, __u32);
	__type(value, struct kmt_bpf_cache);
} caches SEC(".maps");

/* Returns whether @name is that of the cache filter. It has at least KMT_BPF_FILTER_CACHE bytes. */
static __always_inline bool kmt_is_wanted_name(const char *name)
{
	__u32 i;

	for (i = 0; i < KMT_BPF_FILTER_CACHE; i++) {
		if (name[i] != config.cache[i])
			return false;
		if (!name[i])
			return true;
	}
	return false;
}

static __always_inline bool kmt_is_of_caches(const char *name)
{
	static const char of_caches[] = "kmem_cache";
	__u32 i;

	for (i = 0; i < sizeof(of_caches); i++) {
		if (name[i] != of_caches[i])
			return false;
	}
	return true;
}

static __always_inline void kmt_cache_name(struct kmt_bpf_cache *entry,
					   const struct kmem_cache *cache)
{
	const char *name = BPF_CORE_READ(cache, name);

	entry->object_size = BPF_CORE_READ(cache, object_size);
	bpf_probe_read_kernel_str(entry->name, sizeof(entry->name), name);
	entry->compared = state.resumes;
	barrier();
	entry->ready =
		KMT_BPF_CACHE_READY |
		(config.cache[0] && kmt_is_wanted_name(entry->name) ? KMT_BPF_CACHE_WANTED : 0) |
		(kmt_is_of_caches(entry->name) ? KMT_BPF_CACHE_OF_CACHES : 0);
}

/* Returns the index in the table that is tried after @i others. */
static __always_inline __u32 kmt_cache_place(__u64 addr, __u32 i)
{
	return ((__u32)(addr * KMT_HASH_FACTOR >> 48) + i) & (KMT_BPF_CACHES - 1);
}

/* The body of a loop: @addr is the address of a destroyed cache. */
static long kmt_forget_entry(__u32 i, __u64 *addr)
{
	__u32 at = kmt_cache_place(*addr, i);
	struct kmt_bpf_cache *entry = bpf_map_lookup_elem(&caches, &at);

	if (entry)
		__sync_val_compare_and_swap(&entry->cache, *addr, KMT_BPF_CACHE_GONE);
	return !entry;
}

/*
 * Handles the free of a struct kmem_cache: another cache may get its address. The old id keeps the
 * name.
 */
static __always_inline void kmt_cache_forget(__u64 addr)
{
	bpf_loop(KMT_CACHE_PROBES, kmt_forget_entry, &addr, 0);
}

/*
 * Returns 0 if @cache, whose address is in entry @at, is not the cache that had this address before
 * a pause: nothing is seen during a pause. Both names have zeros after their ends, since name_now
 * is overwritten only by an equal name. The verifier checks a global function once.
 */
__noinline int kmt_cache_is_same(__u32 at, __u64 cache)
{
	struct kmt_bpf_cache *entry = bpf_map_lookup_elem(&caches, &at);
	const struct kmem_cache *now = (const struct kmem_cache *)cache;
	const volatile __u64 *name, *name_now;
	__u64 differs;
	__u32 i;

	if (!entry)
		return 0;
	name = (const volatile __u64 *)entry->name;
	name_now = (const volatile __u64 *)entry->name_now;
	differs = entry->object_size ^ BPF_CORE_READ(now, object_size);
	bpf_probe_read_kernel_str(entry->name_now, sizeof(entry->name_now),
				  BPF_CORE_READ(now, name));
	for (i = 0; i < sizeof(entry->name) / sizeof(*name); i++)
		differs |= name[i] ^ name_now[i];
	if (!differs)
		entry->compared = state.resumes;
	return !differs;
}

struct kmt_cache_search {
	__u64 cache;
	__u32 at;
	bool found;
};

/* The body of a loop: looks at one entry of the table, and takes it if it is free. */
static long kmt_probe_cache(__u32 i, struct kmt_cache_search *search)
{
	__u32 at = kmt_cache_place(search->cache, i);
	struct kmt_bpf_cache *entry = bpf_map_lookup_elem(&caches, &at);
	__u64 before;

	if (!entry)
		return 1;
	before = entry->cache;
	if (!before) {
		before = __sync_val_compare_and_swap(&entry->cache, 0, search->cache);
		if (!before)
			kmt_cache_name(entry, (const struct kmem_cache *)search->cache);
	}
	if (before && before != search->cache)
		return 0;
	if (before && entry->ready && entry->compared != state.resumes &&
	    !kmt_cache_is_same(at, search->cache)) {
		__sync_val_compare_and_swap(&entry->cache, search->cache, KMT_BPF_CACHE_GONE);
		return 0;
	}
	search->at = at;
	search->found = true;
	return 1;
}

/*
 * Returns the index of the entry for @cache; -1: there is no room. The verifier checks a global
 * function once, not again for each entry that it may find.
 */
__noinline int kmt_cache_search(__u64 cache)
{
	struct kmt_cache_search search = { .cache = cache };

	bpf_loop(KMT_CACHE_PROBES, kmt_probe_cache, &search, 0);
	return search.found ? search.at : -1;
}

/*
 * Returns the id, and sets *@object_size, and *@flags to KMT_BPF_CACHE_… (0: not known yet). If
 * there is no room, counts a loss and returns KMEMTRACE_CACHE_NONE.
 */
static __always_inline __u16 kmt_cache_find(struct kmt_bpf_ring *ring,
					    const struct kmem_cache *cache, __u32 *object_size,
					    __u32 *flags)
{
	__u64 addr = (__u64)cache;
	__u32 at = kmt_cache_place(addr, 0);
	struct kmt_bpf_cache *entry = bpf_map_lookup_elem(&caches, &at);

	if (!entry || entry->cache != addr || entry->compared != state.resumes) {
		at = kmt_cache_search(addr);
		entry = bpf_map_lookup_elem(&caches, &at); /* none has the index -1 */
	}
	*flags = entry ? *(volatile __u32 *)&entry->ready : 0;
	*object_size = *flags ? entry->object_size : BPF_CORE_READ(cache, object_size);
	if (entry)
		return at + 1;
	kmt_count_lost(ring, KMEMTRACE_LOSS_CACHE_FULL);
	return KMEMTRACE_CACHE_NONE;
}

static __always_inline __u16 kmt_cache(struct kmt_bpf_ring *ring, const struct kmem_cache *cache,
				       __u32 *object_size)
{
	__u32 flags;

	return kmt_cache_find(ring, cache, object_size, &flags);
}

/* Returns whether @cache is that of the cache filter. */
static __always_inline bool kmt_cache_is_wanted(struct kmt_bpf_ring *ring,
						const struct kmem_cache *cache)
{
	char name[KMT_BPF_FILTER_CACHE + 1] = { 0 };
	const struct kmt_bpf_cache *entry;
	__u32 size, at;
	__u16 id = kmt_cache(ring, cache, &size);

	at = id - 1;
	entry = id ? bpf_map_lookup_elem(&caches, &at) : 0;
	if (entry && entry->ready)
		return entry->ready & KMT_BPF_CACHE_WANTED;
	/* There is no room, or another CPU is just reading the name. */
	bpf_probe_read_kernel_str(name, sizeof(name), BPF_CORE_READ(cache, name));
	return kmt_is_wanted_name(name);
}

#endif /* KMEMTRACE_CACHES_H */

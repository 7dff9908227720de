/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Decides which events are recorded, by the rules of kernel/kmemtrace/filter.h. Filters that aren't
 * set are constant, and the verifier removes their code.
 */
#ifndef KMEMTRACE_FILTER_H
#define KMEMTRACE_FILTER_H

#include "caches.h"
#include "kernel_types.h"
#include "objects.h"
#include "ring.h"
#include "traced_addrs.h"

#include <bpf/bpf_core_read.h>

#define KMT_BLOCK_ORDER     10 /* x86's largest; all pages of such a block are sampled together */
#define KMT_CHUNK_ORDER     4  /* traced pages are kept in chunks of this order, one bit each */
#define KMT_CHUNK_PAGES     (1U << KMT_CHUNK_ORDER)
#define KMT_GROUP_KEY_SHIFT 52 /* above the bits of chunk keys; pointers have ones there */

/* The same address gives different keys in different groups. */
enum kmt_filter_group {
	KMT_FILTER_SLAB = 1,
	KMT_FILTER_PAGE = 2,
	KMT_FILTER_PERCPU = 4,
	KMT_FILTER_VMALLOC = 8,
};

/* A bit for each traced process; the loader sets the size. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, KMT_BPF_PIDS / 64);
	__type(key, __u32);
	__type(value, __u64);
} traced_pids SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_CGROUP_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} traced_cgroup SEC(".maps");

static __always_inline bool kmt_leave_out(struct kmt_bpf_ring *ring)
{
	__sync_fetch_and_add(&ring->left_out, 1);
	return false;
}

/* ---- threads ---- */

static __always_inline __u64 *kmt_pid_word(__u32 pid)
{
	__u32 at = pid / 64;

	return bpf_map_lookup_elem(&traced_pids, &at);
}

static __always_inline bool kmt_is_traced_pid(__u32 pid)
{
	const __u64 *word = kmt_pid_word(pid);

	return word && (*(const volatile __u64 *)word >> (pid % 64) & 1);
}

static __always_inline bool kmt_takes_current(__u32 context)
{
	if (!config.filter_pids && !config.filter_cgroup)
		return true;
	if (context != KMEMTRACE_CONTEXT_TASK)
		return false;
	if (config.filter_pids && !kmt_is_traced_pid(bpf_get_current_pid_tgid() >> 32))
		return false;
	return !config.filter_cgroup || bpf_current_task_under_cgroup(&traced_cgroup, 0) == 1;
}

/* A new process is traced if its creator is. Its id may have been that of another process. */
SEC("raw_tp/task_newtask")
int kmt_filter_newtask(struct bpf_raw_tracepoint_args *ctx)
{
	const struct task_struct *task = (const struct task_struct *)ctx->args[0];
	__u32 pid = BPF_CORE_READ(task, tgid);
	__u64 *word = kmt_pid_word(pid), bit = 1ULL << (pid % 64);

	if (!word || (__u32)BPF_CORE_READ(task, pid) != pid)
		return 0;
	if (kmt_is_traced_pid(bpf_get_current_pid_tgid() >> 32))
		__sync_fetch_and_or(word, bit);
	else
		__sync_fetch_and_and(word, ~bit);
	return 0;
}

/* ---- addresses ---- */

static __always_inline bool kmt_takes_block(__u64 pfn)
{
	return !config.sample_mask ||
	       !(kmt_hash_64(pfn >> KMT_BLOCK_ORDER, 32) & config.sample_mask);
}

/*
 * Returns whether @addr, which must not be freed yet, is in the sample. A large kmalloc() has whole
 * pages, which decide.
 */
__attribute__((noinline)) int kmt_takes_address(__u64 addr)
{
	__u64 offset = addr - state.linear_base;

	if (!config.sample_mask || !addr)
		return 1;
	if (!(offset & ((1ULL << config.page_shift) - 1)) && offset < state.linear_bytes &&
	    !kmt_is_in_slab(addr))
		return kmt_takes_block(offset >> config.page_shift);
	return !(kmt_hash_64(addr, 32) & config.sample_mask);
}

static __always_inline __u64 kmt_key(enum kmt_filter_group group, __u64 addr)
{
	return addr ^ (__u64)group << KMT_GROUP_KEY_SHIFT;
}

/* ---- pages ---- */

static __always_inline __u64 kmt_pfn(__u64 page)
{
	return (page - state.vmemmap) / bpf_core_type_size(struct page);
}

/* The chunks of a block of pages, with @bits in each; for the bodies of loops over them. */
struct kmt_chunks {
	__u64 key; /* of the first */
	__u64 bits;
	bool kept;
};

static long kmt_keep_chunk(__u32 i, struct kmt_chunks *chunks)
{
	kmt_traced_add_bits(chunks->key + ((__u64)i << KMT_CHUNK_PAGES), chunks->bits);
	return 0;
}

static long kmt_unkeep_chunk(__u32 i, struct kmt_chunks *chunks)
{
	if (kmt_traced_take_bits(chunks->key + ((__u64)i << KMT_CHUNK_PAGES), chunks->bits))
		chunks->kept = true;
	return 0;
}

/* Returns how many chunks the block is in. */
static __always_inline __u32 kmt_chunks_of(struct kmt_chunks *chunks, __u64 pfn, __u32 order)
{
	__u32 pages = 1U << (order < KMT_CHUNK_ORDER ? order : KMT_CHUNK_ORDER);

	/* 36 of the pfn's 40 bits, then 16 bits for the pages of the chunk. */
	chunks->key = kmt_key(KMT_FILTER_PAGE, pfn >> KMT_CHUNK_ORDER << KMT_CHUNK_PAGES);
	chunks->bits = ((1ULL << pages) - 1) << (pfn & (KMT_CHUNK_PAGES - pages));
	chunks->kept = false;
	return order <= KMT_CHUNK_ORDER ? 1 : 1U << ((order - KMT_CHUNK_ORDER) & 31);
}

static __always_inline void kmt_keep_pages(__u64 pfn, __u32 order)
{
	struct kmt_chunks chunks;
	__u32 count = kmt_chunks_of(&chunks, pfn, order);

	if (count == 1)
		kmt_keep_chunk(0, &chunks);
	else
		bpf_loop(count, kmt_keep_chunk, &chunks, 0);
}

/* Forgets the block's pages, and returns whether any of them was kept. */
static __always_inline bool kmt_unkeep_pages(__u64 pfn, __u32 order)
{
	struct kmt_chunks chunks;
	__u32 count = kmt_chunks_of(&chunks, pfn, order);

	if (count == 1)
		kmt_unkeep_chunk(0, &chunks);
	else
		bpf_loop(count, kmt_unkeep_chunk, &chunks, 0);
	return chunks.kept;
}

/* ---- whether an event is recorded; events that are left out are counted ---- */

static __always_inline bool kmt_takes_cache(struct kmt_bpf_ring *ring,
					    const struct kmem_cache *cache)
{
	return !config.cache[0] || (cache && kmt_cache_is_wanted(ring, cache));
}

/* @cache: 0: none. @bytes_req: 0: the object size of @cache. @addr: 0: the allocation failed. */
static __always_inline bool kmt_filter_alloc(struct kmt_bpf_ring *ring, __u32 context,
					     enum kmt_filter_group group, __u64 addr,
					     __u64 bytes_req, const struct kmem_cache *cache)
{
	if (!config.filters)
		return true;
	if (config.min_size && !bytes_req && cache)
		bytes_req = BPF_CORE_READ(cache, object_size);
	if (bytes_req < config.min_size || (config.sample_mask && !kmt_takes_address(addr)) ||
	    !kmt_takes_current(context) || !kmt_takes_cache(ring, cache))
		return kmt_leave_out(ring);
	if (config.keeps && addr)
		kmt_traced_add(kmt_key(group, addr));
	return true;
}

/* @forget: 0: the object will be freed later. */
static __always_inline bool kmt_filter_free(struct kmt_bpf_ring *ring, enum kmt_filter_group group,
					    __u64 addr, __u32 forget)
{
	if (!config.filters)
		return true;
	if (config.sample_mask && !kmt_takes_address(addr))
		return kmt_leave_out(ring);
	return !config.keeps || kmt_traced_has(kmt_key(group, addr), forget) || kmt_leave_out(ring);
}

/* @page: 0: the allocation failed. */
static __always_inline bool kmt_filter_pages_alloc(struct kmt_bpf_ring *ring, __u32 context,
						   __u64 page, __u32 order)
{
	__u64 pfn;

	if (!config.filters)
		return true;
	pfn = kmt_pfn(page);
	if (1ULL << config.page_shift << (order & 31) < config.min_size || config.cache[0] ||
	    (page && !kmt_takes_block(pfn)) || !kmt_takes_current(context))
		return kmt_leave_out(ring);
	if (page && config.keeps)
		kmt_keep_pages(pfn, order);
	return true;
}

static __always_inline bool kmt_filter_pages_free(struct kmt_bpf_ring *ring, __u64 page,
						  __u32 order)
{
	__u64 pfn;

	if (!config.filters)
		return true;
	pfn = kmt_pfn(page);
	if (config.cache[0] || !kmt_takes_block(pfn))
		return kmt_leave_out(ring);
	return !config.keeps || kmt_unkeep_pages(pfn, order) || kmt_leave_out(ring);
}

/*
 * For pages that are moved. *@outside gets KMEMTRACE_MOVE_FROM_OUTSIDE or _TO_OUTSIDE if one of the
 * two is not in the sample.
 */
static __always_inline bool kmt_filter_migrate(struct kmt_bpf_ring *ring, __u64 from, __u64 to,
					       __u32 order, __u32 *outside)
{
	bool takes_from, takes_to, kept_from, kept_to;

	if (!config.filters)
		return true;
	takes_from = kmt_takes_block(from);
	takes_to = kmt_takes_block(to);
	if (config.cache[0] || !(takes_from || takes_to))
		return kmt_leave_out(ring);
	*outside = (takes_from ? 0 : KMEMTRACE_MOVE_FROM_OUTSIDE) |
		   (takes_to ? 0 : KMEMTRACE_MOVE_TO_OUTSIDE);
	if (!config.keeps)
		return true;
	kept_from = takes_from && kmt_unkeep_pages(from, order);
	kept_to = takes_to && kmt_unkeep_pages(to, order);
	if (kept_from && takes_to)
		kmt_keep_pages(to, order);
	if (kept_to && takes_from)
		kmt_keep_pages(from, order);
	return kept_from || kept_to || kmt_leave_out(ring);
}

/* Events of the free lists and of compaction: only the thread counts. */
static __always_inline bool kmt_filter_thread(struct kmt_bpf_ring *ring, __u32 context)
{
	return kmt_takes_current(context) || kmt_leave_out(ring);
}

#endif /* KMEMTRACE_FILTER_H */

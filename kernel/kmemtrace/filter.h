/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Decides which events are recorded.
 *
 * The decision is made at the allocation, where the thread, the size and the cache are known. Any
 * thread may free the memory later, so the addresses of recorded allocations are kept, and a free
 * is recorded if its address is one of them. Without filters this costs a static branch.
 *
 *   threads (processes, a cgroup)  events in interrupts belong to no thread and are skipped
 *   cache                          only slab objects of the cache with this name
 *   size                           allocations of at least so many bytes
 *   sample                         one address in N; the free has the same address
 *
 * Pages may be freed in other units than they were allocated in. Each page is kept separately, and
 * a free that includes a kept page is recorded. With sampling, all pages of a block of
 * KMT_BLOCK_ORDER share one decision. Only gigantic pages are larger, as the page allocator has no
 * larger blocks: their allocation and free are recorded block by block, and for a migration the
 * first block decides.
 *
 * When pages are migrated, the kept states of source and destination are swapped. The sample
 * depends on the address, so a migration moves pages into and out of it: the event says which.
 */
#ifndef KMEMTRACE_FILTER_H
#define KMEMTRACE_FILTER_H

#include <linux/jump_label.h>
#include <linux/types.h>

#include "compat.h"
#include "sources.h"

struct kmem_cache;
struct page;
struct task_struct;

#define KMT_BLOCK_ORDER      KMT_MAX_PAGE_ORDER /* all pages of such a block are sampled together */
#define KMT_FILTER_CACHE_LEN 48
#define KMT_FILTER_PIDS_LEN  1024

/* The requested filters; changed under kmt_mutex while there are no buffers. */
struct kmt_filter_config {
	char pids[KMT_FILTER_PIDS_LEN];   /* separated by blanks or commas; empty: all */
	char cache[KMT_FILTER_CACHE_LEN]; /* a name; empty: all */
	u64 cgroup;                       /* inode number; 0: all */
	u32 size;                         /* bytes; 0: all */
	u32 sample;                       /* one address in N, a power of two */
};

extern struct kmt_filter_config kmt_filter_config;
DECLARE_STATIC_KEY_FALSE(kmt_filter_key);

/* Returns 0; -EINVAL; -EOPNOTSUPP: not on this kernel; -ENOMEM. May sleep. */
int kmt_filter_check(const struct kmt_filter_config *config);

/*
 * Selects processes, unless they are already selected. @begin registers the probe that calls
 * kmt_filter_newtask(), and returns 0 or -errno; @end unregisters it. In between, processes are
 * followed even while tracing is disabled. So no child is missed that a selected process starts in
 * a pause, and no new process is mistaken for one that has ended. Returns 0 or -errno. Under
 * kmt_mutex; may sleep, as the next ones.
 */
int kmt_filter_follow(int (*begin)(void));
void kmt_filter_unfollow(void (*end)(void));

int kmt_filter_start(void);    /* before probes are registered: 0 or -errno */
void kmt_filter_stop(void);    /* after probes are unregistered */
u64 kmt_filter_bytes(void);    /* memory held */
u64 kmt_filter_left_out(void); /* events since the start */

/* Slow paths of the functions below. */
bool __kmt_filter_alloc(enum kmt_group group, unsigned long addr, size_t bytes_req,
			struct kmem_cache *cache);
bool __kmt_filter_free(enum kmt_group group, unsigned long addr, bool forget);
bool __kmt_filter_thread(void);
bool __kmt_filter_pages_alloc(const struct page *page, unsigned int order);
bool __kmt_filter_pages_free(const struct page *page, unsigned int order);
bool __kmt_filter_migrate(const struct page *from, const struct page *to, unsigned int order,
			  u32 *outside);

/* @child, which the current thread created, is traced if its creator is. */
void kmt_filter_newtask(const struct task_struct *child);

/*
 * These return whether an event is recorded. From any context.
 *
 * @bytes_req: 0: the object size of @cache. @cache: NULL: none, or unknown. @addr: 0: the
 * allocation failed.
 */
static __always_inline bool kmt_filter_alloc(enum kmt_group group, unsigned long addr,
					     size_t bytes_req, struct kmem_cache *cache)
{
	return !static_branch_unlikely(&kmt_filter_key) ||
	       __kmt_filter_alloc(group, addr, bytes_req, cache);
}

static __always_inline bool kmt_filter_free(enum kmt_group group, unsigned long addr)
{
	return !static_branch_unlikely(&kmt_filter_key) || __kmt_filter_free(group, addr, true);
}

/* For events of the free lists and of compaction: only the thread matters. */
static __always_inline bool kmt_filter_thread(void)
{
	return !static_branch_unlikely(&kmt_filter_key) || __kmt_filter_thread();
}

/* Returns whether a free of @addr would be recorded, without forgetting @addr. */
static __always_inline bool kmt_filter_knows(enum kmt_group group, unsigned long addr)
{
	return !static_branch_unlikely(&kmt_filter_key) || __kmt_filter_free(group, addr, false);
}

static __always_inline bool kmt_filter_pages_alloc(const struct page *page, unsigned int order)
{
	return !static_branch_unlikely(&kmt_filter_key) || __kmt_filter_pages_alloc(page, order);
}

/* Returns whether a free of this order, of a gigantic page, is recorded block by block. */
static __always_inline bool kmt_filter_splits(unsigned int order)
{
	return static_branch_unlikely(&kmt_filter_key) && order > KMT_BLOCK_ORDER;
}

static __always_inline bool kmt_filter_pages_free(const struct page *page, unsigned int order)
{
	return !static_branch_unlikely(&kmt_filter_key) || __kmt_filter_pages_free(page, order);
}

/* Sets *@outside to KMEMTRACE_MOVE_FROM_OUTSIDE and _TO_OUTSIDE if these are not in the sample. */
static __always_inline bool kmt_filter_migrate(const struct page *from, const struct page *to,
					       unsigned int order, u32 *outside)
{
	return !static_branch_unlikely(&kmt_filter_key) ||
	       __kmt_filter_migrate(from, to, order, outside);
}

#endif /* KMEMTRACE_FILTER_H */

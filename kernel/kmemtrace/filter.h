/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Decides which events are recorded.
 *
 * The decision is made at the allocation, which has the thread, the size and the cache. Any thread
 * may free the memory later; so the addresses of recorded allocations are kept, and a free is
 * recorded if its address is among them. Without filters this costs one jump that is never taken.
 *
 *   threads (processes, a cgroup)  events in interrupts belong to no thread and are skipped
 *   cache                          slab objects of that name, and nothing else
 *   size                           allocations of at least so many bytes
 *   address                        one in N; needs no memory: the free has the same address
 *
 * Pages may be freed in other units than they were allocated in. Each page is kept by itself, and
 * a free that touches a kept page is recorded. With sampling, all pages of a block of
 * KMT_BLOCK_ORDER share one decision. Only gigantic pages are larger: their allocation and free
 * are reported block by block, and a migration goes by the first block.
 *
 * When the kernel migrates pages, the kept state of source and destination is swapped. The sample
 * goes by address, so pages enter and leave it: the event says which.
 */
#ifndef KMEMTRACE_FILTER_H
#define KMEMTRACE_FILTER_H

#include <linux/jump_label.h>
#include <linux/types.h>

#include "sources.h"

struct kmem_cache;
struct page;
struct task_struct;

#define KMT_BLOCK_ORDER      10 /* sampling: such blocks go together */
#define KMT_FILTER_CACHE_LEN 48
#define KMT_FILTER_PIDS_LEN  1024

/* The requested filters; changed under kmt_mutex while there are no buffers. */
struct kmt_filter_config {
	char pids[KMT_FILTER_PIDS_LEN];   /* numbers with spaces between; empty: all */
	char cache[KMT_FILTER_CACHE_LEN]; /* a name; empty: all */
	u64 cgroup;                       /* inode number; 0: all */
	u32 size;                         /* bytes; 0: all */
	u32 sample;                       /* one address in N, a power of two */
};

extern struct kmt_filter_config kmt_filter_config;
DECLARE_STATIC_KEY_FALSE(kmt_filter_key);

int kmt_filter_check(const struct kmt_filter_config *config);
/*
 * Before the probes are registered; it may sleep. @resumes: a session continues after a pause, with
 * those of the selected processes that have not ended.
 */
int kmt_filter_start(bool resumes);
void kmt_filter_stop(void);    /* after they are unregistered */
void kmt_filter_reset(void);   /* the session is over */
u64 kmt_filter_bytes(void);    /* memory held */
u64 kmt_filter_left_out(void); /* events, since the start */

bool __kmt_filter_alloc(enum kmt_group group, unsigned long addr, size_t bytes_req,
			struct kmem_cache *cache);
bool __kmt_filter_free(enum kmt_group group, unsigned long addr, bool forget);
bool __kmt_filter_thread(void);
bool __kmt_filter_pages_alloc(const struct page *page, unsigned int order);
bool __kmt_filter_pages_free(const struct page *page, unsigned int order);
bool __kmt_filter_migrate(const struct page *from, const struct page *to, unsigned int order,
			  u32 *outside);
void __kmt_filter_newtask(const struct task_struct *child);

/*
 * @bytes_req: 0: the size of an object of @cache. @cache: NULL if it has none, or it's not known.
 * An @addr of 0 has failed.
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

/* Filters events of the free lists and of compaction: by thread alone. */
static __always_inline bool kmt_filter_thread(void)
{
	return !static_branch_unlikely(&kmt_filter_key) || __kmt_filter_thread();
}

/* Returns whether a free of @addr would be recorded; does not forget @addr. */
static __always_inline bool kmt_filter_knows(enum kmt_group group, unsigned long addr)
{
	return !static_branch_unlikely(&kmt_filter_key) || __kmt_filter_free(group, addr, false);
}

static __always_inline bool kmt_filter_pages_alloc(const struct page *page, unsigned int order)
{
	return !static_branch_unlikely(&kmt_filter_key) || __kmt_filter_pages_alloc(page, order);
}

/* Returns whether a free of this order, a gigantic page, is recorded block by block. */
static __always_inline bool kmt_filter_splits(unsigned int order)
{
	return static_branch_unlikely(&kmt_filter_key) && order > KMT_BLOCK_ORDER;
}

static __always_inline bool kmt_filter_pages_free(const struct page *page, unsigned int order)
{
	return !static_branch_unlikely(&kmt_filter_key) || __kmt_filter_pages_free(page, order);
}

/* @outside gets KMEMTRACE_MOVE_FROM_OUTSIDE and _TO_OUTSIDE, for what the sample doesn't have. */
static __always_inline bool kmt_filter_migrate(const struct page *from, const struct page *to,
					       unsigned int order, u32 *outside)
{
	return !static_branch_unlikely(&kmt_filter_key) ||
	       __kmt_filter_migrate(from, to, order, outside);
}

/* Lets @child, created by the current thread, inherit its process filter. */
static __always_inline void kmt_filter_newtask(const struct task_struct *child)
{
	if (static_branch_unlikely(&kmt_filter_key))
		__kmt_filter_newtask(child);
}

#endif /* KMEMTRACE_FILTER_H */

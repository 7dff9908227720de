/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which events are written at all. What decides is known when something is allocated: who asks, how
 * much, of which cache. Its free may come from anybody; so the addresses of what was written are
 * kept, and a free is written if its address is. Without filters this costs a jump that is never
 * taken.
 *
 *   for threads (processes, a cgroup)  events in interrupts are nobody's, and left out
 *   of a cache                         slab objects of that name, and nothing else
 *   by size                            allocations of at least so much
 *   by address                         one address in N: needs no memory, as a free has the same
 *
 * Pages may be freed in other pieces than they were allocated in. Each is kept by itself, and a
 * free that touches one is written; with sampling all that lies in the same block of
 * KMT_BLOCK_ORDER has the same fate. Only gigantic pages are larger: what allocates and frees them
 * tells of each block by itself; where one is migrated, all of it goes by its first block.
 *
 * Where the kernel migrates pages, what is kept of the source and of the destination changes
 * places. The sample goes by address, so pages leave it and enter it: the event tells which.
 */
#ifndef KMEMTRACE_FILTER_H
#define KMEMTRACE_FILTER_H

#include <linux/jump_label.h>
#include <linux/types.h>

#include "paths.h"

struct kmem_cache;
struct page;
struct task_struct;

#define KMT_BLOCK_ORDER      10 /* sampling: such blocks go together */
#define KMT_FILTER_CACHE_LEN 48
#define KMT_FILTER_PIDS_LEN  1024

/* What is asked for; changed under kmt_mutex while there are no buffers. */
struct kmt_filter_config {
	char pids[KMT_FILTER_PIDS_LEN];   /* numbers with spaces between; empty: all */
	char cache[KMT_FILTER_CACHE_LEN]; /* a name; empty: all */
	u64 cgroup;                       /* inode number; 0: all */
	u32 size;                         /* bytes; 0: all */
	u32 sample;                       /* one address in so many, a power of two */
};

extern struct kmt_filter_config kmt_filter_config;
DECLARE_STATIC_KEY_FALSE(kmt_filter_key);

int kmt_filter_check(const struct kmt_filter_config *config);
/*
 * Before the probes are registered; it may sleep. @resumes: a session goes on after a pause, and of
 * the processes that are asked for those are traced that have not ended.
 */
int kmt_filter_start(bool resumes);
void kmt_filter_stop(void);    /* after they are gone */
void kmt_filter_reset(void);   /* the session is over */
u64 kmt_filter_bytes(void);    /* memory held */
u64 kmt_filter_left_out(void); /* events, since the start */

bool kmt_filter_takes_alloc(enum kmt_group group, unsigned long addr, size_t bytes_req,
			    struct kmem_cache *cache);
bool kmt_filter_takes_free(enum kmt_group group, unsigned long addr, bool forget);
bool kmt_filter_takes_move(void);
bool kmt_filter_takes_pages_alloc(const struct page *page, unsigned int order);
bool kmt_filter_takes_pages_free(const struct page *page, unsigned int order);
bool kmt_filter_takes_pages_move(const struct page *from, const struct page *to, unsigned int order,
				 u32 *outside);
void kmt_filter_follow(const struct task_struct *child);

/*
 * @bytes_req: 0: the size of an object of @cache. @cache: NULL if it has none, or it's not known.
 * An @addr of 0 has failed.
 */
static __always_inline bool kmt_filter_alloc(enum kmt_group group, unsigned long addr,
					     size_t bytes_req, struct kmem_cache *cache)
{
	return !static_branch_unlikely(&kmt_filter_key) ||
	       kmt_filter_takes_alloc(group, addr, bytes_req, cache);
}

static __always_inline bool kmt_filter_free(enum kmt_group group, unsigned long addr)
{
	return !static_branch_unlikely(&kmt_filter_key) || kmt_filter_takes_free(group, addr, true);
}

/* Pages that move between lists: of them only who moves them is looked at. */
static __always_inline bool kmt_filter_move(void)
{
	return !static_branch_unlikely(&kmt_filter_key) || kmt_filter_takes_move();
}

/* Whether its free would be written. */
static __always_inline bool kmt_filter_knows(enum kmt_group group, unsigned long addr)
{
	return !static_branch_unlikely(&kmt_filter_key) ||
	       kmt_filter_takes_free(group, addr, false);
}

static __always_inline bool kmt_filter_pages_alloc(const struct page *page, unsigned int order)
{
	return !static_branch_unlikely(&kmt_filter_key) ||
	       kmt_filter_takes_pages_alloc(page, order);
}

/* Whether the free of so many pages, as a gigantic page has, is one of several blocks. */
static __always_inline bool kmt_filter_splits(unsigned int order)
{
	return static_branch_unlikely(&kmt_filter_key) && order > KMT_BLOCK_ORDER;
}

static __always_inline bool kmt_filter_pages_free(const struct page *page, unsigned int order)
{
	return !static_branch_unlikely(&kmt_filter_key) || kmt_filter_takes_pages_free(page, order);
}

/* @outside gets KMEMTRACE_MOVE_FROM_OUTSIDE and _TO_OUTSIDE, for what the sample doesn't have. */
static __always_inline bool kmt_filter_pages_move(const struct page *from, const struct page *to,
						  unsigned int order, u32 *outside)
{
	return !static_branch_unlikely(&kmt_filter_key) ||
	       kmt_filter_takes_pages_move(from, to, order, outside);
}

/* @child was made by the current thread: it's traced if that is. */
static __always_inline void kmt_filter_newtask(const struct task_struct *child)
{
	if (static_branch_unlikely(&kmt_filter_key))
		kmt_filter_follow(child);
}

#endif /* KMEMTRACE_FILTER_H */

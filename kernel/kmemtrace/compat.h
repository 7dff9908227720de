/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Differences between kernel versions. No other file tests for a version. Each test names the
 * release that introduced the change.
 */
#ifndef KMEMTRACE_COMPAT_H
#define KMEMTRACE_COMPAT_H

#include <linux/fs.h>
#include <linux/mmzone.h>
#include <linux/slab.h>
#include <linux/version.h>

#include "arch.h"

/* Tracepoints had other arguments before. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 1, 0)
#error "kmemtrace needs Linux 6.1 or later"
#endif

/* The largest order of the page allocator. 6.8 renamed it; until 6.4 its maximum was exclusive. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 8, 0)
#define KMT_MAX_PAGE_ORDER MAX_PAGE_ORDER
#elif LINUX_VERSION_CODE >= KERNEL_VERSION(6, 4, 0)
#define KMT_MAX_PAGE_ORDER MAX_ORDER
#else
#define KMT_MAX_PAGE_ORDER (MAX_ORDER - 1)
#endif

/* 6.17 removed the last argument of subbuf_start(), the padding of the previous sub-buffer. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 17, 0)
#define KMT_SUBBUF_START_ARGS struct rchan_buf *buf, void *subbuf, void *prev_subbuf
#else
#define KMT_SUBBUF_START_ARGS                                                                      \
	struct rchan_buf *buf, void *subbuf, void *prev_subbuf, size_t prev_padding
#endif

/*
 * Functions without tracepoints are probed by ftrace if it passes all registers. Otherwise kprobes
 * are used, unless they raise an exception that counts as an NMI, as on x86.
 */
#if defined(CONFIG_KRETPROBES) && defined(CONFIG_KPROBES_ON_FTRACE) &&                             \
	defined(CONFIG_DYNAMIC_FTRACE_WITH_REGS)
#define KMT_CAN_ATTACH         1
#define KMT_ATTACHES_BY_FTRACE 1
#elif defined(CONFIG_KRETPROBES) && defined(CONFIG_ARM64)
#define KMT_CAN_ATTACH         1
#define KMT_ATTACHES_BY_FTRACE 0
#else
#define KMT_CAN_ATTACH         0
#define KMT_ATTACHES_BY_FTRACE 1
#endif

/*
 * User stacks also need the functions that notify perf of each mapping, and uprobes of each fork.
 */
#if KMT_CAN_ATTACH && defined(CONFIG_PERF_EVENTS) && defined(CONFIG_UPROBES)
#define KMT_HAS_USER_STACKS 1
#else
#define KMT_HAS_USER_STACKS 0
#endif

/*
 * The kernel unmaps all memory of processes by unmap_vmas(). Its third argument is the first
 * mapping, the next two are the range; since 6.19 or so they are in a structure that modules don't
 * know.
 */
#define KMT_UNMAP_TAKES_RANGE (LINUX_VERSION_CODE < KERNEL_VERSION(6, 19, 0))

/*
 * The path by which the user opened a file. With overlayfs, the mapped file is the underlying one,
 * which has had a path of its own since 6.8.
 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 8, 0)
#define kmt_file_path(file) file_user_path(file)
#else
#define kmt_file_path(file) (&(file)->f_path)
#endif

/* 6.6 added an accessor for the change time of an inode; 6.11 split the field. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 6, 0)
#define kmt_inode_ctime(inode) inode_get_ctime(inode)
#else
#define kmt_inode_ctime(inode) ((inode)->i_ctime)
#endif

/*
 * The functions behind krealloc() and kmem_cache_alloc_bulk(). In 6.10 these became macros, and the
 * functions got a suffix; without it, the name may belong to any other function. Since 6.18 the one
 * behind krealloc() also takes an alignment and a node.
 */
#ifdef krealloc_noprof
#define KMT_KREALLOC_SYMBOL   "krealloc_node_align_noprof"
#define KMT_KREALLOC_HAS_NODE 1
#define KMT_KREALLOC_GFP_ARG  3
#define KMT_KREALLOC_IS_KNOWN                                                                      \
	__builtin_types_compatible_p(typeof(krealloc_node_align_noprof),                           \
				     void *(const void *, size_t, unsigned long, gfp_t, int))
#else
#ifdef krealloc
#define KMT_KREALLOC_SYMBOL "krealloc_noprof"
#else
#define KMT_KREALLOC_SYMBOL "krealloc"
#endif
#define KMT_KREALLOC_GFP_ARG  2
#define KMT_KREALLOC_IS_KNOWN 1
#endif
#ifdef kmem_cache_alloc_bulk
#define KMT_BULK_OBJECTS_FUNC kmem_cache_alloc_bulk_noprof
#else
#define KMT_BULK_OBJECTS_FUNC kmem_cache_alloc_bulk
#endif

/* 6.13 replaced ksize() in krealloc() by the size of the cache's objects. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 13, 0)
#define KMT_KREALLOC_TAKES_OBJECT_SIZE 1
#endif

/*
 * kmem_cache_alloc_bulk() returned how many it allocated; since 7.1 or so, whether it allocated all
 * of them. Its type shows which.
 */
#define KMT_BULK_OBJECTS_RETURN_BOOL                                                               \
	__builtin_types_compatible_p(typeof(KMT_BULK_OBJECTS_FUNC),                                \
				     bool(struct kmem_cache *, gfp_t, size_t, void **))
#define KMT_BULK_OBJECTS_COUNT(returned, wanted)                                                   \
	(KMT_BULK_OBJECTS_RETURN_BOOL ? ((u8)(returned) ? (int)(wanted) : 0) : (int)(returned))

/*
 * Since 6.18 slabs have sheaves, arrays of free objects. kfree_rcu() fills one, too, which the slab
 * allocator frees by these functions, with this structure of its own. A kernel with PREEMPT_RT
 * does not.
 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 18, 0) && !defined(CONFIG_SLUB_TINY) &&                \
	!defined(CONFIG_PREEMPT_RT)
#define KMT_HAS_SHEAVES 1
struct kmt_sheaf {
	struct rcu_head rcu_head;
	struct kmem_cache *cache;
	unsigned int size; /* objects */
	int node;
	void *objects[];
};
#endif

/* 6.18 added kmalloc_nolock(), which later became a macro of a macro. It has no tracepoint. */
#ifdef kmalloc_nolock
#define KMT_HAS_NOLOCK 1
#ifdef kmalloc_nolock_noprof
#define KMT_NOLOCK_FUNC _kmalloc_nolock_noprof
#else
#define KMT_NOLOCK_FUNC kmalloc_nolock_noprof
#endif
#define KMT_NOLOCK_IS_KNOWN                                                                        \
	__builtin_types_compatible_p(typeof(KMT_NOLOCK_FUNC), void *(size_t, gfp_t, int))
#endif

/*
 * kvfree_call_rcu(head, second): since 6.3 or so the second argument is the object. Before, it was
 * the offset of the head in the object, or without a head the object. Its type shows which.
 */
#define KMT_KVFREE_RCU_TAKES_PTR                                                                   \
	__builtin_types_compatible_p(typeof(kvfree_call_rcu), void(struct rcu_head *, void *))
#define KMT_KVFREE_RCU_PTR(head, second)                                                           \
	((void *)(KMT_KVFREE_RCU_TAKES_PTR || !(head) ? (second) : (head) - (second)))

/*
 * alloc_pages_bulk_noprof(), before 6.10 __alloc_pages_bulk(), lost its list of pages in 6.14, and
 * its array moved to that argument's position. With the wrong position, an arbitrary register value
 * would be followed.
 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 10, 0)
#define KMT_BULK_PAGES_FUNC alloc_pages_bulk_noprof
#else
#define KMT_BULK_PAGES_FUNC __alloc_pages_bulk
#endif
#define KMT_BULK_PAGES_HAVE_LIST                                                                   \
	__builtin_types_compatible_p(                                                              \
		typeof(KMT_BULK_PAGES_FUNC),                                                       \
		unsigned long(gfp_t, int, nodemask_t *, int, struct list_head *, struct page **))
#define KMT_BULK_PAGES_HAVE_ARRAY                                                                  \
	__builtin_types_compatible_p(typeof(KMT_BULK_PAGES_FUNC),                                  \
				     unsigned long(gfp_t, int, nodemask_t *, int, struct page **))

/*
 * alloc_contig_range() became a macro in 6.10. Since 7.0 or so it calls a function that has other
 * callers as well, for pages without a reference count. The arguments are read from registers.
 */
#ifdef CONFIG_CONTIG_ALLOC
#if defined(alloc_contig_frozen_range)
#define KMT_CONTIG_RANGE_FUNC alloc_contig_frozen_range_noprof
#elif defined(alloc_contig_range)
#define KMT_CONTIG_RANGE_FUNC alloc_contig_range_noprof
#else
#define KMT_CONTIG_RANGE_FUNC alloc_contig_range
#endif
#define KMT_CONTIG_RANGE_IS_KNOWN                                                                  \
	__builtin_types_compatible_p(typeof(KMT_CONTIG_RANGE_FUNC),                                \
				     int(unsigned long, unsigned long, unsigned int, gfp_t))
#else
#define KMT_CONTIG_RANGE_IS_KNOWN 1
#endif

/*
 * Since 6.11 __kmalloc_large_node_noprof() has a tracepoint, in addition to those of its callers.
 * PASS_BUCKET_PARAMS came with the same release.
 */
#ifdef PASS_BUCKET_PARAMS
#define KMT_KMALLOC_LARGE_HAS_TWO_EVENTS
#endif

/*
 * Since 6.15 __kvmalloc_node_noprof() is one of these callers. Before, it called
 * __kmalloc_node_noprof(), which is one.
 */
#define KMT_KVMALLOC_IS_KMALLOC (LINUX_VERSION_CODE >= KERNEL_VERSION(6, 15, 0))

/*
 * The tracepoint task_newtask has had clone_flags in 64 bits since 6.18 or so. The type of its
 * probe shows which; trace/events/task.h must have been included where this is used.
 */
#define KMT_CLONE_FLAGS_ARE_U64                                                                    \
	__builtin_types_compatible_p(typeof(check_trace_callback_type_task_newtask),               \
				     void(void (*)(void *, struct task_struct *, u64)))
#define kmt_clone_flags_t typeof(__builtin_choose_expr(KMT_CLONE_FLAGS_ARE_U64, (u64)0, 0UL))

/* Since 7.2 the caller of a time snapshot chooses its clock. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(7, 2, 0)
#define kmt_get_snapshot(snapshot) ktime_get_snapshot_id(CLOCK_MONOTONIC, snapshot)
#else
#define kmt_get_snapshot(snapshot) ktime_get_snapshot(snapshot)
#endif

/* 6.4 split a module's memory by its content. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 4, 0)
#define KMT_MODULE_TEXT(module)      ((module)->mem[MOD_TEXT])
#define KMT_MODULE_INIT_TEXT(module) ((module)->mem[MOD_INIT_TEXT])
#else
#define KMT_MODULE_TEXT(module)      ((module)->core_layout)
#define KMT_MODULE_INIT_TEXT(module) ((module)->init_layout)
#endif

#endif /* KMEMTRACE_COMPAT_H */

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Paths without tracepoints, by probes on the functions themselves: objects and pages that are
 * allocated or freed many at once, and what is handed to RCU to be freed.
 *
 * Only probes that ftrace carries are used: others run as an exception that counts as an NMI. A
 * kernel without ftrace has none of these paths, and says so.
 */
#include <linux/bitmap.h>
#include <linux/build_bug.h>
#include <linux/gfp.h>
#include <linux/kprobes.h>
#include <linux/list.h>
#include <linux/mm_types.h>
#include <linux/moduleparam.h>
#include <linux/rcupdate.h>
#include <linux/seq_file.h>
#include <linux/slab.h>

#include "compat.h"
#include "cpu.h"
#include "defs.h"
#include "event.h"
#include "fill.h"
#include "filter.h"
#include "kmemtrace.h"
#include "paths.h"

#if defined(CONFIG_KRETPROBES) && defined(CONFIG_KPROBES_ON_FTRACE) && defined(CONFIG_X86_64)

#define KMT_BULK_PAGES_MAX	512	/* as many fit in a page; callers ask for 100 or so */
#define KMT_CALLS_ACTIVE	256	/* calls that may be under way at once, asleep or not */

static bool kmt_calls_wanted = true;
module_param_named(calls, kmt_calls_wanted, bool, 0600);
MODULE_PARM_DESC(calls, "0: leave out what has no tracepoint: bulk calls, kfree_rcu() (default 1)");

/* One function; what there are is at the end. */
struct kmt_call {
	struct kmt_path path;		/* the name by which it's told */
	const char *symbols[3];		/* names that it has had, the newest first */
	int (*enter)(struct kprobe *probe, struct pt_regs *regs);
	kretprobe_handler_t enter_return, leave;	/* or these */
	size_t data_size;
	struct kretprobe probe;		/* only its kp for the former */
	unsigned long missed;		/* calls that no handler saw, as far as they are told */
};

/*
 * A call isn't seen that comes while a handler of any probe runs on this CPU, nor one that comes
 * when KMT_CALLS_ACTIVE are under way. The kernel counts them; each is a loss, of an event or more.
 */
static unsigned long kmt_missed(const struct kmt_call *call)
{
	return READ_ONCE(call->probe.kp.nmissed) + READ_ONCE(call->probe.nmissed);
}

static void kmt_tell_missed(struct kmt_call *call)
{
	unsigned long told = READ_ONCE(call->missed), missed;

	smp_rmb();	/* the sum isn't older than what is told of it */
	missed = kmt_missed(call);
	if (likely((long)(missed - told) <= 0) || cmpxchg(&call->missed, told, missed) != told)
		return;
	this_cpu_add(kmt_cpu.lost[KMEMTRACE_LOSS_RECURSION], missed - told);
}

static struct kmt_call *kmt_call_of(struct kretprobe_instance *instance)
{
	return container_of(get_kretprobe(instance), struct kmt_call, probe);
}

/* Where the function was called from: its return address is on top of the stack. */
static struct kmt_here kmt_call_here(const struct pt_regs *regs)
{
	return (struct kmt_here){
		.ip = *(unsigned long *)regs->sp, .sp = regs->sp + sizeof(long), .bp = regs->bp,
	};
}

static struct kmt_origin kmt_call_origin(struct pt_regs *regs)
{
	struct kmt_here here = kmt_call_here(regs);

	return kmt_event_origin_of_call(&here, regs);
}

/* ---- kmem_cache_alloc_bulk(cache, gfp, count, ptrs): how many it returns ---- */

struct kmt_bulk_objects {
	struct kmem_cache *cache;
	void **ptrs;
	gfp_t gfp;
	struct kmt_origin origin;
};

static int kmt_enter_alloc_bulk(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	struct kmt_bulk_objects *bulk = (void *)instance->data;

	kmt_tell_missed(kmt_call_of(instance));
	bulk->cache = (void *)regs->di;
	bulk->gfp = (__force gfp_t)regs->si;
	bulk->ptrs = (void *)regs->cx;
	bulk->origin = kmt_call_origin(regs);
	return 0;
}

static int kmt_leave_alloc_bulk(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	const struct kmt_bulk_objects *bulk = (void *)instance->data;
	struct kmt_cache_ref ref = kmt_cache_lookup(bulk->cache);
	int i, count = (int)regs_return_value(regs);

	for (i = 0; i < count; i++) {
		struct kmt_event event;

		if (!kmt_filter_alloc(KMT_GROUP_SLAB, (unsigned long)bulk->ptrs[i], 0,
				      bulk->cache) ||
		    !kmt_event_begin_known(&event, bulk->origin))
			continue;
		kmt_fill_object(event.record, bulk->ptrs[i], ref.object_size, ref.object_size,
				bulk->gfp, NUMA_NO_NODE, ref.id);
		kmt_event_end(&event, KMEMTRACE_EVENT_CACHE_ALLOC);
	}
	return 0;
}

/* ---- kmem_cache_free_bulk(cache, count, ptrs), kfree_bulk() with a cache of NULL ---- */

static int kmt_enter_free_bulk(struct kprobe *probe, struct pt_regs *regs)
{
	struct kmem_cache *cache = (void *)regs->di;
	size_t i, count = regs->si;
	void **ptrs = (void *)regs->dx;
	struct kmt_origin origin;
	u16 id;

	kmt_tell_missed(container_of(probe, struct kmt_call, probe.kp));
	origin = kmt_call_origin(regs);
	id = cache ? kmt_cache_lookup(cache).id : KMEMTRACE_CACHE_NONE;
	for (i = 0; i < count; i++) {
		struct kmt_event event;

		if (ZERO_OR_NULL_PTR(ptrs[i]) ||
		    !kmt_filter_free(KMT_GROUP_SLAB, (unsigned long)ptrs[i]) ||
		    !kmt_event_begin_known(&event, origin))
			continue;
		kmt_fill_freed(event.record, ptrs[i], id);
		kmt_event_end(&event, cache ? KMEMTRACE_EVENT_CACHE_FREE : KMEMTRACE_EVENT_KFREE);
	}
	return 0;
}

/* ---- kvfree_call_rcu(): the object is told in one way or the other ---- */

static int kmt_enter_kfree_rcu(struct kprobe *probe, struct pt_regs *regs)
{
	const void *ptr = KMT_KVFREE_RCU_PTR(regs->di, regs->si);
	struct kmt_event event;

	kmt_tell_missed(container_of(probe, struct kmt_call, probe.kp));
	if (!kmt_filter_knows(KMT_GROUP_SLAB, (unsigned long)ptr) ||
	    !kmt_event_begin_known(&event, kmt_call_origin(regs)))
		return 0;
	kmt_fill_freed(event.record, ptr, KMEMTRACE_CACHE_NONE);
	kmt_event_end(&event, KMEMTRACE_EVENT_KFREE_RCU);
	return 0;
}

/* ---- alloc_pages_bulk(gfp, nid, nodemask, count, [list,] array): how many there are then ---- */

struct kmt_bulk_pages {
	struct list_head *list;		/* new pages are put at its start */
	struct page **array;		/* or in this, where there is none */
	gfp_t gfp;
	struct kmt_origin origin;
	DECLARE_BITMAP(empty, KMT_BULK_PAGES_MAX);	/* places that were */
};

static int kmt_enter_pages_bulk(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	struct kmt_bulk_pages *bulk = (void *)instance->data;
	unsigned int i, count = min_t(unsigned long, regs->cx, KMT_BULK_PAGES_MAX);

	if (!READ_ONCE(kmt_covered.size))
		return 1;	/* mm_page_alloc tells of its pages */
	kmt_tell_missed(kmt_call_of(instance));
	bulk->gfp = (__force gfp_t)regs->di;
	BUILD_BUG_ON(!KMT_BULK_PAGES_HAVE_LIST && !KMT_BULK_PAGES_HAVE_ARRAY);
	bulk->list = KMT_BULK_PAGES_HAVE_LIST ? (void *)regs->r8 : NULL;
	bulk->array = (void *)(KMT_BULK_PAGES_HAVE_LIST ? regs->r9 : regs->r8);
	bulk->origin = kmt_call_origin(regs);
	bitmap_zero(bulk->empty, KMT_BULK_PAGES_MAX);
	for (i = 0; bulk->array && i < count; i++) {
		if (!bulk->array[i])
			__set_bit(i, bulk->empty);
	}
	return 0;
}

static void kmt_tell_bulk_page(const struct kmt_bulk_pages *bulk, const struct page *page)
{
	struct kmt_event event;

	if (!kmt_filter_pages_alloc(page, 0) || !kmt_event_begin_known(&event, bulk->origin))
		return;
	kmt_fill_pages(event.record, page, 0, PAGE_SIZE, PAGE_SIZE, bulk->gfp, 0xff);
	kmt_event_end(&event, KMEMTRACE_EVENT_PAGE_ALLOC);
}

static int kmt_leave_pages_bulk(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	const struct kmt_bulk_pages *bulk = (void *)instance->data;
	unsigned long i = 0, count = regs_return_value(regs);
	struct page *page;

	if (bulk->array) {
		for_each_set_bit(i, bulk->empty, min_t(unsigned long, count, KMT_BULK_PAGES_MAX)) {
			if (bulk->array[i])
				kmt_tell_bulk_page(bulk, bulk->array[i]);
		}
	} else if (bulk->list) {
		list_for_each_entry(page, bulk->list, lru) {
			if (i++ == count)
				break;
			kmt_tell_bulk_page(bulk, page);
		}
	}
	return 0;
}

/* ---- the table ---- */

static struct kmt_call kmt_calls[] = {
	{
		.path = { "kmem_cache_free_bulk", KMT_GROUP_SLAB },
		.symbols = { "kmem_cache_free_bulk" },
		.enter = kmt_enter_free_bulk,
	}, {
		.path = { "kfree_rcu", KMT_GROUP_SLAB },
		.symbols = { "kvfree_call_rcu" },
		.enter = kmt_enter_kfree_rcu,
	}, {
		.path = { "kmem_cache_alloc_bulk", KMT_GROUP_SLAB },
		.symbols = { "kmem_cache_alloc_bulk_noprof", "kmem_cache_alloc_bulk" },
		.enter_return = kmt_enter_alloc_bulk,
		.leave = kmt_leave_alloc_bulk,
		.data_size = sizeof(struct kmt_bulk_objects),
	}, {
		.path = { "alloc_pages_bulk", KMT_GROUP_PAGE },
		.symbols = { "alloc_pages_bulk_noprof", "__alloc_pages_bulk" },
		.enter_return = kmt_enter_pages_bulk,
		.leave = kmt_leave_pages_bulk,
		.data_size = sizeof(struct kmt_bulk_pages),
	},
};

/*
 * Set while calls are told when they return. One that began before, and isn't, may lose pages that
 * the kernel allocated in it one by one: they count as allocated before the trace.
 */
struct kmt_covered kmt_covered;

static int kmt_call_register_as(struct kmt_call *call, const char *symbol)
{
	struct kretprobe *probe = &call->probe;

	memset(probe, 0, sizeof(*probe));	/* what an earlier registration left */
	call->missed = 0;
	probe->kp.symbol_name = symbol;
	if (call->enter) {
		probe->kp.pre_handler = call->enter;
		return register_kprobe(&probe->kp);
	}
	probe->entry_handler = call->enter_return;
	probe->handler = call->leave;
	probe->data_size = call->data_size;
	probe->maxactive = KMT_CALLS_ACTIVE;
	return register_kretprobe(probe);
}

static void kmt_call_unregister(struct kmt_call *call)
{
	if (call->enter)
		unregister_kprobe(&call->probe.kp);
	else
		unregister_kretprobe(&call->probe);
	call->path.on = false;
}

static void kmt_call_register(struct kmt_call *call)
{
	unsigned int i;
	int ret = -ENOENT;

	for (i = 0; ret && i < ARRAY_SIZE(call->symbols) && call->symbols[i]; i++)
		ret = kmt_call_register_as(call, call->symbols[i]);
	call->path.on = !ret;
	call->path.unseen = NULL;
	if (ret) {
		call->path.unseen = ret == -ENOENT ? "this kernel has no such function"
						   : "its function can't be probed";
	} else if (!kprobe_ftrace(&call->probe.kp)) {
		kmt_call_unregister(call);
		call->path.unseen = "its function can't be probed by ftrace";
	}
}

void kmt_calls_register(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(kmt_calls); i++) {
		struct kmt_call *call = &kmt_calls[i];

		if (call->path.on || !kmt_calls_wanted ||
		    !(kmt_config.events & call->path.group))
			continue;
		kmt_call_register(call);
		if (call->path.on && call->leave == kmt_leave_pages_bulk) {
			kmt_covered.start = (unsigned long)call->probe.kp.addr;
			WRITE_ONCE(kmt_covered.size, kmt_function_size(kmt_covered.start));
		}
	}
}

void kmt_calls_forget_missed(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(kmt_calls); i++)
		kmt_calls[i].missed = kmt_missed(&kmt_calls[i]);
}

void kmt_calls_tell_missed(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(kmt_calls); i++) {
		if (kmt_calls[i].path.on)
			kmt_tell_missed(&kmt_calls[i]);
	}
}

void kmt_calls_unregister(void)
{
	unsigned int i = ARRAY_SIZE(kmt_calls);

	WRITE_ONCE(kmt_covered.size, 0);
	while (i--) {
		if (kmt_calls[i].path.on)
			kmt_call_unregister(&kmt_calls[i]);
	}
}

void kmt_calls_show(struct seq_file *seq)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(kmt_calls); i++)
		kmt_path_show(seq, &kmt_calls[i].path);
}

#else

static struct kmt_path kmt_no_calls[] = {
	{ "kmem_cache_free_bulk",	KMT_GROUP_SLAB },
	{ "kfree_rcu",			KMT_GROUP_SLAB },
	{ "kmem_cache_alloc_bulk",	KMT_GROUP_SLAB },
	{ "alloc_pages_bulk",		KMT_GROUP_PAGE },
};

struct kmt_covered kmt_covered;

void kmt_calls_register(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(kmt_no_calls); i++)
		kmt_no_calls[i].unseen = "this kernel has no probes on functions by ftrace";
}

void kmt_calls_forget_missed(void)
{
}

void kmt_calls_tell_missed(void)
{
}

void kmt_calls_unregister(void)
{
}

void kmt_calls_show(struct seq_file *seq)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(kmt_no_calls); i++)
		kmt_path_show(seq, &kmt_no_calls[i]);
}

#endif

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Records paths without tracepoints, by probes on the functions themselves: those of the slab
 * allocator (slab_functions.c), and here bulk allocations of pages, ranges of pages, and page
 * migrations. attach.c attaches the probes.
 */
#include <linux/bitmap.h>
#include <linux/build_bug.h>
#include <linux/gfp.h>
#include <linux/kprobes.h>
#include <linux/list.h>
#include <linux/log2.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/mm_types.h>
#include <linux/moduleparam.h>
#include <linux/seq_file.h>
#include <linux/stringify.h>

#include "attach.h"
#include "clock.h"
#include "compat.h"
#include "cpu.h"
#include "event.h"
#include "fill_record.h"
#include "filter.h"
#include "function_entry.h"
#include "function_probes.h"
#include "function_size.h"
#include "kmemtrace.h"
#include "missed_calls.h"
#include "slab_functions.h"
#include "sources.h"

#if KMT_CAN_ATTACH

#define KMT_BULK_SLOTS 512 /* entries of a page array that are noted; 100 or so are usual */

static bool kmt_function_probes_wanted = true;
module_param_named(calls, kmt_function_probes_wanted, bool, 0600);
MODULE_PARM_DESC(
	calls,
	"0: skip functions without tracepoints: bulk calls, kfree_rcu(), krealloc() in place, ranges and migration of pages (default 1)");

/* ---- alloc_pages_bulk(gfp, nid, nodemask, count, [list,] array): returns the new count ---- */

/*
 * The function fills the empty entries of the array in order, up to the count that it returns. So
 * the entries that were empty show which pages are new. For entries more than KMT_BULK_SLOTS after
 * the first empty one, it's only known how many had a page; usually none had.
 */
struct kmt_bulk_pages {
	struct list_head *list; /* new pages are added at its start */
	struct page **array;    /* or to the empty entries of this array */
	unsigned long count;    /* entries of the array */
	unsigned long first;    /* index of the first empty entry */
	unsigned long full;     /* how many entries after the noted ones had a page */
	gfp_t gfp;
	struct kmt_origin origin;
	DECLARE_BITMAP(empty, KMT_BULK_SLOTS); /* noted entries that were, from the first on */
};

static unsigned long kmt_count_full(struct page **from, struct page **to)
{
	unsigned long full = 0;

	while (from < to)
		full += *from++ != NULL;
	return full;
}

static void kmt_note_empty(struct kmt_bulk_pages *bulk)
{
	unsigned long i, known;

	bitmap_zero(bulk->empty, KMT_BULK_SLOTS);
	for (bulk->first = 0; bulk->first < bulk->count; bulk->first++) {
		if (!bulk->array[bulk->first])
			break;
	}
	known = min_t(unsigned long, bulk->count - bulk->first, KMT_BULK_SLOTS);
	for (i = 0; i < known; i++) {
		if (!bulk->array[bulk->first + i])
			__set_bit(i, bulk->empty);
	}
	bulk->full = kmt_count_full(bulk->array + bulk->first + known, bulk->array + bulk->count);
}

static int kmt_enter_pages_bulk(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	struct kmt_bulk_pages *bulk = (void *)instance->data;

	if (!READ_ONCE(kmt_bulk_pages_code.size))
		return 1; /* mm_page_alloc records its pages */
	kmt_missed_report(kmt_function_probe_of(instance));
	bulk->gfp = (__force gfp_t)kmt_arg(regs, 0);
	BUILD_BUG_ON(!KMT_BULK_PAGES_HAVE_LIST && !KMT_BULK_PAGES_HAVE_ARRAY);
	bulk->list = KMT_BULK_PAGES_HAVE_LIST ? (void *)kmt_arg(regs, 4) : NULL;
	bulk->array = (void *)(KMT_BULK_PAGES_HAVE_LIST ? kmt_arg(regs, 5) : kmt_arg(regs, 4));
	bulk->count = max((int)kmt_arg(regs, 3), 0);
	bulk->origin = kmt_entry_origin(regs);
	if (bulk->array)
		kmt_note_empty(bulk);
	return 0;
}

static void kmt_record_block(const struct page *page, unsigned int order, gfp_t gfp,
			     struct kmt_origin origin)
{
	const u32 bytes = (u32)PAGE_SIZE << order;
	struct kmt_event event;

	if (!kmt_filter_pages_alloc(page, order) || !kmt_event_begin_known(&event, origin))
		return;
	kmt_fill_pages(event.record, page, order, bytes, bytes, gfp, 0xff);
	kmt_event_end(&event, KMEMTRACE_EVENT_PAGE_ALLOC);
}

static void kmt_record_bulk_page(const struct kmt_bulk_pages *bulk, const struct page *page)
{
	kmt_record_block(page, 0, bulk->gfp, bulk->origin);
}

/* @count: entries from the first on that have pages now. */
static void kmt_record_bulk_array(const struct kmt_bulk_pages *bulk, unsigned long count)
{
	struct page **places = bulk->array + bulk->first;
	unsigned long i;

	for_each_set_bit(i, bulk->empty, min_t(unsigned long, count, KMT_BULK_SLOTS))
	{
		if (places[i])
			kmt_record_bulk_page(bulk, places[i]);
	}
	if (count <= KMT_BULK_SLOTS)
		return;
	if (!bulk->full) {
		for (i = KMT_BULK_SLOTS; i < count; i++)
			kmt_record_bulk_page(bulk, places[i]);
		return;
	}
	/*
	 * Only the number of new pages is known, not which ones they are. Entries after @count are
	 * unchanged.
	 */
	i = bulk->full - kmt_count_full(places + count, bulk->array + bulk->count);
	kmt_chan_count_lost_any_context(KMEMTRACE_LOSS_RECURSION, count - KMT_BULK_SLOTS - i);
}

static int kmt_leave_pages_bulk(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	const struct kmt_bulk_pages *bulk = (void *)instance->data;
	unsigned long i = 0, count = regs_return_value(regs);
	struct page *page;

	if (bulk->array && count > bulk->first && count <= bulk->count) {
		kmt_record_bulk_array(bulk, count - bulk->first);
	} else if (!bulk->array && bulk->list) {
		list_for_each_entry(page, bulk->list, lru) {
			if (i++ == count)
				break;
			kmt_record_bulk_page(bulk, page);
		}
	}
	return 0;
}

#ifdef CONFIG_CONTIG_ALLOC

/* ---- alloc_contig_range(start, end, type, gfp): returns 0 or an error ---- */

struct kmt_range {
	unsigned long start, end; /* page frame numbers */
	gfp_t gfp;
	struct kmt_origin origin;
};

static int kmt_enter_range(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	struct kmt_range *range = (void *)instance->data;

	BUILD_BUG_ON(!KMT_CONTIG_RANGE_IS_KNOWN);
	kmt_missed_report(kmt_function_probe_of(instance));
	range->start = kmt_arg(regs, 0);
	range->end = kmt_arg(regs, 1);
	range->gfp = (__force gfp_t)kmt_arg(regs, 3);
	range->origin = kmt_entry_origin(regs);
	return 0;
}

/*
 * Records blocks that are aligned to their size and lie in one block of the sample. A range that
 * isn't available is not a failed allocation: callers try the next one.
 */
static int kmt_leave_range(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	const struct kmt_range *range = (void *)instance->data;
	unsigned long pfn = range->start;
	unsigned int order;

	if ((int)regs_return_value(regs))
		return 0;
	for (; pfn < range->end; pfn += 1UL << order) {
		order = min_t(unsigned int, __ffs(pfn | 1UL << KMT_BLOCK_ORDER),
			      ilog2(range->end - pfn));
		kmt_record_block(pfn_to_page(pfn), order, range->gfp, range->origin);
	}
	return 0;
}

#endif /* CONFIG_CONTIG_ALLOC */

#ifdef CONFIG_MIGRATION

/*
 * ---- folio_migrate_flags(to, from): called once for each migration, when it can't fail any more,
 * and before the source is freed ----
 */

static void kmt_enter_migrate(struct pt_regs *regs)
{
	struct folio *to = (void *)kmt_arg(regs, 0), *from = (void *)kmt_arg(regs, 1);
	unsigned int order = folio_order(from);
	struct kmt_event event;
	u32 outside = 0;

	if (!kmt_filter_migrate(&from->page, &to->page, order, &outside) ||
	    !kmt_event_begin_known(&event, kmt_entry_origin(regs)))
		return;
	kmt_fill_move(event.record, &from->page, &to->page, order, outside);
	kmt_event_end(&event, KMEMTRACE_EVENT_PAGE_MOVE);
}

#endif /* CONFIG_MIGRATION */

/*
 * ---- the table: functions that free come first ----
 *
 * A function that is probed at its entry has .enter; one that is probed at its return has
 * .enter_return, .leave and .data_size.
 */

static const char kmt_other_args[] = "its arguments are others in this kernel";

static struct kmt_function_probe kmt_function_probes[] = {
	{
		.source = { "kmem_cache_free_bulk", KMT_GROUP_SLAB },
		.symbol = "kmem_cache_free_bulk",
		.enter = kmt_enter_free_bulk,
	},
	{
		.source = { "kfree_rcu", KMT_GROUP_SLAB | KMT_GROUP_VMALLOC },
		.symbol = "kvfree_call_rcu",
		.enter = kmt_enter_kfree_rcu,
	},
#ifdef KMT_HAS_SHEAVES
	{
		.source = { "rcu_free_sheaf", KMT_GROUP_SLAB },
		.symbol = "rcu_free_sheaf",
		.enter = kmt_enter_sheaf,
	},
	{
		.source = { "rcu_free_sheaf_nobarn", KMT_GROUP_SLAB },
		.symbol = "rcu_free_sheaf_nobarn",
		.enter = kmt_enter_sheaf,
	},
#endif
#ifdef CONFIG_MIGRATION
	{
		.source = { "folio_migrate_flags", KMT_GROUP_PAGE },
		.symbol = "folio_migrate_flags",
		.enter = kmt_enter_migrate,
	},
#endif
	{
		.source = { "kmem_cache_alloc_bulk", KMT_GROUP_SLAB },
		.symbol = __stringify(KMT_BULK_OBJECTS_FUNC),
		.enter_return = kmt_enter_alloc_bulk,
		.leave = kmt_leave_alloc_bulk,
		.data_size = sizeof(struct kmt_bulk_objects),
	},
	{
		.source = { "krealloc", KMT_GROUP_SLAB },
		.symbol = KMT_KREALLOC_SYMBOL,
		.unseen = KMT_KREALLOC_IS_KNOWN ? NULL : kmt_other_args,
		.enter = kmt_enter_krealloc,
	},
#ifdef KMT_HAS_NOLOCK
	{
		.source = { "kfree_nolock", KMT_GROUP_SLAB },
		.symbol = "kfree_nolock",
		.enter = kmt_enter_kfree_nolock,
	},
	{
		.source = { "kmalloc_nolock", KMT_GROUP_SLAB },
		.symbol = __stringify(KMT_NOLOCK_FUNC),
		.unseen = KMT_NOLOCK_IS_KNOWN ? NULL : kmt_other_args,
		.enter_return = kmt_enter_nolock,
		.leave = kmt_leave_nolock,
		.data_size = sizeof(struct kmt_nolock),
	},
#endif
	{
		.source = { "alloc_pages_bulk", KMT_GROUP_PAGE },
		.symbol = __stringify(KMT_BULK_PAGES_FUNC),
		.enter_return = kmt_enter_pages_bulk,
		.leave = kmt_leave_pages_bulk,
		.data_size = sizeof(struct kmt_bulk_pages),
	},
#ifdef CONFIG_CONTIG_ALLOC
	{
		.source = { "alloc_contig_range", KMT_GROUP_PAGE },
		.symbol = __stringify(KMT_CONTIG_RANGE_FUNC),
		.enter_return = kmt_enter_range,
		.leave = kmt_leave_range,
		.data_size = sizeof(struct kmt_range),
	},
#endif
};

/*
 * Set while returns are probed. A call that began earlier isn't probed, and may lose pages that the
 * kernel allocated in it one by one: they count as allocated before the trace. So do pages that are
 * allocated between the time when kprobes are switched off and the time when that is noticed.
 */
struct kmt_code kmt_bulk_pages_code;

static void kmt_note_code(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(kmt_function_probes); i++) {
		const struct kmt_function_probe *function = &kmt_function_probes[i];

		if (function->leave == kmt_leave_alloc_bulk)
			kmt_bulk_objects_code = function->code;
		if (function->leave != kmt_leave_pages_bulk || !function->source.on ||
		    function->source.unseen)
			continue;
		kmt_bulk_pages_code.start = function->code.start;
		smp_wmb(); /* a reader that sees a size sees its start */
		WRITE_ONCE(kmt_bulk_pages_code.size, function->code.size);
	}
}

/*
 * In a trace that began in early boot: until when the functions weren't probed. Empty: they were
 * probed from the start.
 */
static char kmt_late_reason[48];

static void kmt_note_late(void)
{
	unsigned int i;

	for (i = 0; kmt_late_reason[0] && i < ARRAY_SIZE(kmt_function_probes); i++) {
		if (kmt_function_probes[i].source.on && !kmt_function_probes[i].source.unseen)
			kmt_function_probes[i].source.unseen = kmt_late_reason;
	}
}

void kmt_function_probes_register(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(kmt_function_probes); i++) {
		struct kmt_function_probe *function = &kmt_function_probes[i];

		function->wanted =
			kmt_function_probes_wanted && (kmt_config.events & function->source.group);
	}
	kmt_attach(kmt_function_probes, ARRAY_SIZE(kmt_function_probes), kmt_config.user_stacks);
	kmt_note_code();
	kmt_note_late();
}

void kmt_function_probes_register_late(void)
{
	u32 ms;
	u64 s;

	kmt_function_probes_register();
	s = div_u64_rem(div_u64(kmt_clock_ns(), NSEC_PER_MSEC), MSEC_PER_SEC, &ms);
	snprintf(kmt_late_reason, sizeof(kmt_late_reason), "until %llu.%03us after boot", s, ms);
	kmt_note_late();
}

void kmt_function_probes_forget_late(void)
{
	kmt_late_reason[0] = 0;
}

/* mm_page_alloc also records pages that aren't known to come from alloc_pages_bulk(). */
static void kmt_note_hidden_callers(void)
{
	const char *why = kmt_stack_hides();
	unsigned int i;

	for (i = 0; why && i < ARRAY_SIZE(kmt_function_probes); i++) {
		struct kmt_source *source = &kmt_function_probes[i].source;

		if (kmt_function_probes[i].leave == kmt_leave_pages_bulk && source->on &&
		    !source->unseen)
			source->unseen = why;
	}
}

/* Objects in a sheaf with an unknown layout are freed unseen. */
static void kmt_note_other_sheaves(void)
{
#ifdef KMT_HAS_SHEAVES
	unsigned int i;

	for (i = 0; READ_ONCE(kmt_sheaf_is_other) && i < ARRAY_SIZE(kmt_function_probes); i++) {
		if (kmt_function_probes[i].enter == kmt_enter_sheaf)
			kmt_function_probes[i].source.unseen =
				"sheaves are different in this kernel";
	}
#endif
}

void kmt_function_probes_check(void)
{
	kmt_attach_check(kmt_function_probes, ARRAY_SIZE(kmt_function_probes));
	kmt_note_other_sheaves();
	kmt_note_hidden_callers();
	if (kmt_attach_kprobe_error())
		WRITE_ONCE(kmt_bulk_pages_code.size, 0); /* mm_page_alloc records its pages */
}

void kmt_function_probes_unregister(void)
{
	WRITE_ONCE(kmt_bulk_pages_code.size, 0);
	kmt_detach(kmt_function_probes, ARRAY_SIZE(kmt_function_probes));
}

void kmt_function_probes_forget_missed(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(kmt_function_probes); i++)
		kmt_missed_forget(&kmt_function_probes[i]);
}

void kmt_function_probes_report_missed(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(kmt_function_probes); i++)
		kmt_missed_report_last(&kmt_function_probes[i]);
}

void kmt_function_probes_show(struct seq_file *seq)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(kmt_function_probes); i++)
		kmt_source_show(seq, &kmt_function_probes[i].source);
}

#else

static struct kmt_source kmt_missing_functions[] = {
	{ "kmem_cache_free_bulk", KMT_GROUP_SLAB },
	{ "kfree_rcu", KMT_GROUP_SLAB | KMT_GROUP_VMALLOC },
	{ "kmem_cache_alloc_bulk", KMT_GROUP_SLAB },
	{ "krealloc", KMT_GROUP_SLAB },
	{ "alloc_pages_bulk", KMT_GROUP_PAGE },
#ifdef CONFIG_CONTIG_ALLOC
	{ "alloc_contig_range", KMT_GROUP_PAGE },
#endif
#ifdef CONFIG_MIGRATION
	{ "folio_migrate_flags", KMT_GROUP_PAGE },
#endif
};

struct kmt_code kmt_bulk_pages_code;

void kmt_function_probes_register(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(kmt_missing_functions); i++)
		kmt_missing_functions[i].unseen = "this kernel cannot probe functions with ftrace";
}

void kmt_function_probes_register_late(void)
{
	kmt_function_probes_register();
}

void kmt_function_probes_forget_late(void)
{
}

void kmt_function_probes_check(void)
{
}

void kmt_function_probes_forget_missed(void)
{
}

void kmt_function_probes_report_missed(void)
{
}

void kmt_function_probes_unregister(void)
{
}

void kmt_function_probes_show(struct seq_file *seq)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(kmt_missing_functions); i++)
		kmt_source_show(seq, &kmt_missing_functions[i]);
}

#endif

// SPDX-License-Identifier: GPL-2.0-only
/*
 * The view "abi": what a reader on another machine needs. The values of gfp flags and migratetypes
 * and the page size differ between kernels, so they are part of the trace.
 */
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/mmzone.h>
#include <linux/seq_file.h>
#include <linux/stddef.h>

#include "abi_view.h"
#include "clock.h"
#include "kmemtrace.h"
#include "pauses.h"

struct kmt_name {
	const char *name;
	u32 value;
};

#define KMT_GFP(flag)                                                                              \
	{                                                                                          \
#flag, (__force u32)flag                                                           \
	}

/* Flags that this kernel or its configuration does not have are 0, and not shown. */
static const struct kmt_name kmt_gfp_names[] = {
	KMT_GFP(__GFP_DMA),
	KMT_GFP(__GFP_HIGHMEM),
	KMT_GFP(__GFP_DMA32),
	KMT_GFP(__GFP_MOVABLE),
	KMT_GFP(__GFP_RECLAIMABLE),
	KMT_GFP(__GFP_HIGH),
	KMT_GFP(__GFP_IO),
	KMT_GFP(__GFP_FS),
	KMT_GFP(__GFP_ZERO),
	KMT_GFP(__GFP_DIRECT_RECLAIM),
	KMT_GFP(__GFP_KSWAPD_RECLAIM),
	KMT_GFP(__GFP_WRITE),
	KMT_GFP(__GFP_NOWARN),
	KMT_GFP(__GFP_RETRY_MAYFAIL),
	KMT_GFP(__GFP_NOFAIL),
	KMT_GFP(__GFP_NORETRY),
	KMT_GFP(__GFP_MEMALLOC),
	KMT_GFP(__GFP_COMP),
	KMT_GFP(__GFP_NOMEMALLOC),
	KMT_GFP(__GFP_HARDWALL),
	KMT_GFP(__GFP_THISNODE),
	KMT_GFP(__GFP_ACCOUNT),
	KMT_GFP(__GFP_NOLOCKDEP),
#ifdef __GFP_ATOMIC
	KMT_GFP(__GFP_ATOMIC),
#endif
#ifdef __GFP_ZEROTAGS
	KMT_GFP(__GFP_ZEROTAGS),
#endif
#ifdef __GFP_SKIP_ZERO
	KMT_GFP(__GFP_SKIP_ZERO),
#endif
#ifdef __GFP_NO_OBJ_EXT
	KMT_GFP(__GFP_NO_OBJ_EXT),
#endif
};

static const struct kmt_name kmt_migratetype_names[] = {
	{ "unmovable", MIGRATE_UNMOVABLE },
	{ "movable", MIGRATE_MOVABLE },
	{ "reclaimable", MIGRATE_RECLAIMABLE },
	{ "highatomic", MIGRATE_HIGHATOMIC },
#ifdef CONFIG_CMA
	{ "cma", MIGRATE_CMA },
#endif
#ifdef CONFIG_MEMORY_ISOLATION
	{ "isolate", MIGRATE_ISOLATE },
#endif
};

static const struct kmt_name kmt_event_names[] = {
	{ "kmalloc", KMEMTRACE_EVENT_KMALLOC },
	{ "kmem_cache_alloc", KMEMTRACE_EVENT_CACHE_ALLOC },
	{ "kfree", KMEMTRACE_EVENT_KFREE },
	{ "kmem_cache_free", KMEMTRACE_EVENT_CACHE_FREE },
	{ "page_alloc", KMEMTRACE_EVENT_PAGE_ALLOC },
	{ "page_free", KMEMTRACE_EVENT_PAGE_FREE },
	{ "task", KMEMTRACE_EVENT_TASK },
	{ "kfree_rcu", KMEMTRACE_EVENT_KFREE_RCU },
	{ "percpu_alloc", KMEMTRACE_EVENT_PERCPU_ALLOC },
	{ "percpu_free", KMEMTRACE_EVENT_PERCPU_FREE },
	{ "vmap_alloc", KMEMTRACE_EVENT_VMAP_ALLOC },
	{ "vmap_free", KMEMTRACE_EVENT_VMAP_FREE },
	{ "extfrag", KMEMTRACE_EVENT_EXTFRAG },
	{ "zone_locked", KMEMTRACE_EVENT_ZONE_LOCKED },
	{ "pcpu_drain", KMEMTRACE_EVENT_PCPU_DRAIN },
	{ "map", KMEMTRACE_EVENT_MAP },
	{ "exec", KMEMTRACE_EVENT_EXEC },
	{ "fork", KMEMTRACE_EVENT_FORK },
	{ "mark", KMEMTRACE_EVENT_MARK },
	{ "page_move", KMEMTRACE_EVENT_PAGE_MOVE },
	{ "resize", KMEMTRACE_EVENT_RESIZE },
	{ "compact", KMEMTRACE_EVENT_COMPACT },
	{ "dup_mm", KMEMTRACE_EVENT_DUP_MM },
};

static const struct kmt_name kmt_user_field_names[] = {
	{ "user_stack_id", offsetof(struct kmemtrace_record_user, user_stack_id) },
	{ "mm", offsetof(struct kmemtrace_record_user, mm) },
	{ "tgid", offsetof(struct kmemtrace_record_user, tgid) },
};

#define KMT_FIELD(field)                                                                           \
	{                                                                                          \
#field, offsetof(struct kmemtrace_record, field)                                   \
	}

static const struct kmt_name kmt_field_names[] = {
	KMT_FIELD(time_ns),
	KMT_FIELD(addr),
	KMT_FIELD(call_site),
	KMT_FIELD(stack_id),
	KMT_FIELD(bytes_req),
	KMT_FIELD(bytes_alloc),
	KMT_FIELD(gfp),
	KMT_FIELD(tid),
	KMT_FIELD(cache),
	KMT_FIELD(page.order),
	KMT_FIELD(page.migratetype),
	KMT_FIELD(node),
	KMT_FIELD(type),
};

static void kmt_show_gfp(struct seq_file *seq)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(kmt_gfp_names); i++) {
		if (kmt_gfp_names[i].value)
			seq_printf(seq, "gfp %s 0x%x\n", kmt_gfp_names[i].name,
				   kmt_gfp_names[i].value);
	}
}

static void kmt_show_numbered(struct seq_file *seq, const char *what, const struct kmt_name *names,
			      unsigned int count)
{
	unsigned int i;

	for (i = 0; i < count; i++)
		seq_printf(seq, "%s %u %s\n", what, names[i].value, names[i].name);
}

void kmt_abi_show(struct seq_file *seq)
{
	seq_printf(seq, "abi_version %u\n", KMEMTRACE_ABI_VERSION);
	seq_printf(seq, "header_len %zu\n", sizeof(struct kmemtrace_subbuf_header));
	seq_printf(seq, "record_len %zu\n",
		   kmt_config.user_stacks ? sizeof(struct kmemtrace_record_user)
					  : sizeof(struct kmemtrace_record));
	seq_printf(seq, "word_size %zu\n", sizeof(long));
	seq_printf(seq, "page_size %lu\n", PAGE_SIZE);
	/* If physical memory does not begin at 0, nothing is mapped at this address. */
	seq_printf(seq, "linear_base 0x%lx\n", PAGE_OFFSET - (unsigned long)__pa(PAGE_OFFSET));
	seq_printf(seq, "clock %s\n", kmt_clock_name());
	kmt_pauses_show(seq);
	kmt_show_numbered(seq, "field", kmt_field_names, ARRAY_SIZE(kmt_field_names));
	if (kmt_config.user_stacks)
		kmt_show_numbered(seq, "field", kmt_user_field_names,
				  ARRAY_SIZE(kmt_user_field_names));
	kmt_show_numbered(seq, "event", kmt_event_names, ARRAY_SIZE(kmt_event_names));
	kmt_show_numbered(seq, "migratetype", kmt_migratetype_names,
			  ARRAY_SIZE(kmt_migratetype_names));
	kmt_show_gfp(seq);
}

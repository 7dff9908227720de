/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Records blocks of pages that were allocated or freed without an event for each. kmemtrace.bpf.c
 * includes this after its code that records an event.
 */
#ifndef KMEMTRACE_BLOCKS_H
#define KMEMTRACE_BLOCKS_H

#include "filter.h"

#define KMT_NO_TYPE 0xff

/* A block of pages to record, and the call that allocated or freed it. */
struct kmt_block {
	enum kmemtrace_event type;
	__u64 page;
	__u64 call_site;
	__u32 order, gfp;
	__u32 context;
	__u32 stack_id, user_stack_id;
};

/* Returns the first block of the call or event, whose origin must be known. */
static __always_inline struct kmt_block kmt_block_of(const struct kmt_event *event,
						     enum kmemtrace_event type, __u32 gfp)
{
	return (struct kmt_block){
		.type = type,
		.call_site = event->call_site,
		.gfp = gfp,
		.context = event->context,
		.stack_id = event->stack_id,
		.user_stack_id = event->user_stack_id,
	};
}

/* The verifier checks a global function once, not again in each loop that calls it. */
__noinline int kmt_record_block(const struct kmt_block *block)
{
	__u32 bytes;
	struct kmt_event event;

	if (!block || !kmt_find_ring(&event, 0))
		return 0;
	event.context = block->context;
	event.call_site = block->call_site;
	event.stack_id = block->stack_id;
	event.user_stack_id = block->user_stack_id;
	bytes = kmt_block_bytes(block->order);
	if (!(block->type == KMEMTRACE_EVENT_PAGE_FREE
		      ? kmt_filter_pages_free(event.ring, block->page, block->order)
		      : kmt_filter_pages_alloc(event.ring, event.context, block->page,
					       block->order)) ||
	    !kmt_begin_known(&event))
		return 0;
	kmt_fill_pages(event.slot.record, block->page, block->order, bytes, bytes, block->gfp,
		       KMT_NO_TYPE);
	kmt_end(&event, block->type);
	return 0;
}

/* Pages whose blocks are recorded one by one: each lies in one block of the sample. */
struct kmt_page_range {
	__u64 pfn, end;
	struct kmt_block block;
};

/*
 * Returns the order of the largest block at @pfn that is aligned to its size. Global, so that the
 * verifier checks it once.
 */
__noinline int kmt_block_order(__u64 pfn, __u64 left)
{
	__u32 order = KMT_BLOCK_ORDER;

	for (; order; order--) {
		if (left >> order && !(pfn & ((1ULL << order) - 1)))
			break;
	}
	return order;
}

static long kmt_record_next_block(__u32 i, struct kmt_page_range *range)
{
	__u32 order = kmt_block_order(range->pfn, range->end - range->pfn) & 31;

	range->block.page = kmt_page_at(range->pfn);
	range->block.order = order;
	kmt_record_block(&range->block);
	range->pfn += 1ULL << order;
	return range->pfn >= range->end;
}

static __always_inline void kmt_record_range(struct kmt_page_range *range)
{
	/* Smaller blocks are only at the two ends. */
	bpf_loop(((range->end - range->pfn) >> KMT_BLOCK_ORDER) + 2 * KMT_BLOCK_ORDER,
		 kmt_record_next_block, range, 0);
}

#endif /* KMEMTRACE_BLOCKS_H */

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Programs for functions that allocate or migrate pages without a tracepoint. kmemtrace.bpf.c
 * includes this after its code that records an event.
 */
#ifndef KMEMTRACE_PAGE_FUNCTIONS_H
#define KMEMTRACE_PAGE_FUNCTIONS_H

#include "calls.h"
#include "objects.h"

#include <bpf/bpf_core_read.h>

/* ---- alloc_pages_bulk(gfp, node, nodemask, count, [list,] array): the number of pages ---- */

#define KMT_PLACES_HALF (KMT_BPF_PLACES_WORD / 2)

/*
 * The entries of an array. The function fills them in order, up to the count that it returns. A
 * call has a bit for each of the KMT_BPF_PLACES entries from the first empty one on. Of entries
 * beyond these, only the number of full ones is known; mostly there are none.
 */
struct kmt_places {
	struct kmt_bpf_call *call; /* NULL: only count */
	__u64 array;
	__u32 count;
	__u32 empty; /* number of empty ones */
};

/* Returns 1 for 0, else 0, without a branch: each branch doubles what the verifier has to check. */
static __always_inline __u32 kmt_is_zero(__u64 word)
{
	__u64 negative = -word;

	asm volatile("" : "+r"(negative));
	return ~(word | negative) >> 63;
}

/*
 * Returns a bit for each empty one of @left entries from @addr on, but at most half of
 * KMT_BPF_PLACES_WORD: all of them are too much for the stack. The verifier checks a global
 * function once, not again for each of its callers.
 */
__noinline int kmt_read_empty_half(__u64 addr, __u32 left)
{
	__u64 pages[KMT_PLACES_HALF] = { 0 };
	__u32 i, empty = 0;

	if (left > KMT_PLACES_HALF)
		left = KMT_PLACES_HALF;
	if (bpf_probe_read_kernel(pages, left * sizeof(*pages), (const void *)addr))
		return 0;
	for (i = 0; i < KMT_PLACES_HALF; i++)
		empty |= kmt_is_zero(pages[i]) << i;
	return empty & ((1U << left) - 1);
}

/* Returns a bit for each empty one of @left entries, but at most KMT_BPF_PLACES_WORD. */
static __always_inline __u32 kmt_read_empty(__u64 addr, __u32 left)
{
	__u32 empty = kmt_read_empty_half(addr, left);

	if (left > KMT_PLACES_HALF)
		empty |= (__u32)kmt_read_empty_half(addr + KMT_PLACES_HALF * sizeof(__u64),
						    left - KMT_PLACES_HALF)
			 << KMT_PLACES_HALF;
	return empty;
}

static __always_inline __u32 kmt_count_bits(__u32 word)
{
	word -= word >> 1 & 0x55555555;
	word = (word & 0x33333333) + (word >> 2 & 0x33333333);
	return ((word + (word >> 4)) & 0x0f0f0f0f) * 0x01010101 >> 24;
}

/*
 * State that the next iteration needs is in the call, not in @places: some verifiers check the
 * first iteration only, and remove the branches that it does not take.
 */
static long kmt_look_at_places(__u32 i, struct kmt_places *places)
{
	__u32 from = i * KMT_BPF_PLACES_WORD, left = places->count - from, empty, word;
	struct kmt_bpf_call *call = places->call;

	empty = kmt_read_empty(places->array + from * sizeof(__u64), left);
	places->empty += kmt_count_bits(empty);
	if (!call)
		return 0;
	if (call->first == KMT_NO_PLACE) {
		if (!empty)
			return 0;
		call->first = from;
	}
	word = (from - call->first) / KMT_BPF_PLACES_WORD;
	if (word < KMT_BPF_PLACES / KMT_BPF_PLACES_WORD) {
		call->empty[word] = empty;
	} else {
		call->full += (left < KMT_BPF_PLACES_WORD ? left : KMT_BPF_PLACES_WORD) -
			      kmt_count_bits(empty);
	}
	return 0;
}

static __always_inline void kmt_look_at_array(struct kmt_places *places)
{
	bpf_loop((places->count + KMT_BPF_PLACES_WORD - 1) / KMT_BPF_PLACES_WORD,
		 kmt_look_at_places, places, 0);
}

static __always_inline int kmt_at_pages_bulk_entry(void *ctx, __u32 turn)
{
	struct kmt_event event;
	struct kmt_places places = {
		.array = kmt_arg(ctx, config.pages_array),
		.count = kmt_arg(ctx, 3),
	};

	if (kmt_block_bytes(0) < config.min_size || (int)places.count <= 0 ||
	    !kmt_enter_function(&event, ctx, KMT_BPF_PAGES_BULK_ENTRY, turn))
		return 0;
	places.call = kmt_call_at(kmt_call_claim(
		event.cpu, kmt_call_caller(event.context, event.cpu), kmt_call_frame(ctx)));
	if (places.array)
		kmt_look_at_array(&places);
	if (!places.call) /* the call may get fewer pages than that */
		__sync_fetch_and_add(&event.ring->lost[KMEMTRACE_LOSS_RECURSION],
				     places.array ? places.empty : places.count);
	return kmt_leave(&event, turn);
}
KMT_FUNCTION(pages_bulk_entry, "fentry/alloc_pages_bulk_noprof")

/* The pages of a call that has ended. */
struct kmt_bulk_pages {
	const struct kmt_bpf_call *call;
	__u64 at; /* address of the first entry, or of the next list node */
	struct kmt_block block;
};

static __always_inline void kmt_record_bulk_page(struct kmt_bulk_pages *bulk, __u64 page)
{
	bulk->block.page = page;
	if (page && page != bulk->call->page)
		kmt_record_block(&bulk->block);
}

static long kmt_record_place(__u32 i, struct kmt_bulk_pages *bulk)
{
	__u32 word = i / KMT_BPF_PLACES_WORD;

	if (word < KMT_BPF_PLACES / KMT_BPF_PLACES_WORD &&
	    !(bulk->call->empty[word] >> i % KMT_BPF_PLACES_WORD & 1))
		return 0;
	kmt_record_bulk_page(bulk, kmt_word(bulk->at + i * sizeof(__u64)));
	return 0;
}

/* New pages are at the head of the list. */
static long kmt_record_listed(__u32 i, struct kmt_bulk_pages *bulk)
{
	kmt_record_bulk_page(bulk, bulk->at - bpf_core_field_offset(struct page, lru));
	bulk->at = kmt_word(bulk->at);
	return 0;
}

/* @count: entries from the first one on that have pages now; @behind: entries after these. */
static __always_inline void kmt_record_array(struct kmt_bpf_ring *ring, struct kmt_bulk_pages *bulk,
					     __u32 count, __u32 behind)
{
	struct kmt_places rest = {
		.array = bulk->at + count * sizeof(__u64),
		.count = behind,
	};

	if (count > KMT_BPF_PLACES && bulk->call->full) {
		/* Later entries have not changed, so the number of new pages is known. */
		kmt_look_at_array(&rest);
		__sync_fetch_and_add(&ring->lost[KMEMTRACE_LOSS_RECURSION],
				     count - KMT_BPF_PLACES - bulk->call->full + behind -
					     rest.empty);
		count = KMT_BPF_PLACES;
	}
	bpf_loop(count, kmt_record_place, bulk, 0);
}

static __always_inline void kmt_record_pages_bulk(void *ctx, struct kmt_event *event,
						  const struct kmt_bpf_call *call)
{
	__u64 array = kmt_arg(ctx, config.pages_array), returned = 0;
	__u64 list = config.pages_list ? kmt_arg(ctx, config.pages_list) : 0;
	__u32 count = kmt_arg(ctx, 3);
	struct kmt_bulk_pages bulk = {
		.call = call,
		.at = array + call->first * sizeof(__u64),
	};

	bpf_get_func_ret(ctx, &returned);
	if (returned > count)
		return;
	kmt_find_user_stack(event);
	kmt_find_origin_of_call(ctx, event);
	bulk.block = kmt_block_of(event, KMEMTRACE_EVENT_PAGE_ALLOC, kmt_arg(ctx, 0));
	if (array && returned > call->first) {
		kmt_record_array(event->ring, &bulk, returned - call->first, count - returned);
	} else if (!array && list) {
		bulk.at = kmt_word(list);
		bpf_loop(returned, kmt_record_listed, &bulk, 0);
	}
}

static __always_inline int kmt_at_pages_bulk(void *ctx, __u32 turn)
{
	struct kmt_bpf_call *call;
	struct kmt_event event;

	if (!kmt_enter_function(&event, ctx, KMT_BPF_PAGES_BULK, turn))
		return 0;
	call = kmt_call_at(
		kmt_call_find(kmt_call_caller(event.context, event.cpu), kmt_call_frame(ctx)));
	if (call) { /* else it began before tracing, or its entry has been counted as lost */
		kmt_record_pages_bulk(ctx, &event, call);
		kmt_call_release(call);
	}
	return kmt_leave(&event, turn);
}
KMT_FUNCTION(pages_bulk, "fexit/alloc_pages_bulk_noprof")

/* ---- alloc_contig_range(start, end, type, gfp): 0 or an error ---- */

/* A range that can't be allocated is not a failed allocation: callers try the next one. */
SEC("fexit/alloc_contig_range_noprof")
int kmt_contig_range(void *ctx)
{
	struct kmt_event event;
	struct kmt_page_range range = {
		.pfn = kmt_arg(ctx, 0),
		.end = kmt_arg(ctx, 1),
	};
	__u64 error = 0;

	bpf_get_func_ret(ctx, &error);
	if ((int)error || range.end <= range.pfn ||
	    !kmt_enter(&event, ctx, KMT_BPF_CONTIG_RANGE, 0, 0, true))
		return 0;
	kmt_find_user_stack(&event);
	kmt_find_origin_of_call(ctx, &event);
	range.block = kmt_block_of(&event, KMEMTRACE_EVENT_PAGE_ALLOC, kmt_arg(ctx, 3));
	kmt_record_range(&range);
	return kmt_leave(&event, 0);
}

/*
 * ---- folio_migrate_flags(to, from): called once for each migration, after it can't fail any more
 * and before the source is freed ----
 */

SEC("fentry/folio_migrate_flags")
int kmt_migrate(void *ctx)
{
	__u64 to = kmt_arg(ctx, 0), from = kmt_arg(ctx, 1), pfn = kmt_pfn(to);
	__u32 order = kmt_folio_order(from), outside = 0;
	struct kmt_event event;

	if (!kmt_enter(&event, ctx, KMT_BPF_MIGRATE, 0, 0, true))
		return 0;
	if (kmt_filter_migrate(event.ring, kmt_pfn(from), pfn, order, &outside) &&
	    kmt_begin_call(ctx, &event)) {
		struct kmemtrace_record *record = event.slot.record;

		kmt_fill_pages(record, from, order, (__u32)pfn, pfn >> 32, outside, KMT_NO_TYPE);
		record->node = kmt_node(kmt_page_node(to));
		kmt_end(&event, KMEMTRACE_EVENT_PAGE_MOVE);
	}
	return kmt_leave(&event, 0);
}

#endif /* KMEMTRACE_PAGE_FUNCTIONS_H */

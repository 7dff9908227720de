/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Encoders: they write the arguments of a probe to the fields of a record. event.h sets the common
 * fields. struct kmemtrace_record says which events have which fields.
 */
#ifndef KMEMTRACE_FILL_RECORD_H
#define KMEMTRACE_FILL_RECORD_H

#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/numa.h>

#include "kmemtrace_abi.h"

/* Returns a node as in a record; negative: any. */
static __always_inline u8 kmt_node(int node)
{
	if (node < 0)
		return KMEMTRACE_NODE_ANY;
	return min_t(int, node, KMEMTRACE_NODE_HIGH);
}

/* Returns bytes as in a record, limited to 4 GiB - 1. */
static __always_inline u32 kmt_bytes(size_t bytes)
{
	return min_t(size_t, bytes, U32_MAX);
}

/* Fills in an object or a range of addresses. */
static __always_inline void kmt_fill_object(struct kmemtrace_record *record, const void *ptr,
					    size_t bytes_req, size_t bytes_alloc, gfp_t gfp,
					    int node, u16 cache)
{
	record->addr = (unsigned long)ptr;
	record->bytes_req = kmt_bytes(bytes_req);
	record->bytes_alloc = kmt_bytes(bytes_alloc);
	record->gfp = (__force u32)gfp;
	record->cache = cache;
	record->node = kmt_node(node);
}

/* Fills in a freed object, of which only the address, and perhaps the cache, is known. */
static __always_inline void kmt_fill_freed(struct kmemtrace_record *record, const void *ptr,
					   u16 cache)
{
	kmt_fill_object(record, ptr, 0, 0, 0, NUMA_NO_NODE, cache);
}

/* Fills in a block of pages, @bytes_req and @bytes_alloc as they are. */
static __always_inline void kmt_fill_block(struct kmemtrace_record *record, unsigned long pfn,
					   unsigned int order, u32 bytes_req, u32 bytes_alloc,
					   gfp_t gfp, int migratetype, int node)
{
	record->addr = pfn;
	record->bytes_req = bytes_req;
	record->bytes_alloc = bytes_alloc;
	record->gfp = (__force u32)gfp;
	record->page.order = order;
	record->page.migratetype = migratetype;
	record->node = kmt_node(node);
}

/* The same for the block that starts with @page. */
static __always_inline void kmt_fill_pages(struct kmemtrace_record *record, const struct page *page,
					   unsigned int order, u32 bytes_req, u32 bytes_alloc,
					   gfp_t gfp, int migratetype)
{
	kmt_fill_block(record, page_to_pfn(page), order, bytes_req, bytes_alloc, gfp, migratetype,
		       page_to_nid(page));
}

/* Fills in a migration. @outside: KMEMTRACE_MOVE_FROM_OUTSIDE and _TO_OUTSIDE, or 0. */
static __always_inline void kmt_fill_move(struct kmemtrace_record *record, const struct page *from,
					  const struct page *to, unsigned int order, u32 outside)
{
	unsigned long pfn = page_to_pfn(to);

	kmt_fill_block(record, page_to_pfn(from), order, lower_32_bits(pfn), upper_32_bits(pfn),
		       (__force gfp_t)outside, 0xff, page_to_nid(to));
}

/* Fills in a failed allocation of pages. */
static __always_inline void kmt_fill_no_pages(struct kmemtrace_record *record, unsigned int order,
					      u32 bytes, gfp_t gfp, int migratetype)
{
	kmt_fill_block(record, 0, order, bytes, bytes, gfp, migratetype, NUMA_NO_NODE);
}

#endif /* KMEMTRACE_FILL_RECORD_H */

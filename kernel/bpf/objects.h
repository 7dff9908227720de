/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finds the pages of a kmalloc() object, and from these its cache and its size.
 */
#ifndef KMEMTRACE_OBJECTS_H
#define KMEMTRACE_OBJECTS_H

#include "caches.h"
#include "kernel_types.h"
#include "ring.h"
#include "words.h"

#include <bpf/bpf_core_read.h>

#define KMT_SLAB_PAGES_MAX 2ULL /* of an object in a slab; larger ones are whole pages */
#define KMT_TYPE_SHIFT     24   /* of page_type */
#define KMT_ORDER_MASK     0xff /* of _flags_1 */
#define KMT_IN_HEAD        1ULL /* of compound_head */

static __always_inline bool kmt_is_linear(__u64 addr)
{
	return addr - state.linear_base < state.linear_bytes;
}

/* Returns the address of the struct page. */
static __always_inline __u64 kmt_page_at(__u64 pfn)
{
	return state.vmemmap + pfn * bpf_core_type_size(struct page);
}

#define KMT_NO_OFFSET ~0U

/* Returns the offset of the word by which a tail page finds its head; KMT_NO_OFFSET: unknown. */
static __always_inline __u32 kmt_compound_offset(void)
{
	if (bpf_core_field_exists(struct page, compound_head))
		return bpf_core_field_offset(struct page, compound_head);
	if (bpf_core_field_exists(struct page___info, compound_info))
		return bpf_core_field_offset(struct page___info, compound_info);
	return KMT_NO_OFFSET;
}

/*
 * Returns the head page of the allocation with @addr; 0: unknown. *@word becomes the value in place
 * of compound_head. If that is higher than any page's address, it is a mask.
 */
static __always_inline __u64 kmt_head_page(__u64 addr, __u64 *word)
{
	__u64 page;

	if (!kmt_is_linear(addr) || kmt_compound_offset() == KMT_NO_OFFSET)
		return 0;
	page = kmt_page_at((addr - state.linear_base) >> config.page_shift);
	*word = kmt_word(page + kmt_compound_offset());
	if (!(*word & KMT_IN_HEAD))
		return page;
	page = *word > page ? page & *word : *word - KMT_IN_HEAD;
	if (kmt_compound_offset() == bpf_core_field_offset(struct slab, slab_cache))
		*word = kmt_word(page + kmt_compound_offset());
	return page;
}

/* Returns the cache of a slab. @page and @word are from kmt_head_page(). */
static __always_inline const struct kmem_cache *kmt_slab_cache(__u64 page, __u64 word)
{
	if (kmt_compound_offset() != bpf_core_field_offset(struct slab, slab_cache))
		word = kmt_word(page + bpf_core_field_offset(struct slab, slab_cache));
	return kmt_is_linear(word) ? (const struct kmem_cache *)word : 0;
}

/* Returns the cache that kmalloc() allocated the object from; 0: none. @bytes_req: as requested. */
static __always_inline const struct kmem_cache *kmt_kmalloc_cache(__u64 ptr, __u64 bytes_req)
{
	__u64 page, word = 0;

	if (bytes_req > KMT_SLAB_PAGES_MAX << config.page_shift)
		return 0;
	page = kmt_head_page(ptr, &word);
	return page ? kmt_slab_cache(page, word) : 0;
}

/* The loader checks that the kernel has one of the two values. */
static __always_inline bool kmt_is_slab(__u64 page)
{
	if (bpf_core_enum_value_exists(enum pagetype, PGTY_slab))
		return BPF_CORE_READ((const struct page *)page, page_type) >> KMT_TYPE_SHIFT ==
		       bpf_core_enum_value(enum pagetype, PGTY_slab);
	if (bpf_core_enum_value_exists(enum pageflags, PG_slab))
		return kmt_word(page) >> bpf_core_enum_value(enum pageflags, PG_slab) & 1;
	return false;
}

static __always_inline bool kmt_is_in_slab(__u64 addr)
{
	__u64 word, page = kmt_head_page(addr, &word);

	return page && kmt_is_slab(page);
}

/* @page: the head page of a folio. */
static __always_inline __u32 kmt_folio_order(__u64 page)
{
	const struct folio___before_6_6 *before = (const void *)page;
	const struct folio *folio = (const void *)page;

	if (!(kmt_word(page) >> bpf_core_enum_value(enum pageflags, PG_head) & 1))
		return 0;
	if (bpf_core_field_exists(before->_folio_order))
		return BPF_CORE_READ(before, _folio_order);
	return BPF_CORE_READ(folio, _flags_1) & KMT_ORDER_MASK;
}

/*
 * Returns how many bytes a kmalloc() object has room for; 0: unknown. With slab debugging, too,
 * this is the size of objects of its cache.
 */
static __always_inline __u64 kmt_object_room(struct kmt_bpf_ring *ring, __u64 ptr)
{
	__u64 word = 0, page = kmt_head_page(ptr, &word);
	const struct kmem_cache *cache;
	__u32 size = 0;

	if (!page)
		return 0;
	if (!kmt_is_slab(page))
		return 1ULL << config.page_shift << kmt_folio_order(page);
	cache = kmt_slab_cache(page, word);
	if (cache)
		kmt_cache(ring, cache, &size);
	return size;
}

#endif /* KMEMTRACE_OBJECTS_H */

// SPDX-License-Identifier: GPL-2.0-only
/*
 * kmemtrace_callers - allocates in many ways, each from a function of its own, so that a test can
 * check that the tracer names this function and not one of the allocator's.
 *
 * Writing 1 to debugfs kmemtrace_callers/run allocates in all ways. "list" then has a line for each
 * that succeeded: kind caller. The memory is freed when the module is unloaded.
 */
#include <linux/bitmap.h>
#include <linux/debugfs.h>
#include <linux/dma-mapping.h>
#include <linux/dmapool.h>
#include <linux/gfp.h>
#include <linux/mempool.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/platform_device.h>
#include <linux/seq_file.h>
#include <linux/skbuff.h>
#include <linux/slab.h>
#include <linux/version.h>
#include <linux/vmalloc.h>

#define CALLERS_TIMES	16	/* of each way; per-CPU page lists don't hide them all */
#define CALLERS_BULK	4	/* pages, or objects, of each bulk */

static struct platform_device *callers_device;
static struct dma_pool *callers_pool;
static struct kmem_cache *callers_cache;
static struct dentry *callers_dir;
static dma_addr_t callers_dma;

/* Pages allocated in bulk. */
static struct page *callers_pages[CALLERS_TIMES][CALLERS_BULK];
static unsigned int callers_bulks;

/* Objects allocated in bulk. */
static void *callers_objects[CALLERS_TIMES][CALLERS_BULK];
static unsigned int callers_cache_bulks;

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 14, 0)
#define callers_fill(pages)	alloc_pages_bulk(GFP_KERNEL, CALLERS_BULK, pages)
#else
#define callers_fill(pages)	alloc_pages_bulk_array(GFP_KERNEL, CALLERS_BULK, pages)
#endif

/* An empty asm after the call keeps it from becoming a jump. */
#define CALLERS_TAKE(name, call)					\
static noinline void *callers_##name(void)				\
{									\
	void *object = (void *)(call);					\
									\
	asm volatile("" ::: "memory");					\
	return object;							\
}

#define CALLERS_GFP	GFP_KERNEL
#define CALLERS_DEV	(&callers_device->dev)

CALLERS_TAKE(alloc_pages, alloc_pages(CALLERS_GFP, 1))
CALLERS_TAKE(alloc_pages_node, alloc_pages_node(numa_node_id(), CALLERS_GFP, 1))
CALLERS_TAKE(get_free_pages, __get_free_pages(CALLERS_GFP, 1))
CALLERS_TAKE(get_zeroed_page, get_zeroed_page(CALLERS_GFP))
CALLERS_TAKE(alloc_pages_exact, alloc_pages_exact(3 * PAGE_SIZE, CALLERS_GFP))
CALLERS_TAKE(folio_alloc, folio_alloc(CALLERS_GFP, 1))
CALLERS_TAKE(alloc_skb, alloc_skb(1000, CALLERS_GFP))
CALLERS_TAKE(kmalloc_large, kmalloc(5 * PAGE_SIZE, CALLERS_GFP))
CALLERS_TAKE(kvmalloc, kvmalloc(3 * PAGE_SIZE, CALLERS_GFP))
CALLERS_TAKE(vmalloc, vmalloc(PAGE_SIZE))
CALLERS_TAKE(dma_coherent, dma_alloc_coherent(CALLERS_DEV, PAGE_SIZE, &callers_dma, CALLERS_GFP))
CALLERS_TAKE(dma_pages, dma_alloc_pages(CALLERS_DEV, PAGE_SIZE, &callers_dma, DMA_TO_DEVICE,
					CALLERS_GFP))
CALLERS_TAKE(dma_pool, dma_pool_alloc(callers_pool, CALLERS_GFP, &callers_dma))
CALLERS_TAKE(mempool_create, mempool_create_kmalloc_pool(3, 600))
CALLERS_TAKE(bitmap, bitmap_zalloc(900 * BITS_PER_BYTE, CALLERS_GFP))
CALLERS_TAKE(devm, devm_kmalloc(CALLERS_DEV, 1500, CALLERS_GFP))
CALLERS_TAKE(cache_alloc, kmem_cache_alloc(callers_cache, CALLERS_GFP))
CALLERS_TAKE(krealloc, krealloc(NULL, 700, CALLERS_GFP))

static noinline void *callers_alloc_pages_bulk(void)
{
	struct page **pages = callers_pages[callers_bulks];

	if (callers_fill(pages) < CALLERS_BULK)
		return NULL;
	callers_bulks++;
	return pages;
}

static noinline void *callers_cache_bulk(void)
{
	void **objects = callers_objects[callers_cache_bulks];

	if (!kmem_cache_alloc_bulk(callers_cache, CALLERS_GFP, CALLERS_BULK, objects))
		return NULL;
	callers_cache_bulks++;
	return objects;
}

static void callers_give_cache_bulk(void *object)
{
	kmem_cache_free_bulk(callers_cache, CALLERS_BULK, object);
}

static void callers_give_bulk(void *object)
{
	struct page **pages = object;
	unsigned int i;

	for (i = 0; i < CALLERS_BULK; i++)
		__free_page(pages[i]);
}

static void callers_give_skb(void *object)
{
	kfree_skb(object);
}

static void callers_give_pages(void *object)
{
	__free_pages(object, 1);
}

static void callers_give_free_pages(void *object)
{
	free_pages((unsigned long)object, 1);
}

static void callers_give_page(void *object)
{
	free_page((unsigned long)object);
}

static void callers_give_exact(void *object)
{
	free_pages_exact(object, 3 * PAGE_SIZE);
}

static void callers_give_coherent(void *object)
{
	dma_free_coherent(CALLERS_DEV, PAGE_SIZE, object, page_to_phys(virt_to_page(object)));
}

static void callers_give_dma_pages(void *object)
{
	struct page *page = object;

	dma_free_pages(CALLERS_DEV, PAGE_SIZE, page, page_to_phys(page), DMA_TO_DEVICE);
}

static void callers_give_dma_pool(void *object)
{
	dma_pool_free(callers_pool, object, page_to_phys(virt_to_page(object)) +
		      offset_in_page(object));
}

static void callers_give_mempool(void *object)
{
	mempool_destroy(object);
}

static void callers_give_bitmap(void *object)
{
	bitmap_free(object);
}

static void callers_give_cached(void *object)
{
	kmem_cache_free(callers_cache, object);
}

/* Freed with the device. */
static void callers_give_devm(void *object)
{
}

static struct callers_way {
	const char *kind, *caller;
	void *(*take)(void);
	void (*give)(void *object);
	void *objects[CALLERS_TIMES];
	unsigned int count;
} callers_ways[] = {
#define CALLERS_WAY(kind, name, give)	{ kind, "callers_" #name, callers_##name, give }
#define CALLERS_WAY_OF(kind, caller, name, give)	{ kind, caller, callers_##name, give }
	CALLERS_WAY("page", alloc_pages, callers_give_pages),
	CALLERS_WAY("page", alloc_pages_node, callers_give_pages),
	CALLERS_WAY("page", get_free_pages, callers_give_free_pages),
	CALLERS_WAY("page", get_zeroed_page, callers_give_page),
	CALLERS_WAY("page", alloc_pages_exact, callers_give_exact),
	CALLERS_WAY("page", folio_alloc, callers_give_pages),
	CALLERS_WAY("page", alloc_pages_bulk, callers_give_bulk),
	CALLERS_WAY_OF("slab", "__alloc_skb", alloc_skb, callers_give_skb),
	CALLERS_WAY("slab", kmalloc_large, (void (*)(void *))kvfree),
	CALLERS_WAY("slab", kvmalloc, (void (*)(void *))kvfree),
	CALLERS_WAY("page", vmalloc, (void (*)(void *))vfree),
	CALLERS_WAY("page", dma_coherent, callers_give_coherent),
	CALLERS_WAY("page", dma_pages, callers_give_dma_pages),
	CALLERS_WAY("page", dma_pool, callers_give_dma_pool),
	CALLERS_WAY("slab", mempool_create, callers_give_mempool),
	CALLERS_WAY("slab", bitmap, callers_give_bitmap),
	CALLERS_WAY("slab", devm, callers_give_devm),
	CALLERS_WAY("slab", cache_alloc, callers_give_cached),
	CALLERS_WAY("slab", krealloc, (void (*)(void *))kfree),
	CALLERS_WAY("slab", cache_bulk, callers_give_cache_bulk),
};

static int callers_run(void *data, u64 value)
{
	struct callers_way *way;

	for (way = callers_ways; way < callers_ways + ARRAY_SIZE(callers_ways); way++) {
		while (way->count < CALLERS_TIMES) {
			void *object = way->take();

			if (!object)
				break;
			way->objects[way->count++] = object;
		}
	}
	return 0;
}
DEFINE_DEBUGFS_ATTRIBUTE(callers_run_fops, NULL, callers_run, "%llu\n");

static int callers_list_show(struct seq_file *seq, void *unused)
{
	const struct callers_way *way;

	for (way = callers_ways; way < callers_ways + ARRAY_SIZE(callers_ways); way++) {
		if (way->count)
			seq_printf(seq, "%s %s\n", way->kind, way->caller);
	}
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(callers_list);

static int __init callers_init(void)
{
	int ret;

	callers_cache = kmem_cache_create("kmemtrace_callers", 200, 0, 0, NULL);
	if (!callers_cache)
		return -ENOMEM;
	callers_device = platform_device_register_simple("kmemtrace_callers", -1, NULL, 0);
	if (IS_ERR(callers_device)) {
		kmem_cache_destroy(callers_cache);
		return PTR_ERR(callers_device);
	}
	ret = dma_coerce_mask_and_coherent(CALLERS_DEV, DMA_BIT_MASK(64));
	if (!ret) {
		callers_pool = dma_pool_create("kmemtrace_callers", CALLERS_DEV, 512, 8, 0);
		ret = callers_pool ? 0 : -ENOMEM;
	}
	if (ret) {
		platform_device_unregister(callers_device);
		kmem_cache_destroy(callers_cache);
		return ret;
	}
	callers_dir = debugfs_create_dir("kmemtrace_callers", NULL);
	debugfs_create_file_unsafe("run", 0200, callers_dir, NULL, &callers_run_fops);
	debugfs_create_file("list", 0400, callers_dir, NULL, &callers_list_fops);
	return 0;
}

static void __exit callers_exit(void)
{
	struct callers_way *way;

	debugfs_remove(callers_dir);
	for (way = callers_ways; way < callers_ways + ARRAY_SIZE(callers_ways); way++) {
		while (way->count)
			way->give(way->objects[--way->count]);
	}
	dma_pool_destroy(callers_pool);
	platform_device_unregister(callers_device);
	kmem_cache_destroy(callers_cache);
}

module_init(callers_init);
module_exit(callers_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Allocates in many ways, for tests of kmemtrace");

// SPDX-License-Identifier: GPL-2.0-only
/*
 * kmt_bench - times pairs of an allocation and its free. In a guest whose clock counts instructions
 * (tests/vm/run --icount), a nanosecond is an instruction.
 *
 * Reading debugfs kmt_bench runs the loops and returns lines "what nanoseconds_per_pair".
 */
#include <linux/debugfs.h>
#include <linux/gfp.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/slab.h>

#define BENCH_PAIRS	10000
#define BENCH_BYTES	64

static struct dentry *bench_file;
static struct kmem_cache *bench_cache;
static size_t bench_bytes = BENCH_BYTES; /* not constant, or kmalloc() would be inlined */

static void bench_kmalloc(void)
{
	kfree(kmalloc(READ_ONCE(bench_bytes), GFP_KERNEL));
}

static void bench_object(void)
{
	void *object = kmem_cache_alloc(bench_cache, GFP_KERNEL);

	if (object)
		kmem_cache_free(bench_cache, object);
}

static void bench_page(void)
{
	struct page *page = alloc_pages(GFP_KERNEL, 0);

	if (page)
		__free_pages(page, 0);
}

static void bench_run(struct seq_file *seq, const char *what, void (*pair)(void))
{
	ktime_t start;
	unsigned int i;

	/*
	 * Warms up the caches and the tables of the measured tracer. An unrolled loop would call
	 * from two places, with two alternating stacks.
	 */
#pragma GCC unroll 1
	for (i = 0; i < BENCH_PAIRS / 10; i++)
		pair();
	start = ktime_get();
#pragma GCC unroll 1
	for (i = 0; i < BENCH_PAIRS; i++)
		pair();
	seq_printf(seq, "%s %lld\n", what, ktime_to_ns(ktime_sub(ktime_get(), start)) / BENCH_PAIRS);
}

static int bench_show(struct seq_file *seq, void *unused)
{
	bench_run(seq, "kmalloc", bench_kmalloc);
	bench_run(seq, "kmem_cache", bench_object);
	bench_run(seq, "page", bench_page);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(bench);

static void bench_ctor(void *object)
{
}

static int __init bench_init(void)
{
	bench_cache = kmem_cache_create("kmt_bench", BENCH_BYTES, 0, 0, bench_ctor);
	if (!bench_cache)
		return -ENOMEM;
	bench_file = debugfs_create_file("kmt_bench", 0400, NULL, NULL, &bench_fops);
	return 0;
}

static void __exit bench_exit(void)
{
	debugfs_remove(bench_file);
	kmem_cache_destroy(bench_cache);
}

module_init(bench_init);
module_exit(bench_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Pairs of allocation and free, timed, for kmemtrace's benchmarks");

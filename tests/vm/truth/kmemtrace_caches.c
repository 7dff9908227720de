// SPDX-License-Identifier: GPL-2.0-only
/*
 * kmemtrace_caches - allocates from each kind of kmalloc cache and from caches of its own, and
 * reports from which, so that a test can compare the cache names in the tracer's output.
 *
 * Writing 1 to debugfs kmemtrace_caches/run runs all scenarios once. Each allocates in a function
 * of its own, which is the call site. "truth" has a line for each scenario:
 *
 *   caller cache count live
 *
 * cache: the name by which it was created; a merged cache may appear under another one's name.
 * Remaining objects are freed before the next run and when the module is unloaded.
 *
 * The caches caches_first and caches_second have objects of one size, so the allocator merges them.
 */
#include <linux/debugfs.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/seq_file.h>
#include <linux/slab.h>

#define CACHES_COUNT	40	/* objects of each scenario */
#define CACHES_FREED	15	/* how many of them are freed at once */
#define CACHES_MERGED	1144	/* bytes of an object; few caches have this size */

struct caches_scenario {
	const char *caller;
	const char *cache;
	void *(*take)(void);
	void *objects[CACHES_COUNT];	/* protected by caches_mutex */
};

static DEFINE_MUTEX(caches_mutex);
static struct kmem_cache *caches_alone, *caches_first, *caches_second;
static struct dentry *caches_dir;

/* The asm keeps the call from becoming a jump, and identical functions from being merged. */
#define CACHES_TAKE(name, call)							\
static noinline void *name(void)						\
{										\
	void *object = call;							\
										\
	asm volatile("# " #name ::: "memory");					\
	return object;								\
}

CACHES_TAKE(caches_take_64, kmalloc(60, GFP_KERNEL))
CACHES_TAKE(caches_take_1k, kmalloc(1000, GFP_KERNEL))
CACHES_TAKE(caches_take_8k, kmalloc(8000, GFP_KERNEL))
CACHES_TAKE(caches_take_cg_64, kmalloc(60, GFP_KERNEL_ACCOUNT))
CACHES_TAKE(caches_take_cg_256, kmalloc(200, GFP_KERNEL_ACCOUNT))
CACHES_TAKE(caches_take_rcl_64, kmalloc(60, GFP_KERNEL | __GFP_RECLAIMABLE))
CACHES_TAKE(caches_take_rcl_2k, kmalloc(2000, GFP_KERNEL | __GFP_RECLAIMABLE))
CACHES_TAKE(caches_take_dma_64, kmalloc(60, GFP_KERNEL | GFP_DMA))
CACHES_TAKE(caches_take_alone, kmem_cache_alloc(caches_alone, GFP_KERNEL))
CACHES_TAKE(caches_take_first, kmem_cache_alloc(caches_first, GFP_KERNEL))
CACHES_TAKE(caches_take_second, kmem_cache_alloc(caches_second, GFP_KERNEL))

/* Buckets exist since 6.11; if not configured, they are plain kmalloc caches. */
#ifdef kmem_buckets_alloc
#define CACHES_BUCKETS	2	/* scenarios, the last ones */
static kmem_buckets *caches_own;

CACHES_TAKE(caches_take_own_64, kmem_buckets_alloc(caches_own, 60, GFP_KERNEL))
CACHES_TAKE(caches_take_own_512, kmem_buckets_alloc(caches_own, 400, GFP_KERNEL))

static int caches_make_buckets(void)
{
	caches_own = kmem_buckets_create("caches_own", 0, 0, INT_MAX, NULL);
	return caches_own ? 0 : -ENOMEM;
}

/* The kernel has no function that destroys buckets: this frees the caches, but not their table. */
static void caches_destroy_buckets(void)
{
	unsigned int i, j;

	for (i = 0; !ZERO_OR_NULL_PTR(caches_own) && i < ARRAY_SIZE(*caches_own); i++) {
		struct kmem_cache *cache = (*caches_own)[i];

		for (j = i; j < ARRAY_SIZE(*caches_own); j++) {
			if ((*caches_own)[j] == cache)
				(*caches_own)[j] = NULL;
		}
		kmem_cache_destroy(cache);
	}
}
#else
#define CACHES_BUCKETS	0

static int caches_make_buckets(void)
{
	return 0;
}

static void caches_destroy_buckets(void)
{
}
#endif

#define CACHES_SCENARIO(name, cache)	{ #name, cache, name }

static struct caches_scenario caches_scenarios[] = {
	CACHES_SCENARIO(caches_take_64, "kmalloc-64"),
	CACHES_SCENARIO(caches_take_1k, "kmalloc-1k"),
	CACHES_SCENARIO(caches_take_8k, "kmalloc-8k"),
	CACHES_SCENARIO(caches_take_cg_64, "kmalloc-cg-64"),
	CACHES_SCENARIO(caches_take_cg_256, "kmalloc-cg-256"),
	CACHES_SCENARIO(caches_take_rcl_64, "kmalloc-rcl-64"),
	CACHES_SCENARIO(caches_take_rcl_2k, "kmalloc-rcl-2k"),
	CACHES_SCENARIO(caches_take_dma_64, "dma-kmalloc-64"),
	CACHES_SCENARIO(caches_take_alone, "caches_alone"),
	CACHES_SCENARIO(caches_take_first, "caches_first"),
	CACHES_SCENARIO(caches_take_second, "caches_second"),
#if CACHES_BUCKETS
	CACHES_SCENARIO(caches_take_own_64, "caches_own-64"),
	CACHES_SCENARIO(caches_take_own_512, "caches_own-512"),
#endif
};

/* kfree() of an object from a cache that isn't kmalloc's is only legal since 6.4. */
static void caches_give(const struct caches_scenario *scenario, void *object)
{
	if (scenario->take == caches_take_alone)
		kmem_cache_free(caches_alone, object);
	else if (scenario->take == caches_take_first)
		kmem_cache_free(caches_first, object);
	else if (scenario->take == caches_take_second)
		kmem_cache_free(caches_second, object);
	else
		kfree(object);
}

static void caches_clean_up(void)
{
	unsigned int i, j;

	for (i = 0; i < ARRAY_SIZE(caches_scenarios); i++) {
		struct caches_scenario *scenario = &caches_scenarios[i];

		for (j = 0; j < CACHES_COUNT; j++) {
			if (scenario->objects[j])
				caches_give(scenario, scenario->objects[j]);
			scenario->objects[j] = NULL;
		}
	}
}

static int caches_play(struct caches_scenario *scenario)
{
	unsigned int i;

	for (i = 0; i < CACHES_COUNT; i++) {
		scenario->objects[i] = scenario->take();
		if (!scenario->objects[i])
			return -ENOMEM;
	}
	for (i = 0; i < CACHES_FREED; i++) {
		caches_give(scenario, scenario->objects[i]);
		scenario->objects[i] = NULL;
	}
	return 0;
}

/* ---- files ---- */

static int truth_show(struct seq_file *seq, void *unused)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(caches_scenarios); i++)
		seq_printf(seq, "%s %s %u %u\n", caches_scenarios[i].caller,
			   caches_scenarios[i].cache, CACHES_COUNT, CACHES_COUNT - CACHES_FREED);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(truth);

static int caches_run(void *data, u64 value)
{
	unsigned int i;
	int ret = 0;

	mutex_lock(&caches_mutex);
	caches_clean_up();
	for (i = 0; i < ARRAY_SIZE(caches_scenarios) && !ret; i++)
		ret = caches_play(&caches_scenarios[i]);
	mutex_unlock(&caches_mutex);
	return ret;
}
DEFINE_DEBUGFS_ATTRIBUTE(caches_run_fops, NULL, caches_run, "%llu\n");

/* A constructor keeps the cache from being merged with others of the same size. */
static void caches_ctor(void *object)
{
}

static void caches_destroy(void)
{
	caches_destroy_buckets();
	kmem_cache_destroy(caches_second);
	kmem_cache_destroy(caches_first);
	kmem_cache_destroy(caches_alone);
}

static int __init caches_init(void)
{
	caches_alone = kmem_cache_create("caches_alone", 232, 0, 0, caches_ctor);
	caches_first = kmem_cache_create("caches_first", CACHES_MERGED, 0, 0, NULL);
	caches_second = kmem_cache_create("caches_second", CACHES_MERGED, 0, 0, NULL);
	if (!caches_alone || !caches_first || !caches_second || caches_make_buckets()) {
		caches_destroy();
		return -ENOMEM;
	}
	caches_dir = debugfs_create_dir("kmemtrace_caches", NULL);
	debugfs_create_file("run", 0200, caches_dir, NULL, &caches_run_fops);
	debugfs_create_file("truth", 0400, caches_dir, NULL, &truth_fops);
	return 0;
}

static void __exit caches_exit(void)
{
	debugfs_remove_recursive(caches_dir);
	caches_clean_up();
	caches_destroy();
}

module_init(caches_init);
module_exit(caches_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Objects of known caches, for kmemtrace's tests");

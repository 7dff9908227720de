// SPDX-License-Identifier: GPL-2.0-only
/*
 * kmemtrace_counts - makes allocations that are easily counted twice, not at all, or with the wrong
 * size, and reports how many.
 *
 * Writing 1 to debugfs kmemtrace_counts/run runs all scenarios once. Each allocates in a function
 * of its own. "truth" then has a line for each:
 *
 *   kind caller count failed live req alloc
 *
 * kind: what is special about it: large (a kmalloc() of whole pages), fail, or resize (krealloc()
 * in place); count: allocations that succeeded; failed: allocations that failed; live: not freed;
 * req, alloc: bytes of each, as last requested and as allocated. What is left is freed when the
 * module is unloaded.
 *
 * Writing N to debugfs kmemtrace_counts/many allocates and frees N objects of the slab cache
 * counts_object. "many" then reads as the sum of all N since the module was loaded.
 *
 * Writing N to debugfs kmemtrace_counts/kept frees the kept objects, then allocates N objects of
 * that cache and an eighth as many by kmalloc(), and keeps them.
 *
 * Writing N to debugfs kmemtrace_counts/sizes does the same with N objects of each size in
 * counts_sizes, all by kmalloc().
 *
 * Writing N to debugfs kmemtrace_counts/rcu allocates N areas by kvmalloc(), too large for
 * kmalloc(), and calls kfree_rcu() for each.
 *
 * Writing N to debugfs kmemtrace_counts/pieces allocates N blocks of 32 pages and frees each page
 * by page, then allocates as many pages one by one, which land in the same place, and frees these.
 */
#include <linux/atomic.h>
#include <linux/debugfs.h>
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>

#define COUNTS_MAX	8	/* objects of one scenario */
#define COUNTS_LARGE	50000	/* above the largest slab cache of kmalloc() */
#define COUNTS_KMALLOC	2000	/* from a cache with few objects per slab */
#define COUNTS_TOO_LARGE SZ_64M	/* above the largest page order */
#define COUNTS_AREA	(5 * SZ_1M)	/* the same */
#define COUNTS_ORDER	5		/* the order of a block that is freed page by page */

struct counts_scenario {
	const char *kind, *caller;
	void *(*take)(struct counts_scenario *scenario);
	unsigned int count, freed;	/* objects allocated, and freed in order */
	size_t req;
	bool fails;
	/* The results, protected by counts_mutex. */
	void *objects[COUNTS_MAX];
	unsigned int failed;
	size_t alloc;
};

/* An object that is kept until the next write. */
struct counts_kept {
	struct counts_kept *next;
	bool is_kmalloc;
};

static DEFINE_MUTEX(counts_mutex);
static struct counts_kept *counts_kept, *counts_sized;
static struct kmem_cache *counts_cache;
static struct dentry *counts_dir;
static atomic_long_t counts_many;
static char *counts_source;		/* COUNTS_LARGE bytes */
static bool counts_played;

/*
 * An asm after a call keeps it from becoming a jump, which would remove the caller from the stack.
 * Its text is unique, so that the compiler doesn't merge functions.
 */
#define COUNTS_TAKE(name, call)						\
static noinline void *counts_take_##name(struct counts_scenario *scenario) \
{									\
	void *object = call;						\
									\
	asm volatile("# take_" #name ::: "memory");			\
	return object;							\
}

/* The object to be resized; its own call site doesn't matter. */
static noinline void *counts_small(size_t bytes)
{
	void *object = kmalloc(bytes, GFP_KERNEL);

	asm volatile("# small" ::: "memory");
	return object;
}

/* Resizes the object, which is freed on failure. */
static noinline void *counts_resized(void *object, size_t bytes)
{
	void *resized = object ? krealloc(object, bytes, GFP_KERNEL) : NULL;

	asm volatile("# resized" ::: "memory");
	if (object && !resized)
		kfree(object);
	return resized;
}

/* Constant and variable sizes take different paths. */
COUNTS_TAKE(sized, kmalloc(scenario->req, GFP_KERNEL))
COUNTS_TAKE(known, kmalloc(COUNTS_LARGE, GFP_KERNEL))
COUNTS_TAKE(node, kmalloc_node(scenario->req, GFP_KERNEL, 0))
COUNTS_TAKE(known_node, kmalloc_node(COUNTS_LARGE, GFP_KERNEL, 0))
COUNTS_TAKE(array, kcalloc(scenario->req / 4, 4, GFP_KERNEL))
COUNTS_TAKE(kvmalloc, kvmalloc(scenario->req, GFP_KERNEL))
COUNTS_TAKE(copy, kmemdup(counts_source, scenario->req, GFP_KERNEL))
COUNTS_TAKE(grown, krealloc(counts_small(100), scenario->req, GFP_KERNEL))
/* Resized in place, finally to the scenario's size. */
COUNTS_TAKE(larger, counts_resized(kmalloc(100, GFP_KERNEL), scenario->req))
COUNTS_TAKE(smaller, counts_resized(kmalloc(4096, GFP_KERNEL), scenario->req))
COUNTS_TAKE(often, counts_resized(counts_resized(counts_resized(kmalloc(100, GFP_KERNEL), 128), 10),
				  scenario->req))
COUNTS_TAKE(large_resized, counts_resized(kmalloc(COUNTS_LARGE, GFP_KERNEL), scenario->req))
COUNTS_TAKE(from_null, krealloc(NULL, scenario->req, GFP_KERNEL))
COUNTS_TAKE(failed, kmalloc(scenario->req, GFP_KERNEL | __GFP_NOWARN))
COUNTS_TAKE(failed_known, kmalloc(COUNTS_TOO_LARGE, GFP_KERNEL | __GFP_NOWARN))
/* As after an unchecked error. */
COUNTS_TAKE(failed_negative, kmalloc(-(size_t)scenario->req, GFP_KERNEL | __GFP_NOWARN))
COUNTS_TAKE(failed_kvmalloc, kvmalloc(scenario->req, GFP_KERNEL | __GFP_NOWARN))

#define COUNTS_OF(name)		.caller = "counts_take_" #name, .take = counts_take_##name

static struct counts_scenario counts_scenarios[] = {
	{ "large", COUNTS_OF(sized), .count = 6, .freed = 4, .req = COUNTS_LARGE },
	{ "large", COUNTS_OF(known), .count = 5, .freed = 4, .req = COUNTS_LARGE },
	{ "large", COUNTS_OF(node), .count = 4, .freed = 1, .req = COUNTS_LARGE },
	{ "large", COUNTS_OF(known_node), .count = 3, .freed = 0, .req = COUNTS_LARGE },
	{ "large", COUNTS_OF(array), .count = 6, .freed = 6, .req = COUNTS_LARGE },
	{ "large", COUNTS_OF(kvmalloc), .count = 6, .freed = 5, .req = COUNTS_LARGE },
	{ "large", COUNTS_OF(copy), .count = 5, .freed = 3, .req = COUNTS_LARGE },
	{ "large", COUNTS_OF(grown), .count = 4, .freed = 2, .req = COUNTS_LARGE },
	{ "resize", COUNTS_OF(larger), .count = 6, .freed = 3, .req = 128 },
	{ "resize", COUNTS_OF(smaller), .count = 5, .freed = 2, .req = 100 },
	{ "resize", COUNTS_OF(often), .count = 4, .freed = 1, .req = 110 },
	{ "resize", COUNTS_OF(large_resized), .count = 3, .freed = 1, .req = 60000 },
	{ "resize", COUNTS_OF(from_null), .count = 2, .freed = 1, .req = 100 },
	{ "fail", COUNTS_OF(failed), .count = 3, .fails = true, .req = COUNTS_TOO_LARGE },
	{ "fail", COUNTS_OF(failed_known), .count = 4, .fails = true, .req = COUNTS_TOO_LARGE },
	{ "fail", COUNTS_OF(failed_negative), .count = 5, .fails = true, .req = 100 },
	/* The memory comes from vmalloc. */
	{ "fail", COUNTS_OF(failed_kvmalloc), .count = 3, .fails = true, .freed = 3,
	  .req = 5 * SZ_1M },
};

static noinline void counts_give(void *object)
{
	kvfree(object);
	asm volatile("# give" ::: "memory");
}

/* ---- running ---- */

static bool counts_play_scenario(struct counts_scenario *scenario)
{
	unsigned int i;

	for (i = 0; i < scenario->count; i++) {
		void *object = scenario->take(scenario);

		if (!object && !scenario->fails)
			return false;
		scenario->objects[i] = object;
	}
	if (scenario->fails)
		scenario->failed = scenario->count;
	else
		scenario->alloc = ksize(scenario->objects[0]);
	for (i = 0; i < scenario->freed; i++) {
		counts_give(scenario->objects[i]);
		scenario->objects[i] = NULL;
	}
	return true;
}

static void counts_clean_up(void)
{
	unsigned int i, j;

	for (i = 0; i < ARRAY_SIZE(counts_scenarios); i++) {
		for (j = 0; j < COUNTS_MAX; j++) {
			kvfree(counts_scenarios[i].objects[j]);
			counts_scenarios[i].objects[j] = NULL;
		}
	}
	counts_played = false;
}

static int counts_play(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(counts_scenarios); i++) {
		if (!counts_play_scenario(&counts_scenarios[i]))
			return -ENOMEM;
	}
	counts_played = true;
	return 0;
}

/* ---- files ---- */

static void counts_show(struct seq_file *seq)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(counts_scenarios); i++) {
		const struct counts_scenario *scenario = &counts_scenarios[i];
		unsigned int taken = scenario->fails ? 0 : scenario->count;

		seq_printf(seq, "%s %s %u %u %u %zu %zu\n", scenario->kind, scenario->caller, taken,
			   scenario->failed, scenario->fails ? 0 : taken - scenario->freed,
			   scenario->req, scenario->alloc);
	}
}

static int truth_show(struct seq_file *seq, void *unused)
{
	mutex_lock(&counts_mutex);
	if (counts_played)
		counts_show(seq);
	mutex_unlock(&counts_mutex);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(truth);

static int counts_run(void *data, u64 value)
{
	int ret;

	mutex_lock(&counts_mutex);
	counts_clean_up();
	ret = counts_play();
	mutex_unlock(&counts_mutex);
	return ret;
}
DEFINE_DEBUGFS_ATTRIBUTE(counts_run_fops, NULL, counts_run, "%llu\n");

static int counts_many_get(void *data, u64 *value)
{
	*value = atomic_long_read(&counts_many);
	return 0;
}

/* Many threads may write at the same time. */
static int counts_many_set(void *data, u64 value)
{
	u64 i;

	for (i = 0; i < value; i++) {
		void *object = kmem_cache_alloc(counts_cache, GFP_KERNEL);

		if (!object)
			return -ENOMEM;
		kmem_cache_free(counts_cache, object);
		atomic_long_inc(&counts_many);
	}
	return 0;
}
DEFINE_DEBUGFS_ATTRIBUTE(counts_many_fops, counts_many_get, counts_many_set, "%llu\n");

/* ---- kept objects ---- */

/* An asm after the call: see COUNTS_TAKE. */
static noinline void counts_give_kept(struct counts_kept *kept)
{
	kmem_cache_free(counts_cache, kept);
	asm volatile("# give_kept" ::: "memory");
}

static noinline void counts_give_kmalloc(struct counts_kept *kept)
{
	kfree(kept);
	asm volatile("# give_kmalloc" ::: "memory");
}

static void counts_give_one(struct counts_kept **place)
{
	struct counts_kept *kept = *place;

	*place = kept->next;
	if (kept->is_kmalloc)
		counts_give_kmalloc(kept);
	else
		counts_give_kept(kept);
}

/*
 * Frees one in four first: their slabs are then on the partial lists, and freed with their last
 * object.
 */
static void counts_free_kept(void)
{
	struct counts_kept **place = &counts_kept;
	unsigned int i;

	for (i = 0; *place; i++) {
		if (i % 4)
			place = &(*place)->next;
		else
			counts_give_one(place);
	}
	while (counts_kept)
		counts_give_one(&counts_kept);
}

static int counts_keep(bool is_kmalloc)
{
	struct counts_kept *kept = is_kmalloc ? kmalloc(COUNTS_KMALLOC, GFP_KERNEL) :
						kmem_cache_alloc(counts_cache, GFP_KERNEL);

	if (!kept)
		return -ENOMEM;
	*kept = (struct counts_kept){ .next = counts_kept, .is_kmalloc = is_kmalloc };
	counts_kept = kept;
	return 0;
}

static int counts_kept_set(void *data, u64 value)
{
	int ret = 0;
	u64 i;

	mutex_lock(&counts_mutex);
	counts_free_kept();
	for (i = 0; !ret && i < value; i++)
		ret = counts_keep(false);
	for (i = 0; !ret && i < value / 8; i++)
		ret = counts_keep(true);
	mutex_unlock(&counts_mutex);
	return ret;
}
DEFINE_DEBUGFS_ATTRIBUTE(counts_kept_fops, NULL, counts_kept_set, "%llu\n");

/* ---- objects aligned to their size ---- */

/* From slabs, except the last. */
static const size_t counts_sizes[] = { 512, 1024, 2048, 4096, 8192, 16384 };

static noinline struct counts_kept *counts_take_size(size_t bytes)
{
	struct counts_kept *object = kmalloc(bytes, GFP_KERNEL);

	asm volatile("# take_size" ::: "memory");
	return object;
}

static noinline void counts_give_size(struct counts_kept *object)
{
	kfree(object);
	asm volatile("# give_size" ::: "memory");
}

static void counts_free_sizes(void)
{
	while (counts_sized) {
		struct counts_kept *object = counts_sized;

		counts_sized = object->next;
		counts_give_size(object);
	}
}

static int counts_keep_size(size_t bytes, u64 count)
{
	u64 i;

	for (i = 0; i < count; i++) {
		struct counts_kept *object = counts_take_size(bytes);

		if (!object)
			return -ENOMEM;
		object->next = counts_sized;
		counts_sized = object;
	}
	return 0;
}

static int counts_sizes_set(void *data, u64 value)
{
	unsigned int i;
	int ret = 0;

	mutex_lock(&counts_mutex);
	counts_free_sizes();
	for (i = 0; !ret && i < ARRAY_SIZE(counts_sizes); i++)
		ret = counts_keep_size(counts_sizes[i], value);
	mutex_unlock(&counts_mutex);
	return ret;
}
DEFINE_DEBUGFS_ATTRIBUTE(counts_sizes_fops, NULL, counts_sizes_set, "%llu\n");

/* ---- vmalloc space, by kfree_rcu() ---- */

struct counts_area {
	struct rcu_head head;
};

static noinline struct counts_area *counts_take_rcu(void)
{
	struct counts_area *area = kvmalloc(COUNTS_AREA, GFP_KERNEL);

	asm volatile("# take_rcu" ::: "memory");
	return area;
}

static noinline void counts_give_rcu(struct counts_area *area)
{
	kvfree_rcu(area, head);
	asm volatile("# give_rcu" ::: "memory");
}

static int counts_rcu_set(void *data, u64 value)
{
	u64 i;

	for (i = 0; i < value; i++) {
		struct counts_area *area = counts_take_rcu();

		if (!area)
			return -ENOMEM;
		counts_give_rcu(area);
	}
	return 0;
}
DEFINE_DEBUGFS_ATTRIBUTE(counts_rcu_fops, NULL, counts_rcu_set, "%llu\n");

/* ---- blocks that are freed page by page ---- */

static noinline struct page *counts_take_block(void)
{
	struct page *page = alloc_pages(GFP_KERNEL, COUNTS_ORDER);

	asm volatile("# take_block" ::: "memory");
	return page;
}

static noinline struct page *counts_take_page(void)
{
	struct page *page = alloc_page(GFP_KERNEL);

	asm volatile("# take_page" ::: "memory");
	return page;
}

static noinline void counts_give_page(struct page *page)
{
	__free_page(page);
	asm volatile("# give_page" ::: "memory");
}

/* The pages at the block's frames are the ones freed last. */
static int counts_play_pieces(void)
{
	struct page *pages[1 << COUNTS_ORDER], *block = counts_take_block();
	unsigned int i;

	if (!block)
		return -ENOMEM;
	split_page(block, COUNTS_ORDER);
	for (i = 0; i < ARRAY_SIZE(pages); i++)
		counts_give_page(block + i);
	for (i = 0; i < ARRAY_SIZE(pages); i++)
		pages[i] = counts_take_page();
	for (i = 0; i < ARRAY_SIZE(pages); i++) {
		if (pages[i])
			counts_give_page(pages[i]);
	}
	return 0;
}

static int counts_pieces_set(void *data, u64 value)
{
	int ret = 0;
	u64 i;

	for (i = 0; !ret && i < value; i++)
		ret = counts_play_pieces();
	return ret;
}
DEFINE_DEBUGFS_ATTRIBUTE(counts_pieces_fops, NULL, counts_pieces_set, "%llu\n");

/* A constructor keeps the cache from being merged with others of the same size. */
static void counts_ctor(void *object)
{
}

static int __init counts_init(void)
{
	counts_cache = kmem_cache_create("counts_object", 96, 0, 0, counts_ctor);
	counts_source = kvzalloc(COUNTS_LARGE, GFP_KERNEL);
	if (!counts_cache || !counts_source) {
		kmem_cache_destroy(counts_cache);
		kvfree(counts_source);
		return -ENOMEM;
	}
	counts_dir = debugfs_create_dir("kmemtrace_counts", NULL);
	debugfs_create_file("run", 0200, counts_dir, NULL, &counts_run_fops);
	debugfs_create_file("truth", 0400, counts_dir, NULL, &truth_fops);
	debugfs_create_file("many", 0600, counts_dir, NULL, &counts_many_fops);
	debugfs_create_file("kept", 0200, counts_dir, NULL, &counts_kept_fops);
	debugfs_create_file("sizes", 0200, counts_dir, NULL, &counts_sizes_fops);
	debugfs_create_file("rcu", 0200, counts_dir, NULL, &counts_rcu_fops);
	debugfs_create_file("pieces", 0200, counts_dir, NULL, &counts_pieces_fops);
	return 0;
}

static void __exit counts_exit(void)
{
	debugfs_remove_recursive(counts_dir);
	counts_clean_up();
	counts_free_kept();
	counts_free_sizes();
	kvfree(counts_source);
	kmem_cache_destroy(counts_cache);
}

module_init(counts_init);
module_exit(counts_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Allocations that are easily miscounted, for kmemtrace's tests");

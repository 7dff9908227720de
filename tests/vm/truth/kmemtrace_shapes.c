// SPDX-License-Identifier: GPL-2.0-only
/*
 * kmemtrace_shapes - holds memory in known ways over time, and reports what it did: a leak, a
 * bounded cache, a sawtooth, objects that keep slabs from being freed, and failing allocations.
 *
 * Writing 1 to debugfs kmemtrace_shapes/run runs all of them, in steps of equal time. Each
 * allocates and frees in functions of its own, which are the call sites. "truth" then has a line
 * for each:
 *
 *   shape caller free_caller allocs live peak bytes extra
 *
 * allocs: allocations that succeeded; live: how many of them are left; peak: most at one time;
 * bytes: of each; extra: sawtooth: how often all was freed; pinned: slabs, each of which has one
 * object left; failed: allocations that failed; else 0. "-": there is no such function. The line of
 * linear continues with two numbers for each quarter of the steps but the first: the least and the
 * most ns between its first object and the first of all. What is left is freed before the next run
 * and when the module is unloaded.
 *
 * With kept=N it allocates N objects during its init, frees every fifth of them before that ends,
 * and the others when it is unloaded, except leaked=M of them, which leak for good.
 */
#include <linux/debugfs.h>
#include <linux/delay.h>
#include <linux/gfp.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/seq_file.h>
#include <linux/slab.h>

#define SHAPE_STEPS		200
#define SHAPE_STEP_US		4000
#define SHAPE_QUARTER		(SHAPE_STEPS / 4)
#define SHAPE_BYTES		104
#define SHAPE_BOUND		16	/* objects that the bounded cache holds */
#define SHAPE_TOOTH_STEPS	25	/* after which the whole sawtooth is freed */
#define SHAPE_TOOTH		2	/* objects per step */
#define SHAPE_PINNED		320	/* objects, of which one per slab is kept */
#define SHAPE_FAIL_ORDER	10	/* 4 MiB, or 16 MiB of large pages */
#define SHAPE_FAIL_GFP		(__GFP_DMA | __GFP_NOWARN | __GFP_NORETRY)
#define SHAPE_FAILURES		5
#ifdef CONFIG_X86
#define SHAPE_BLOCKS_MAX	8	/* the DMA zone has four such blocks at most */
#else
#define SHAPE_BLOCKS_MAX	1024	/* the DMA zone is all of a guest's memory */
#endif
#define SHAPE_KEPT_MAX		100
#define SHAPE_KEPT_GIVEN	5	/* one in so many is freed at once */

/*
 * An asm after a call keeps it from becoming a jump, which would remove the caller from the stack.
 * Its text is unique, so that the compiler doesn't merge functions.
 */
#define shape_stay(name)	asm volatile("# " #name ::: "memory")

/* The results, protected by shape_mutex. */
static void *shape_linear[SHAPE_STEPS];
static void *shape_bounded[SHAPE_BOUND];
static void *shape_tooth[SHAPE_TOOTH_STEPS * SHAPE_TOOTH];
static void *shape_pinned[SHAPE_PINNED];
static struct page *shape_blocks[SHAPE_BLOCKS_MAX];
static ktime_t shape_begin[4], shape_end[4];	/* around the first linear object of each quarter */
static unsigned int shape_slabs, shape_blocks_taken, shape_drops;
static size_t shape_bytes;
static bool shape_played;

/* Set when the module is loaded. */
static unsigned int kept, leaked;
static void *shape_kept[SHAPE_KEPT_MAX];
module_param(kept, uint, 0400);
module_param(leaked, uint, 0400);

static DEFINE_MUTEX(shape_mutex);
static struct kmem_cache *shape_cache;
static struct dentry *shape_dir;

#define SHAPE_TAKE(name)						\
static noinline void *shape_take_##name(void)				\
{									\
	void *object = kmalloc(SHAPE_BYTES, GFP_KERNEL);		\
									\
	shape_stay(take_##name);					\
	return object;							\
}

#define SHAPE_GIVE(name)						\
static noinline void shape_give_##name(void *object)			\
{									\
	kfree(object);							\
	shape_stay(give_##name);					\
}

SHAPE_TAKE(linear)
SHAPE_TAKE(bounded)
SHAPE_GIVE(bounded)
SHAPE_TAKE(tooth)
SHAPE_GIVE(tooth)
SHAPE_TAKE(kept)
SHAPE_GIVE(kept)

static noinline void *shape_take_pinned(void)
{
	void *object = kmem_cache_alloc(shape_cache, GFP_KERNEL);

	shape_stay(take_pinned);
	return object;
}

static noinline void shape_give_pinned(void *object)
{
	kmem_cache_free(shape_cache, object);
	shape_stay(give_pinned);
}

/* Without reclaim, so that it is quick: once it fails, all free blocks are taken. */
static noinline struct page *shape_take_failed(void)
{
	struct page *page = alloc_pages(SHAPE_FAIL_GFP, SHAPE_FAIL_ORDER);

	shape_stay(take_failed);
	return page;
}

/* ---- running ---- */

/* Keeps one object of each slab. Objects of a slab may not be consecutive. */
static bool shape_play_pinned(void)
{
	unsigned int i, j;

	for (i = 0; i < SHAPE_PINNED; i++) {
		shape_pinned[i] = shape_take_pinned();
		if (!shape_pinned[i])
			return false;
	}
	for (i = 0; i < SHAPE_PINNED; i++) {
		struct page *page = virt_to_head_page(shape_pinned[i]);

		for (j = 0; j < shape_slabs; j++)
			if (virt_to_head_page(shape_pinned[j]) == page)
				break;
		if (j == shape_slabs) {
			swap(shape_pinned[shape_slabs], shape_pinned[i]);
			shape_slabs++;
		}
	}
	for (i = shape_slabs; i < SHAPE_PINNED; i++) {
		shape_give_pinned(shape_pinned[i]);
		shape_pinned[i] = NULL;
	}
	return true;
}

/* Allocates all free blocks, then fails SHAPE_FAILURES times, and frees the blocks. */
static bool shape_play_failed(void)
{
	unsigned int failed = 0, i;

	while (failed < SHAPE_FAILURES && shape_blocks_taken < SHAPE_BLOCKS_MAX) {
		struct page *page = shape_take_failed();

		if (page)
			shape_blocks[shape_blocks_taken++] = page;
		else
			failed++;
	}
	for (i = 0; i < shape_blocks_taken; i++)
		__free_pages(shape_blocks[i], SHAPE_FAIL_ORDER);
	return failed == SHAPE_FAILURES;
}

static void shape_drop_tooth(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(shape_tooth); i++) {
		shape_give_tooth(shape_tooth[i]);
		shape_tooth[i] = NULL;
	}
	shape_drops++;
}

static void shape_step_linear(unsigned int step)
{
	ktime_t begin = ktime_get();

	shape_linear[step] = shape_take_linear();
	if (step % SHAPE_QUARTER == 0) {
		shape_begin[step / SHAPE_QUARTER] = begin;
		shape_end[step / SHAPE_QUARTER] = ktime_get();
	}
}

static bool shape_step(unsigned int step)
{
	unsigned int i, tooth = step % SHAPE_TOOTH_STEPS;
	void **oldest = &shape_bounded[step % SHAPE_BOUND];

	shape_step_linear(step);
	if (*oldest)
		shape_give_bounded(*oldest);
	*oldest = shape_take_bounded();
	if (!shape_linear[step] || !*oldest)
		return false;
	for (i = 0; i < SHAPE_TOOTH; i++) {
		void *object = shape_take_tooth();

		if (!object)
			return false;
		shape_tooth[tooth * SHAPE_TOOTH + i] = object;
	}
	if (tooth == SHAPE_TOOTH_STEPS - 1)
		shape_drop_tooth();
	return true;
}

static int shape_play(void)
{
	unsigned int step;

	if (!shape_play_pinned() || !shape_play_failed())
		return -ENOMEM;
	for (step = 0; step < SHAPE_STEPS; step++) {
		if (!shape_step(step))
			return -ENOMEM;
		usleep_range(SHAPE_STEP_US, SHAPE_STEP_US + SHAPE_STEP_US / 10);
	}
	shape_bytes = ksize(shape_linear[0]);
	shape_played = true;
	return 0;
}

/* ---- freeing, by functions other than those of the shapes ---- */

static void shape_free_all(void **objects, unsigned int count)
{
	unsigned int i;

	for (i = 0; i < count; i++) {
		kfree(objects[i]);
		objects[i] = NULL;
	}
}

static noinline void shape_clean_up(void)
{
	unsigned int i;

	shape_free_all(shape_linear, ARRAY_SIZE(shape_linear));
	shape_free_all(shape_bounded, ARRAY_SIZE(shape_bounded));
	shape_free_all(shape_tooth, ARRAY_SIZE(shape_tooth));
	for (i = 0; i < SHAPE_PINNED; i++) {
		if (shape_pinned[i])
			kmem_cache_free(shape_cache, shape_pinned[i]);
		shape_pinned[i] = NULL;
	}
	shape_slabs = 0;
	shape_blocks_taken = 0;
	shape_drops = 0;
	shape_played = false;
}

/* ---- load and unload ---- */

static int shape_take_all_kept(void)
{
	unsigned int i;

	if (kept > SHAPE_KEPT_MAX || leaked > kept)
		return -EINVAL;
	for (i = 0; i < kept; i++) {
		shape_kept[i] = shape_take_kept();
		if (!shape_kept[i])
			return -ENOMEM;
	}
	for (i = 0; i < kept; i += SHAPE_KEPT_GIVEN) {
		shape_give_kept(shape_kept[i]);
		shape_kept[i] = NULL;
	}
	return 0;
}

static void shape_give_all_kept(void)
{
	unsigned int i, left = leaked;

	for (i = 0; i < kept; i++) {
		if (!shape_kept[i])
			continue;
		if (left)
			left--;
		else
			shape_give_kept(shape_kept[i]);
	}
}

/* ---- files ---- */

static void shape_show(struct seq_file *seq)
{
	unsigned int i;

	seq_printf(seq, "linear shape_take_linear - %u %u %u %zu 0", SHAPE_STEPS, SHAPE_STEPS,
		   SHAPE_STEPS, shape_bytes);
	for (i = 1; i < 4; i++)
		seq_printf(seq, " %lld %lld",
			   ktime_to_ns(ktime_sub(shape_begin[i], shape_end[0])),
			   ktime_to_ns(ktime_sub(shape_end[i], shape_begin[0])));
	seq_putc(seq, '\n');
	seq_printf(seq, "bounded shape_take_bounded shape_give_bounded %u %u %u %zu 0\n",
		   SHAPE_STEPS, SHAPE_BOUND, SHAPE_BOUND, shape_bytes);
	seq_printf(seq, "sawtooth shape_take_tooth shape_give_tooth %u 0 %u %zu %u\n",
		   SHAPE_STEPS * SHAPE_TOOTH, SHAPE_TOOTH_STEPS * SHAPE_TOOTH, shape_bytes,
		   shape_drops);
	seq_printf(seq, "pinned shape_take_pinned shape_give_pinned %u %u %u %u %u\n", SHAPE_PINNED,
		   shape_slabs, SHAPE_PINNED, kmem_cache_size(shape_cache), shape_slabs);
	seq_printf(seq, "failed shape_take_failed - %u 0 %u %lu %u\n", shape_blocks_taken,
		   shape_blocks_taken, PAGE_SIZE << SHAPE_FAIL_ORDER, SHAPE_FAILURES);
}

static int truth_show(struct seq_file *seq, void *unused)
{
	mutex_lock(&shape_mutex);
	if (shape_played)
		shape_show(seq);
	mutex_unlock(&shape_mutex);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(truth);

static int shape_run(void *data, u64 value)
{
	int ret;

	mutex_lock(&shape_mutex);
	shape_clean_up();
	ret = shape_play();
	mutex_unlock(&shape_mutex);
	return ret;
}
DEFINE_DEBUGFS_ATTRIBUTE(shape_run_fops, NULL, shape_run, "%llu\n");

/* A constructor keeps the cache from being merged with others of the same size. */
static void shape_ctor(void *object)
{
}

static int __init shape_init(void)
{
	int ret;

	shape_cache = kmem_cache_create("shape_pinned", 256, 0, 0, shape_ctor);
	if (!shape_cache)
		return -ENOMEM;
	ret = shape_take_all_kept();
	if (ret) {
		kmem_cache_destroy(shape_cache);
		return ret;
	}
	shape_dir = debugfs_create_dir("kmemtrace_shapes", NULL);
	debugfs_create_file("run", 0200, shape_dir, NULL, &shape_run_fops);
	debugfs_create_file("truth", 0400, shape_dir, NULL, &truth_fops);
	return 0;
}

static void __exit shape_exit(void)
{
	debugfs_remove_recursive(shape_dir);
	shape_clean_up();
	shape_give_all_kept();
	kmem_cache_destroy(shape_cache);
}

module_init(shape_init);
module_exit(shape_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Known shapes of growth, for kmemtrace's tests");

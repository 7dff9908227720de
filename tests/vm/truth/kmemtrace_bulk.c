// SPDX-License-Identifier: GPL-2.0-only
/*
 * kmemtrace_bulk - allocates and frees in bulk, and reports what it did, for tests of how the
 * tracer sees functions without tracepoints.
 *
 * In debugfs kmemtrace_bulk:
 *
 *   threads  1 starts a thread for each line of "held" but the last, which is a timer; 0 stops them
 *   turns    N returns when each has done N more turns: allocated objects and freed them
 *   held     for each: caller free_caller objects; objects is the most that it holds at any time
 *   pages    N allocates N pages by alloc_pages_bulk() into an empty array, frees them, and sets
 *            "taken" to their number
 *   mixed    the same, with one page already in the array, in the last slot but one
 *   memory   N calls kmem_cache_alloc_bulk() for N objects of BULK_LARGE bytes in the DMA zone,
 *            which has 16 MiB, and sets "taken" to the number that it got
 *   charge   N allocates accounted pages until N allocations have failed, in a cgroup with a limit;
 *            then N times 16 accounted objects of one cache in bulk, and frees all. "taken" is the
 *            number of failed calls for objects
 *   rcu      N passes N objects to kfree_rcu()
 *   kill     1 makes ftrace shut itself down, as it does when it finds unexpected code; it stays
 *            off until the next boot
 */
#include <linux/cgroup.h>
#include <linux/debugfs.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/gfp.h>
#include <linux/kprobes.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/seq_file.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/timer.h>
#include <linux/version.h>
#include <linux/vmalloc.h>

#define BULK_COUNT	16	/* objects of a turn */
#define BULK_BYTES	200
#define BULK_LARGE	(SZ_1M - 64)
#define BULK_PAGES_MAX	8192
#define BULK_CALLS_MAX	4096
#define BULK_GFP_FAIL	(GFP_KERNEL | __GFP_ACCOUNT | __GFP_NORETRY | __GFP_NOWARN)

#define bulk_stay()	asm volatile("" ::: "memory")	/* prevents a tail call */

struct bulk_object {
	struct rcu_head head;
	char bytes[BULK_BYTES - sizeof(struct rcu_head)];
};

static DEFINE_MUTEX(bulk_mutex);
static struct dentry *bulk_dir;
static struct kmem_cache *bulk_objects, *bulk_accounted, *bulk_large;
static u32 bulk_taken;

/* ---- threads ---- */

struct bulk_kind {
	const char *caller, *free_caller;
	bool (*take)(void **objects);
	void (*give)(void **objects);
	struct task_struct *thread;
	unsigned long turns;
};

static noinline bool bulk_take_kmalloc(void **objects)
{
	unsigned int i;

	for (i = 0; i < BULK_COUNT; i++)
		objects[i] = kmalloc(BULK_BYTES, GFP_KERNEL | __GFP_NOFAIL);
	bulk_stay();
	return true;
}

static noinline void bulk_give_kmalloc(void **objects)
{
	kfree_bulk(BULK_COUNT, objects);
	bulk_stay();
}

static noinline bool bulk_take_rcu(void **objects)
{
	unsigned int i;

	for (i = 0; i < BULK_COUNT; i++)
		objects[i] = kmalloc(BULK_BYTES, GFP_KERNEL | __GFP_NOFAIL);
	bulk_stay();
	return true;
}

static noinline void bulk_give_rcu(void **objects)
{
	unsigned int i;

	for (i = 0; i < BULK_COUNT; i++) {
		struct bulk_object *object = objects[i];

		kfree_rcu(object, head);
	}
	bulk_stay();
}

static noinline bool bulk_take_objects(void **objects)
{
	bool taken = kmem_cache_alloc_bulk(bulk_objects, GFP_KERNEL, BULK_COUNT, objects);

	bulk_stay();
	return taken;
}

static noinline void bulk_give_objects(void **objects)
{
	kmem_cache_free_bulk(bulk_objects, BULK_COUNT, objects);
	bulk_stay();
}

static noinline bool bulk_take_single(void **objects)
{
	unsigned int i;

	for (i = 0; i < BULK_COUNT; i++)
		objects[i] = kmem_cache_alloc(bulk_objects, GFP_KERNEL | __GFP_NOFAIL);
	bulk_stay();
	return true;
}

static noinline void bulk_give_single(void **objects)
{
	unsigned int i;

	for (i = 0; i < BULK_COUNT; i++)
		kmem_cache_free(bulk_objects, objects[i]);
	bulk_stay();
}

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 14, 0)
#define bulk_alloc_pages(count, pages)	alloc_pages_bulk(GFP_KERNEL, count, pages)
#else
#define bulk_alloc_pages(count, pages)	alloc_pages_bulk_array(GFP_KERNEL, count, pages)
#endif

static noinline bool bulk_take_pages(void **objects)
{
	memset(objects, 0, BULK_COUNT * sizeof(*objects));
	bulk_alloc_pages(BULK_COUNT, (struct page **)objects);
	bulk_stay();
	return true;
}

static noinline void bulk_give_pages(void **objects)
{
	unsigned int i;

	for (i = 0; i < BULK_COUNT; i++) {
		if (objects[i])
			__free_page(objects[i]);
	}
	bulk_stay();
}

/* In an interrupt, which may occur while a probe runs. */
static noinline bool bulk_take_timer(void **objects)
{
	unsigned int i;

	for (i = 0; i < BULK_COUNT; i++)
		objects[i] = kmalloc(BULK_BYTES, GFP_ATOMIC);
	bulk_stay();
	return true;
}

static noinline void bulk_give_timer(void **objects)
{
	unsigned int i, count = 0;

	for (i = 0; i < BULK_COUNT; i++) {
		if (objects[i])
			objects[count++] = objects[i];
	}
	kfree_bulk(count, objects);
	bulk_stay();
}

#define BULK_KIND(name)	{							\
	.caller = "bulk_take_" #name, .free_caller = "bulk_give_" #name,	\
	.take = bulk_take_##name, .give = bulk_give_##name,			\
}

static struct bulk_kind bulk_kinds[] = {
	BULK_KIND(kmalloc), BULK_KIND(rcu), BULK_KIND(objects), BULK_KIND(single), BULK_KIND(pages),
	BULK_KIND(timer),
};

#define BULK_THREADS	(ARRAY_SIZE(bulk_kinds) - 1)

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 2, 0)
#define timer_delete_sync	del_timer_sync
#endif

static void bulk_tick(struct timer_list *timer);
static DEFINE_TIMER(bulk_timer, bulk_tick);
static bool bulk_ticks;

static void bulk_tick(struct timer_list *timer)
{
	struct bulk_kind *kind = &bulk_kinds[BULK_THREADS];
	void *objects[BULK_COUNT];

	kind->take(objects);
	kind->give(objects);
	WRITE_ONCE(kind->turns, kind->turns + 1);
	mod_timer(timer, jiffies + 1);
}

/* Holds its objects half of the time, and yields the CPU so that buffers suffice. */
static int bulk_thread(void *data)
{
	struct bulk_kind *kind = data;
	void *objects[BULK_COUNT];

	while (!kthread_should_stop()) {
		bool taken = kind->take(objects);

		usleep_range(200, 400);
		if (taken)
			kind->give(objects);
		usleep_range(200, 400);
		WRITE_ONCE(kind->turns, kind->turns + 1);
	}
	return 0;
}

static void bulk_stop(void)
{
	unsigned int i;

	timer_delete_sync(&bulk_timer);
	bulk_ticks = false;
	for (i = 0; i < BULK_THREADS; i++) {
		if (bulk_kinds[i].thread)
			kthread_stop(bulk_kinds[i].thread);
		bulk_kinds[i].thread = NULL;
	}
}

static int bulk_start(void)
{
	unsigned int i;

	for (i = 0; i < BULK_THREADS; i++) {
		struct task_struct *thread =
			kthread_run(bulk_thread, &bulk_kinds[i], "%s", bulk_kinds[i].caller);

		if (IS_ERR(thread)) {
			bulk_stop();
			return PTR_ERR(thread);
		}
		bulk_kinds[i].thread = thread;
	}
	bulk_ticks = true;
	mod_timer(&bulk_timer, jiffies + 1);
	return 0;
}

static int bulk_set_threads(u64 on)
{
	bulk_stop();
	return on ? bulk_start() : 0;
}

static int bulk_set_turns(u64 turns)
{
	unsigned long until[ARRAY_SIZE(bulk_kinds)];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bulk_kinds); i++)
		until[i] = READ_ONCE(bulk_kinds[i].turns) + turns;
	for (i = 0; i < ARRAY_SIZE(bulk_kinds); i++) {
		while (bulk_ticks && READ_ONCE(bulk_kinds[i].turns) < until[i]) {
			if (msleep_interruptible(1))
				return -EINTR;
		}
	}
	return 0;
}

/* ---- pages in bulk ---- */

/* One call may return fewer pages than requested. */
static noinline unsigned int bulk_take_many(struct page **pages, unsigned int count)
{
	unsigned int taken = 0, before;

	do {
		before = taken;
		taken = bulk_alloc_pages(count, pages);
	} while (taken < count && taken > before);
	return taken;
}

/* The same in one call. */
static noinline unsigned int bulk_take_mixed(struct page **pages, unsigned int count)
{
	unsigned int taken = bulk_alloc_pages(count, pages);

	bulk_stay();
	return taken;
}

static noinline void bulk_give_many(struct page **pages, unsigned int count)
{
	unsigned int i;

	for (i = 0; i < count; i++) {
		if (pages[i])
			__free_page(pages[i]);
	}
	bulk_stay();
}

static unsigned int bulk_count_pages(struct page **pages, unsigned int count)
{
	unsigned int i, there = 0;

	for (i = 0; i < count; i++)
		there += pages[i] != NULL;
	return there;
}

static int bulk_play_pages(u64 count)
{
	struct page **pages = count <= BULK_PAGES_MAX ? vcalloc(count, sizeof(*pages)) : NULL;

	if (!pages)
		return -ENOMEM;
	bulk_take_many(pages, count);
	bulk_taken = bulk_count_pages(pages, count);
	bulk_give_many(pages, count);
	vfree(pages);
	return 0;
}

static int bulk_play_mixed(u64 count)
{
	struct page **pages =
		count > 1 && count <= BULK_PAGES_MAX ? vcalloc(count, sizeof(*pages)) : NULL;
	int ret = -ENOMEM;

	if (!pages)
		return ret;
	pages[count - 2] = alloc_page(GFP_KERNEL);
	if (pages[count - 2]) {
		bulk_take_mixed(pages, count);
		bulk_taken = bulk_count_pages(pages, count) - 1;
		bulk_give_many(pages, count);
		ret = 0;
	}
	vfree(pages);
	return ret;
}

/* ---- allocations that the kernel undoes ---- */

static noinline int bulk_fail_memory(void **objects, unsigned int count)
{
	int taken = kmem_cache_alloc_bulk(bulk_large, __GFP_NOWARN | __GFP_NOMEMALLOC, count,
					  objects);

	bulk_stay();
	return taken;
}

static int bulk_play_memory(u64 count)
{
	void **objects = vcalloc(count, sizeof(*objects));

	if (!objects)
		return -ENOMEM;
	bulk_taken = bulk_fail_memory(objects, count);
	if (bulk_taken)
		kmem_cache_free_bulk(bulk_large, bulk_taken, objects);
	vfree(objects);
	return 0;
}

static noinline struct page *bulk_fail_page(void)
{
	struct page *page = alloc_pages(BULK_GFP_FAIL, 0);

	bulk_stay();
	return page;
}

static noinline int bulk_fail_objects(void **objects)
{
	int taken = kmem_cache_alloc_bulk(bulk_accounted, BULK_GFP_FAIL, BULK_COUNT, objects);

	bulk_stay();
	return taken;
}

static int bulk_play_charge(u64 failures)
{
	struct page **pages = vcalloc(BULK_PAGES_MAX, sizeof(*pages));
	void *(*objects)[BULK_COUNT] = vcalloc(BULK_CALLS_MAX, sizeof(*objects));
	unsigned int taken = 0, failed = 0, calls = 0;
	int ret = -ENOMEM;

	if (!pages || !objects)
		goto free;
	while (failed < failures && taken < BULK_PAGES_MAX) {
		pages[taken] = bulk_fail_page();
		if (pages[taken])
			taken++;
		else
			failed++;
	}
	/* Each CPU may have charged some pages in advance. */
	for (bulk_taken = 0; bulk_taken < failures && calls < BULK_CALLS_MAX;) {
		if (bulk_fail_objects(objects[calls]))
			calls++;
		else
			bulk_taken++;
	}
	ret = failed == failures && bulk_taken == failures ? 0 : -ERANGE;
	while (calls--)
		kmem_cache_free_bulk(bulk_accounted, BULK_COUNT, objects[calls]);
	bulk_give_many(pages, taken);
free:
	vfree(objects);
	vfree(pages);
	return ret;
}

static int bulk_play_rcu(u64 count)
{
	void *objects[BULK_COUNT];
	u64 i;

	for (i = 0; i < count; i += BULK_COUNT) {
		bulk_take_rcu(objects);
		bulk_give_rcu(objects);
	}
	return 0;
}

/* ---- ftrace ---- */

/* The function isn't exported. A kprobe that is never armed finds its address. */
static int bulk_kill_ftrace(u64 unused)
{
	struct kprobe probe = { .symbol_name = "ftrace_kill", .flags = KPROBE_FLAG_DISABLED };
	int ret = register_kprobe(&probe);
	void (*kill)(void) = (void *)probe.addr;

	if (ret)
		return ret;
	unregister_kprobe(&probe);
	kill();
	return 0;
}

/* ---- files ---- */

static const struct bulk_control {
	const char *name;
	int (*func)(u64 value);
} bulk_controls[] = {
	{ "threads", bulk_set_threads }, { "turns", bulk_set_turns }, { "pages", bulk_play_pages },
	{ "mixed", bulk_play_mixed }, { "memory", bulk_play_memory }, { "charge", bulk_play_charge },
	{ "rcu", bulk_play_rcu }, { "kill", bulk_kill_ftrace },
};

static int bulk_control(void *data, u64 value)
{
	const struct bulk_control *control = data;
	int ret;

	mutex_lock(&bulk_mutex);
	ret = control->func(value);
	mutex_unlock(&bulk_mutex);
	return ret;
}
DEFINE_DEBUGFS_ATTRIBUTE(bulk_control_fops, NULL, bulk_control, "%llu\n");

static int held_show(struct seq_file *seq, void *unused)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bulk_kinds); i++)
		seq_printf(seq, "%s %s %u\n", bulk_kinds[i].caller, bulk_kinds[i].free_caller,
			   BULK_COUNT);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(held);

/* A constructor keeps the cache from being merged with others of its size. */
static void bulk_ctor(void *object)
{
}

static void bulk_destroy_caches(void)
{
	kmem_cache_destroy(bulk_objects);
	kmem_cache_destroy(bulk_accounted);
	kmem_cache_destroy(bulk_large);
}

static int __init bulk_init(void)
{
	unsigned int i;

	bulk_objects = kmem_cache_create("bulk_object", 72, 0, 0, bulk_ctor);
	bulk_accounted = kmem_cache_create("bulk_accounted", 1024, 0, 0, bulk_ctor);
	bulk_large = kmem_cache_create("bulk_large", BULK_LARGE, 0, SLAB_CACHE_DMA, bulk_ctor);
	if (!bulk_objects || !bulk_accounted || !bulk_large) {
		bulk_destroy_caches();
		return -ENOMEM;
	}
	bulk_dir = debugfs_create_dir("kmemtrace_bulk", NULL);
	for (i = 0; i < ARRAY_SIZE(bulk_controls); i++)
		debugfs_create_file(bulk_controls[i].name, 0200, bulk_dir,
				    (void *)&bulk_controls[i], &bulk_control_fops);
	debugfs_create_file("held", 0400, bulk_dir, NULL, &held_fops);
	debugfs_create_u32("taken", 0400, bulk_dir, &bulk_taken);
	return 0;
}

static void __exit bulk_exit(void)
{
	debugfs_remove_recursive(bulk_dir);
	bulk_stop();
	rcu_barrier();
	bulk_destroy_caches();
}

module_init(bulk_init);
module_exit(bulk_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Bulk allocations and frees, for kmemtrace's tests");

// SPDX-License-Identifier: GPL-2.0-only
/*
 * kmemtrace_truth - allocates and frees in a known way, and reports what it did, so that a test can
 * compare the tracer's answers with the truth.
 *
 * Writing 1 to debugfs kmemtrace_truth/run runs all scenarios once. Each allocates and frees in
 * functions of its own, which are not inlined and so are the call sites. "truth" then has a line
 * for each scenario:
 *
 *   kind caller count req alloc live min_ns max_ns free_caller cpu free_cpu pieces paths
 *
 * kind: kmalloc, rcu (kmalloc freed by kfree_rcu()), cache, page, percpu or vmalloc; req, alloc:
 * bytes of each; live: how many are not freed; min_ns, max_ns: bounds of the lifetimes of freed
 * objects; paths: comma-separated words in the names of the tracer's paths that it needs to see
 * them; "-": not fixed or nothing. What is left is freed when the module is unloaded.
 *
 * Writing N to "softirq" allocates and frees N objects, each in a softirq of its own, which usually
 * runs in the writing thread, as that enables softirqs again.
 */
#include <linux/bug.h>
#include <linux/cpumask.h>
#include <linux/debugfs.h>
#include <linux/delay.h>
#include <linux/gfp.h>
#include <linux/interrupt.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/version.h>
#include <linux/vmalloc.h>
#include <linux/workqueue.h>

#ifdef CONFIG_X86
#include <asm/tsc.h>
#endif

#define TRUTH_MAX	128	/* objects of one scenario */
#define TRUTH_HOLD_MS	50	/* minimum time for which objects are kept */

struct truth_scenario {
	const char *kind;
	const char *caller, *free_caller;
	void *(*take)(struct truth_scenario *scenario);
	void (*give)(struct truth_scenario *scenario, void *object);
	bool (*take_bulk)(struct truth_scenario *scenario);	/* if set, replaces take for all */
	void (*give_bulk)(struct truth_scenario *scenario);	/* replaces give for the freed */
	const char *paths;
	unsigned int count, freed;	/* objects allocated, and freed in order */
	size_t req, alloc;		/* bytes of each; for pages, of the block */
	unsigned int order;		/* for pages only */
	unsigned int pieces;		/* number of frees for an object */
	bool cross;			/* allocated on the first online CPU, freed on the last */
	/* The results, protected by truth_mutex. */
	void *objects[TRUTH_MAX];
	ktime_t take_begin, take_end, give_begin, give_end;
};

static DEFINE_MUTEX(truth_mutex);
static struct kmem_cache *truth_objects;
static struct dentry *truth_dir;
static bool truth_played;

/*
 * An empty asm after the call keeps it from becoming a jump, which would remove the caller from the
 * stack.
 */
#define truth_stay()	asm volatile("" ::: "memory")

#define TRUTH_TAKE(name, call)						\
static noinline void *name(struct truth_scenario *scenario)		\
{									\
	void *object = call;						\
									\
	truth_stay();							\
	return object;							\
}

#define TRUTH_GIVE(name, call)						\
static noinline void name(struct truth_scenario *scenario, void *object) \
{									\
	call;								\
	truth_stay();							\
}

TRUTH_TAKE(truth_take_freed, kmalloc(scenario->req, GFP_KERNEL))
TRUTH_GIVE(truth_give_freed, kfree(object))
TRUTH_TAKE(truth_take_leaked, kmalloc(scenario->req, GFP_KERNEL))
TRUTH_TAKE(truth_take_cross, kmalloc(scenario->req, GFP_KERNEL))
TRUTH_GIVE(truth_give_cross, kfree(object))
TRUTH_TAKE(truth_take_large, kmalloc(scenario->req, GFP_KERNEL))
TRUTH_GIVE(truth_give_large, kfree(object))
TRUTH_TAKE(truth_take_object, kmem_cache_alloc(truth_objects, GFP_KERNEL))
TRUTH_GIVE(truth_give_object, kmem_cache_free(truth_objects, object))
TRUTH_TAKE(truth_take_page, alloc_pages(GFP_KERNEL, scenario->order))
TRUTH_GIVE(truth_give_page, __free_pages(object, scenario->order))
TRUTH_TAKE(truth_take_pages1, alloc_pages(GFP_KERNEL, scenario->order))
TRUTH_GIVE(truth_give_pages1, __free_pages(object, scenario->order))
TRUTH_TAKE(truth_take_pages3, alloc_pages(GFP_KERNEL, scenario->order))
TRUTH_GIVE(truth_give_pages3, __free_pages(object, scenario->order))

/* A block that is split and then freed page by page. */
static noinline void *truth_take_split(struct truth_scenario *scenario)
{
	struct page *page = alloc_pages(GFP_KERNEL, scenario->order);

	if (page)
		split_page(page, scenario->order);
	return page;
}

static noinline void truth_give_split(struct truth_scenario *scenario, void *object)
{
	struct page *page = object;
	unsigned int i;

	for (i = 0; i < 1U << scenario->order; i++)
		__free_page(page + i);
	truth_stay();
}

#ifdef kmalloc_nolock
TRUTH_TAKE(truth_take_nolock, kmalloc_nolock(scenario->req, 0, NUMA_NO_NODE))
TRUTH_GIVE(truth_give_nolock, kfree_nolock(object))
#endif

/* ---- bulk calls ---- */

static noinline bool truth_take_bulk(struct truth_scenario *scenario)
{
	bool taken = kmem_cache_alloc_bulk(truth_objects, GFP_KERNEL, scenario->count,
					   scenario->objects);

	truth_stay();
	return taken;
}

static noinline void truth_give_bulk(struct truth_scenario *scenario)
{
	kmem_cache_free_bulk(truth_objects, scenario->freed, scenario->objects);
	truth_stay();
}

TRUTH_TAKE(truth_take_kbulk, kmalloc(scenario->req, GFP_KERNEL))

static noinline void truth_give_kbulk(struct truth_scenario *scenario)
{
	kfree_bulk(scenario->freed, scenario->objects);
	truth_stay();
}

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 14, 0)
#define truth_alloc_pages(count, pages)	alloc_pages_bulk(GFP_KERNEL, count, pages)
#else
#define truth_alloc_pages(count, pages)	alloc_pages_bulk_array(GFP_KERNEL, count, pages)
#endif

/* One call may return fewer than requested. */
static noinline bool truth_take_pagebulk(struct truth_scenario *scenario)
{
	unsigned int taken = 0, before;

	do {
		before = taken;
		taken = truth_alloc_pages(scenario->count, (struct page **)scenario->objects);
	} while (taken < scenario->count && taken > before);
	return taken == scenario->count;
}
TRUTH_GIVE(truth_give_pagebulk, __free_page(object))

/* ---- by RCU, per-CPU memory, vmalloc space ---- */

struct truth_rcu {
	struct rcu_head head;
	char bytes[200];
};

TRUTH_TAKE(truth_take_rcu, kmalloc(scenario->req, GFP_KERNEL))

static noinline void truth_give_rcu(struct truth_scenario *scenario, void *object)
{
	struct truth_rcu *rcu = object;

	kfree_rcu(rcu, head);
	truth_stay();
}

TRUTH_TAKE(truth_take_percpu, (void *)(__force unsigned long)__alloc_percpu(scenario->req, 8))
TRUTH_GIVE(truth_give_percpu, free_percpu((void __percpu *)(unsigned long)object))
TRUTH_TAKE(truth_take_area, vmalloc(scenario->req))
TRUTH_GIVE(truth_give_area, vfree(object))

#define TRUTH_FUNCS(suffix)	.caller = "truth_take_" #suffix, .take = truth_take_##suffix
#define TRUTH_FREES(suffix)	.free_caller = "truth_give_" #suffix, .give = truth_give_##suffix

static struct truth_scenario truth_scenarios[] = {
	{ "kmalloc", TRUTH_FUNCS(freed), TRUTH_FREES(freed), .count = 100, .freed = 100, .req = 200 },
	{ "kmalloc", TRUTH_FUNCS(leaked), .count = 50, .freed = 0, .req = 1000 },
	{ "kmalloc", TRUTH_FUNCS(cross), TRUTH_FREES(cross), .count = 64, .freed = 60, .req = 90,
	  .cross = true },
	{ "kmalloc", TRUTH_FUNCS(large), TRUTH_FREES(large), .count = 5, .freed = 3,
	  .req = 5 * PAGE_SIZE - 480 },
	{ "cache", TRUTH_FUNCS(object), TRUTH_FREES(object), .count = 40, .freed = 30, .req = 72 },
	{ "page", TRUTH_FUNCS(page), TRUTH_FREES(page), .count = 8, .freed = 8, .order = 0 },
	{ "page", TRUTH_FUNCS(pages1), TRUTH_FREES(pages1), .count = 4, .freed = 3, .order = 1 },
	{ "page", TRUTH_FUNCS(pages3), TRUTH_FREES(pages3), .count = 3, .freed = 2, .order = 3 },
	{ "page", TRUTH_FUNCS(split), TRUTH_FREES(split), .count = 3, .freed = 2, .order = 2,
	  .pieces = 4 },
	{ "cache", .caller = "truth_take_bulk", .take_bulk = truth_take_bulk,
	  .free_caller = "truth_give_bulk", .give_bulk = truth_give_bulk,
	  .count = 32, .freed = 20, .req = 72, .paths = "alloc_bulk,free_bulk" },
	{ "kmalloc", TRUTH_FUNCS(kbulk), .free_caller = "truth_give_kbulk",
	  .give_bulk = truth_give_kbulk, .count = 20, .freed = 15, .req = 300,
	  .paths = "free_bulk" },
	{ "page", .caller = "truth_take_pagebulk", .take_bulk = truth_take_pagebulk,
	  TRUTH_FREES(pagebulk), .count = 16, .freed = 10, .order = 0, .paths = "pages_bulk" },
	{ "rcu", TRUTH_FUNCS(rcu), TRUTH_FREES(rcu), .count = 30, .freed = 24,
	  .req = sizeof(struct truth_rcu), .paths = "rcu" },
	{ "percpu", TRUTH_FUNCS(percpu), TRUTH_FREES(percpu), .count = 12, .freed = 9, .req = 24,
	  .paths = "percpu" },
#ifdef kmalloc_nolock
	{ "kmalloc", TRUTH_FUNCS(nolock), TRUTH_FREES(nolock), .count = 10, .freed = 7, .req = 100,
	  .paths = "kmalloc_nolock,kfree_nolock" },
#endif
	{ "vmalloc", TRUTH_FUNCS(area), TRUTH_FREES(area), .count = 6, .freed = 4, .req = 20000,
	  .paths = "vmap" },
};

static bool truth_is_page(const struct truth_scenario *scenario)
{
	return !strcmp(scenario->kind, "page");
}

static bool truth_is(const struct truth_scenario *scenario, const char *kind)
{
	return !strcmp(scenario->kind, kind);
}

/* 0: not fixed */
static size_t truth_size(const struct truth_scenario *scenario, const void *object)
{
	if (truth_is_page(scenario))
		return PAGE_SIZE << scenario->order;
	if (truth_is(scenario, "kmalloc") || truth_is(scenario, "rcu"))
		return ksize(object);
	return truth_is(scenario, "cache") ? scenario->req : 0;
}

static bool truth_take_each(struct truth_scenario *scenario)
{
	unsigned int i;

	for (i = 0; i < scenario->count; i++) {
		scenario->objects[i] = scenario->take(scenario);
		if (!scenario->objects[i])
			return false;
	}
	return true;
}

static void truth_give_each(struct truth_scenario *scenario)
{
	unsigned int i;

	for (i = 0; i < scenario->freed; i++)
		scenario->give(scenario, scenario->objects[i]);
}

static long truth_take_all(void *data)
{
	struct truth_scenario *scenario = data;
	bool taken;

	scenario->take_begin = ktime_get();
	taken = scenario->take_bulk ? scenario->take_bulk(scenario) : truth_take_each(scenario);
	if (!taken)
		return -ENOMEM;
	scenario->take_end = ktime_get();
	scenario->alloc = truth_size(scenario, scenario->objects[0]);
	if (truth_is_page(scenario))
		scenario->req = scenario->alloc;
	return 0;
}

static long truth_give_some(void *data)
{
	struct truth_scenario *scenario = data;

	scenario->give_begin = ktime_get();
	if (scenario->give_bulk)
		scenario->give_bulk(scenario);
	else
		truth_give_each(scenario);
	scenario->give_end = ktime_get();
	memset(scenario->objects, 0, scenario->freed * sizeof(*scenario->objects));
	return 0;
}

static long truth_on(struct truth_scenario *scenario, unsigned int cpu, long (*func)(void *))
{
	return scenario->cross ? work_on_cpu(cpu, func, scenario) : func(scenario);
}

static int truth_play(void)
{
	unsigned int first = cpumask_first(cpu_online_mask), last = cpumask_last(cpu_online_mask);
	unsigned int i;
	long ret = 0;

	for (i = 0; !ret && i < ARRAY_SIZE(truth_scenarios); i++)
		ret = truth_on(&truth_scenarios[i], first, truth_take_all);
	msleep(TRUTH_HOLD_MS);
	for (i = 0; !ret && i < ARRAY_SIZE(truth_scenarios); i++)
		ret = truth_on(&truth_scenarios[i], last, truth_give_some);
	for (i = 0; i < 10; i++)
		kfree(NULL);
	truth_played = !ret;
	return ret;
}

static void truth_clean_up_pages(const struct truth_scenario *scenario, struct page *pages)
{
	unsigned int i;

	if (scenario->pieces <= 1) {
		__free_pages(pages, scenario->order);
		return;
	}
	for (i = 0; i < 1U << scenario->order; i++)
		__free_page(pages + i);
}

/* Frees what the scenarios left, by functions other than theirs. */
static noinline void truth_clean_up(struct truth_scenario *scenario)
{
	unsigned int i;

	for (i = 0; i < scenario->count; i++) {
		void *object = scenario->objects[i];

		scenario->objects[i] = NULL;
		if (!object)
			continue;
		if (truth_is_page(scenario))
			truth_clean_up_pages(scenario, object);
		else if (truth_is(scenario, "cache"))
			kmem_cache_free(truth_objects, object);
		else if (truth_is(scenario, "percpu"))
			free_percpu((void __percpu *)(unsigned long)object);
		else if (truth_is(scenario, "vmalloc"))
			vfree(object);
		else
			kfree(object);
	}
}

static void truth_clean_up_all(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(truth_scenarios); i++)
		truth_clean_up(&truth_scenarios[i]);
}

static void truth_show_scenario(struct seq_file *seq, const struct truth_scenario *scenario)
{
	seq_printf(seq, "%s %s %u %zu %zu %u", scenario->kind, scenario->caller, scenario->count,
		   scenario->req, scenario->alloc, scenario->count - scenario->freed);
	if (scenario->freed)
		seq_printf(seq, " %lld %lld %s",
			   ktime_to_ns(ktime_sub(scenario->give_begin, scenario->take_end)),
			   ktime_to_ns(ktime_sub(scenario->give_end, scenario->take_begin)),
			   scenario->free_caller);
	else
		seq_puts(seq, " - - -");
	if (scenario->cross)
		seq_printf(seq, " %u %u", cpumask_first(cpu_online_mask),
			   cpumask_last(cpu_online_mask));
	else
		seq_puts(seq, " - -");
	seq_printf(seq, " %u %s\n", max(scenario->pieces, 1U), scenario->paths ?: "-");
}

static int truth_show(struct seq_file *seq, void *unused)
{
	unsigned int i;

	mutex_lock(&truth_mutex);
	for (i = 0; truth_played && i < ARRAY_SIZE(truth_scenarios); i++)
		truth_show_scenario(seq, &truth_scenarios[i]);
	mutex_unlock(&truth_mutex);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(truth);

static int truth_run(void *data, u64 value)
{
	int ret;

	mutex_lock(&truth_mutex);
	truth_clean_up_all();
	ret = truth_play();
	mutex_unlock(&truth_mutex);
	return ret;
}
DEFINE_DEBUGFS_ATTRIBUTE(truth_run_fops, NULL, truth_run, "%llu\n");

static noinline void truth_take_in_softirq(struct tasklet_struct *tasklet)
{
	void *object = kmalloc(48, GFP_ATOMIC);

	truth_stay();
	kfree(object);
	truth_stay();
}
static DECLARE_TASKLET(truth_tasklet, truth_take_in_softirq);

static int truth_softirq(void *data, u64 value)
{
	while (value--) {
		local_bh_disable();
		tasklet_schedule(&truth_tasklet);
		local_bh_enable();
		tasklet_kill(&truth_tasklet); /* waits for it, if ksoftirqd runs it */
	}
	return 0;
}
DEFINE_DEBUGFS_ATTRIBUTE(truth_softirq_fops, NULL, truth_softirq, "%llu\n");

/* To test what the tracer does at an oops. The writing thread doesn't return. */
static int truth_oops(void *data, u64 value)
{
	BUG();
	return 0;
}
DEFINE_DEBUGFS_ATTRIBUTE(truth_oops_fops, NULL, truth_oops, "%llu\n");

/* To test what the tracer does when the kernel stops trusting the time stamp counter. */
static int truth_unstable(void *data, u64 value)
{
#ifdef CONFIG_X86
	mark_tsc_unstable("as a test wants it");
	return 0;
#else
	return -EOPNOTSUPP;
#endif
}
DEFINE_DEBUGFS_ATTRIBUTE(truth_unstable_fops, NULL, truth_unstable, "%llu\n");

/* A constructor keeps the cache from being merged with others of the same size. */
static void truth_ctor(void *object)
{
}

static int __init truth_init(void)
{
	truth_objects = kmem_cache_create("truth_object", 72, 0, 0, truth_ctor);
	if (!truth_objects)
		return -ENOMEM;
	truth_dir = debugfs_create_dir("kmemtrace_truth", NULL);
	debugfs_create_file("run", 0200, truth_dir, NULL, &truth_run_fops);
	debugfs_create_file("softirq", 0200, truth_dir, NULL, &truth_softirq_fops);
	debugfs_create_file("oops", 0200, truth_dir, NULL, &truth_oops_fops);
	debugfs_create_file("unstable", 0200, truth_dir, NULL, &truth_unstable_fops);
	debugfs_create_file("truth", 0400, truth_dir, NULL, &truth_fops);
	return 0;
}

static void __exit truth_exit(void)
{
	debugfs_remove_recursive(truth_dir);
	tasklet_kill(&truth_tasklet);
	truth_clean_up_all();
	kmem_cache_destroy(truth_objects);
}

module_init(truth_init);
module_exit(truth_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Known allocations, for kmemtrace's tests");

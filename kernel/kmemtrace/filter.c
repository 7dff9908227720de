// SPDX-License-Identifier: GPL-2.0-only
#include <linux/bitmap.h>
#include <linux/bits.h>
#include <linux/build_bug.h>
#include <linux/cgroup.h>
#include <linux/hash.h>
#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/threads.h>
#include <linux/vmalloc.h>

#include "caches.h"
#include "cpu.h"
#include "filter.h"
#include "traced_addrs.h"

#define KMT_CHUNK_ORDER     4 /* traced pages are kept in chunks of this order, one bit each */
#define KMT_CHUNK_PAGES     (1U << KMT_CHUNK_ORDER)
#define KMT_GROUP_KEY_SHIFT 52 /* above the bits of chunk keys; pointers have ones there */

struct kmt_filter_config kmt_filter_config = { .sample = 1 };
DEFINE_STATIC_KEY_FALSE(kmt_filter_key);

static DEFINE_PER_CPU(u64, kmt_left_out);

/*
 * The filters in force, set up by kmt_filter_start(). A probe may run after it was unregistered: it
 * uses them with preemption disabled, and only while kmt_filter_key is on.
 */
static struct {
	unsigned long *pids;   /* a bit for each traced process, also in pauses; NULL: all */
	struct cgroup *cgroup; /* NULL: all */
	bool keeps;            /* traced addresses are kept, to recognize their frees */
	u32 sample_mask;       /* 0: all */
} kmt_filter;

/* ---- configuration ---- */

/* Returns the next number in *@text and advances *@text; 0 at the end; -EINVAL: not a number. */
static int kmt_next_pid(char **text)
{
	char *word;
	int pid;

	do
		word = strsep(text, " \t\n,");
	while (word && !*word);
	if (!word)
		return 0;
	if (kstrtoint(word, 10, &pid) || pid <= 0 || pid >= PID_MAX_LIMIT)
		return -EINVAL;
	return pid;
}

int kmt_filter_check(const struct kmt_filter_config *config)
{
	char *copy = kstrdup(config->pids, GFP_KERNEL), *text = copy;
	int pid;

	if (!copy)
		return -ENOMEM;
	while ((pid = kmt_next_pid(&text)) > 0)
		;
	kfree(copy);
	if (pid < 0)
		return pid;
	if (!is_power_of_2(config->sample))
		return -EINVAL;
	if (config->cache[0] && !kmt_cache_is_identifiable(config->cache))
		return -EOPNOTSUPP;
	return IS_ENABLED(CONFIG_CGROUPS) || !config->cgroup ? 0 : -EOPNOTSUPP;
}

int kmt_filter_follow(int (*begin)(void))
{
	char *copy, *text;
	int ret, pid;

	if (!kmt_filter_config.pids[0] || kmt_filter.pids)
		return 0;
	copy = kstrdup(kmt_filter_config.pids, GFP_KERNEL);
	kmt_filter.pids = vzalloc(BITS_TO_LONGS(PID_MAX_LIMIT) * sizeof(long));
	ret = copy && kmt_filter.pids ? begin() : -ENOMEM;
	if (ret) {
		vfree(kmt_filter.pids);
		kmt_filter.pids = NULL;
	}
	/* The bit of an unused id is cleared when an untraced process gets that id. */
	for (text = copy; !ret && (pid = kmt_next_pid(&text)) > 0;)
		set_bit(pid, kmt_filter.pids);
	kfree(copy);
	return ret;
}

void kmt_filter_unfollow(void (*end)(void))
{
	unsigned long *pids = kmt_filter.pids;

	if (!pids)
		return;
	end();
	WRITE_ONCE(kmt_filter.pids, NULL);
	kmt_cpus_wait();
	vfree(pids);
}

static int kmt_start_cgroup(void)
{
#ifdef CONFIG_CGROUPS
	struct cgroup *cgroup;

	if (!kmt_filter_config.cgroup)
		return 0;
	cgroup = cgroup_get_from_id(kmt_filter_config.cgroup);
	if (IS_ERR(cgroup))
		return PTR_ERR(cgroup);
	kmt_filter.cgroup = cgroup;
#endif
	return 0;
}

int kmt_filter_start(void)
{
	const struct kmt_filter_config *config = &kmt_filter_config;
	unsigned int cpu;
	int ret;

	for_each_possible_cpu(cpu)
		*per_cpu_ptr(&kmt_left_out, cpu) = 0;
	kmt_filter.sample_mask = config->sample - 1;
	kmt_filter.keeps = config->pids[0] || config->cgroup || config->size || config->cache[0];
	ret = kmt_start_cgroup();
	if (!ret && kmt_filter.keeps)
		ret = kmt_traced_addrs_init();
	if (ret) {
		kmt_filter_stop();
		return ret;
	}
	if (kmt_filter.keeps || kmt_filter.sample_mask)
		static_branch_enable(&kmt_filter_key);
	return 0;
}

void kmt_filter_stop(void)
{
	if (static_key_enabled(&kmt_filter_key)) {
		static_branch_disable(&kmt_filter_key);
		kmt_cpus_wait();
	}
	kmt_traced_addrs_exit();
#ifdef CONFIG_CGROUPS
	if (kmt_filter.cgroup)
		cgroup_put(kmt_filter.cgroup);
	kmt_filter.cgroup = NULL;
#endif
	kmt_filter.keeps = false;
}

u64 kmt_filter_bytes(void)
{
	return kmt_traced_addrs_bytes() + (kmt_filter.pids ? PID_MAX_LIMIT / BITS_PER_BYTE : 0);
}

u64 kmt_filter_left_out(void)
{
	unsigned int cpu;
	u64 sum = 0;

	for_each_possible_cpu(cpu)
		sum += kmt_read_counter(*per_cpu_ptr(&kmt_left_out, cpu));
	return sum;
}

/* ---- filters in force ---- */

static bool kmt_leave_out(void)
{
	this_cpu_inc(kmt_left_out);
	return false;
}

static bool kmt_takes_current(void)
{
	if (!kmt_filter.pids && !kmt_filter.cgroup)
		return true;
	if (!in_task())
		return false;
	if (kmt_filter.pids && !test_bit(current->tgid, kmt_filter.pids))
		return false;
#ifdef CONFIG_CGROUPS
	if (kmt_filter.cgroup) {
		bool is_member;

		rcu_read_lock();
		is_member = cgroup_is_descendant(task_dfl_cgroup(current), kmt_filter.cgroup);
		rcu_read_unlock();
		return is_member;
	}
#endif
	return true;
}

void kmt_filter_newtask(const struct task_struct *child)
{
	unsigned long *pids;

	if (child->tgid != child->pid)
		return;
	preempt_disable_notrace();
	pids = READ_ONCE(kmt_filter.pids);
	/* The id may have belonged to a traced process that has ended. */
	if (pids && test_bit(current->tgid, pids))
		set_bit(child->tgid, pids);
	else if (pids)
		clear_bit(child->tgid, pids);
	preempt_enable_notrace();
}

static bool kmt_takes_block(unsigned long pfn)
{
	return !(hash_64(pfn >> KMT_BLOCK_ORDER, 32) & kmt_filter.sample_mask);
}

/*
 * Returns whether @addr, which must not be freed yet, is a large kmalloc(), which has whole pages.
 */
static bool kmt_is_made_of_pages(unsigned long addr)
{
	return PAGE_ALIGNED(addr) && virt_addr_valid((void *)addr) &&
	       !folio_test_slab(virt_to_folio((void *)addr));
}

/* Returns whether @addr is in the sample. For a large kmalloc(), its pages decide. */
static bool kmt_takes_address(unsigned long addr)
{
	if (!kmt_filter.sample_mask || !addr)
		return true;
	if (kmt_is_made_of_pages(addr))
		return kmt_takes_block(__pa(addr) >> PAGE_SHIFT);
	return !(hash_64(addr, 32) & kmt_filter.sample_mask);
}

static bool kmt_takes_cache(enum kmt_group group, struct kmem_cache *cache)
{
	if (!kmt_filter_config.cache[0])
		return true;
	return group == KMT_GROUP_SLAB && cache &&
	       kmt_cache_has_name(cache, kmt_filter_config.cache);
}

static u64 kmt_key(enum kmt_group group, u64 addr)
{
	return addr ^ (u64)group << KMT_GROUP_KEY_SHIFT;
}

static bool kmt_wants_alloc(enum kmt_group group, unsigned long addr, size_t bytes_req,
			    struct kmem_cache *cache)
{
	size_t bytes = !bytes_req && cache ? kmem_cache_size(cache) : bytes_req;

	if (bytes < kmt_filter_config.size || !kmt_takes_address(addr) ||
	    !kmt_takes_cache(group, cache) || !kmt_takes_current())
		return kmt_leave_out();
	if (kmt_filter.keeps && addr)
		kmt_traced_addrs_add(kmt_key(group, addr));
	return true;
}

static bool kmt_wants_free(enum kmt_group group, unsigned long addr, bool forget)
{
	if (!kmt_takes_address(addr))
		return kmt_leave_out();
	return !kmt_filter.keeps || kmt_traced_addrs_has(kmt_key(group, addr), forget) ||
	       kmt_leave_out();
}

static bool kmt_wants_thread(void)
{
	return kmt_takes_current() || kmt_leave_out();
}

/* ---- pages ---- */

/* Returns how many chunks a block is in. */
static unsigned int kmt_chunks(unsigned int order)
{
	return order <= KMT_CHUNK_ORDER ? 1 : 1U << (order - KMT_CHUNK_ORDER);
}

/* Returns the key of the chunk of @pfn: 36 bits of the pfn's 40, and 16 bits for its pages. */
static u64 kmt_chunk_key(unsigned long pfn)
{
	BUILD_BUG_ON(KMT_TRACED_ADDRS_BITS_MASK != GENMASK_ULL(KMT_CHUNK_PAGES - 1, 0));
	return kmt_key(KMT_GROUP_PAGE, (u64)(pfn >> KMT_CHUNK_ORDER) << KMT_CHUNK_PAGES);
}

/* Returns the bits of a block's pages in each of its chunks. */
static u64 kmt_chunk_bits(unsigned long pfn, unsigned int order)
{
	unsigned int pages = 1U << min_t(unsigned int, order, KMT_CHUNK_ORDER);

	return GENMASK_ULL(pages - 1, 0) << (pfn & (KMT_CHUNK_PAGES - pages));
}

static void kmt_keep_pages(unsigned long pfn, unsigned int order)
{
	u64 bits = kmt_chunk_bits(pfn, order);
	unsigned int i;

	for (i = 0; i < kmt_chunks(order); i++)
		kmt_traced_addrs_add_bits(kmt_chunk_key(pfn + i * KMT_CHUNK_PAGES), bits);
}

/* Forgets the block's pages, and returns whether any of them was kept. */
static bool kmt_unkeep_pages(unsigned long pfn, unsigned int order)
{
	u64 bits = kmt_chunk_bits(pfn, order);
	bool kept = false;
	unsigned int i;

	for (i = 0; i < kmt_chunks(order); i++)
		kept |= kmt_traced_addrs_take_bits(kmt_chunk_key(pfn + i * KMT_CHUNK_PAGES), bits);
	return kept;
}

static bool kmt_wants_pages_alloc(const struct page *page, unsigned int order)
{
	unsigned long pfn = page ? page_to_pfn(page) : 0;

	if (PAGE_SIZE << order < kmt_filter_config.size || !kmt_takes_cache(KMT_GROUP_PAGE, NULL) ||
	    (page && !kmt_takes_block(pfn)) || !kmt_takes_current())
		return kmt_leave_out();
	if (page && kmt_filter.keeps)
		kmt_keep_pages(pfn, order);
	return true;
}

static bool kmt_wants_pages_free(const struct page *page, unsigned int order)
{
	unsigned long pfn = page_to_pfn(page);

	if (!kmt_takes_cache(KMT_GROUP_PAGE, NULL) || !kmt_takes_block(pfn))
		return kmt_leave_out();
	return !kmt_filter.keeps || kmt_unkeep_pages(pfn, order) || kmt_leave_out();
}

static bool kmt_wants_migrate(const struct page *from, const struct page *to, unsigned int order,
			      u32 *outside)
{
	unsigned long source = page_to_pfn(from), target = page_to_pfn(to);
	bool takes_source = kmt_takes_block(source), takes_target = kmt_takes_block(target);
	bool kept_source, kept_target;

	if (!kmt_takes_cache(KMT_GROUP_PAGE, NULL) || !(takes_source || takes_target))
		return kmt_leave_out();
	*outside = (takes_source ? 0 : KMEMTRACE_MOVE_FROM_OUTSIDE) |
		   (takes_target ? 0 : KMEMTRACE_MOVE_TO_OUTSIDE);
	if (!kmt_filter.keeps)
		return true;
	kept_source = takes_source && kmt_unkeep_pages(source, order);
	kept_target = takes_target && kmt_unkeep_pages(target, order);
	if (kept_source && takes_target)
		kmt_keep_pages(target, order);
	if (kept_target && takes_source)
		kmt_keep_pages(source, order);
	return kept_source || kept_target || kmt_leave_out();
}

/* ---- slow paths of the inline functions ---- */

/* Returns whether filters are in force. They are until kmt_unlock_filters(), also if they end. */
static bool kmt_lock_filters(void)
{
	preempt_disable_notrace();
	return static_key_enabled(&kmt_filter_key);
}

static bool kmt_unlock_filters(bool result)
{
	preempt_enable_notrace();
	return result;
}

bool __kmt_filter_alloc(enum kmt_group group, unsigned long addr, size_t bytes_req,
			struct kmem_cache *cache)
{
	return kmt_unlock_filters(kmt_lock_filters() &&
				  kmt_wants_alloc(group, addr, bytes_req, cache));
}

bool __kmt_filter_free(enum kmt_group group, unsigned long addr, bool forget)
{
	return kmt_unlock_filters(kmt_lock_filters() && kmt_wants_free(group, addr, forget));
}

bool __kmt_filter_thread(void)
{
	return kmt_unlock_filters(kmt_lock_filters() && kmt_wants_thread());
}

bool __kmt_filter_pages_alloc(const struct page *page, unsigned int order)
{
	return kmt_unlock_filters(kmt_lock_filters() && kmt_wants_pages_alloc(page, order));
}

bool __kmt_filter_pages_free(const struct page *page, unsigned int order)
{
	return kmt_unlock_filters(kmt_lock_filters() && kmt_wants_pages_free(page, order));
}

bool __kmt_filter_migrate(const struct page *from, const struct page *to, unsigned int order,
			  u32 *outside)
{
	return kmt_unlock_filters(kmt_lock_filters() &&
				  kmt_wants_migrate(from, to, order, outside));
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * kmemtrace_ranges - allocates ranges of pages by alloc_contig_range(), which has no tracepoint,
 * and reports them.
 *
 * In debugfs kmemtrace_ranges:
 *
 *   pages    N allocates N pages by alloc_contig_pages(), wherever they are
 *   range    "PFN N" allocates these N pages by alloc_contig_range(), whoever uses them
 *   folio    ORDER allocates a folio of this order, as hugetlb does; EOPNOTSUPP before 6.12
 *   free     N frees the last N ranges
 *   list     for each range held: first frame, pages, caller
 *
 * Modules can't call alloc_contig_pages(): contig_pages is its address, from /proc/kallsyms. Since
 * 7.0 or so large folios are allocated by alloc_contig_frozen_pages(), at contig_frozen_pages.
 */
#include <linux/debugfs.h>
#include <linux/gfp.h>
#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/seq_file.h>
#include <linux/uaccess.h>
#include <linux/version.h>

#define RANGES_MAX	16
#define RANGES_GFP	(GFP_HIGHUSER_MOVABLE | __GFP_NOWARN)	/* like hugetlb's */

static unsigned long contig_pages;
module_param(contig_pages, ulong, 0400);
static unsigned long contig_frozen_pages;
module_param(contig_frozen_pages, ulong, 0400);

struct ranges_held {
	unsigned long pfn, pages;
	const char *caller;
	bool is_folio;
};

static DEFINE_MUTEX(ranges_mutex);
static struct ranges_held ranges[RANGES_MAX];
static unsigned int ranges_count;
static struct dentry *ranges_dir;

static struct page *ranges_call(unsigned long function, unsigned long pages, gfp_t gfp)
{
	struct page *(*call)(unsigned long, gfp_t, int, nodemask_t *) = (void *)function;

	return call(pages, gfp, numa_mem_id(), NULL);
}

/* An empty asm after the call keeps it from becoming a jump. */
static noinline struct page *ranges_take_pages(unsigned long pages)
{
	struct page *page = ranges_call(contig_pages, pages, RANGES_GFP);

	asm volatile("# pages" ::: "memory");
	return page;
}

static noinline struct page *ranges_take_folio(unsigned int order)
{
	struct page *page = ranges_call(contig_frozen_pages ?: contig_pages, 1UL << order,
					RANGES_GFP | __GFP_COMP);

	if (page && contig_frozen_pages)
		set_page_count(page, 1);
	asm volatile("# folio" ::: "memory");
	return page;
}

/* MIGRATE_MOVABLE is 1; since 6.16 or so 0 stands for it. */
static noinline int ranges_take_range(unsigned long pfn, unsigned long pages)
{
	int type = LINUX_VERSION_CODE < KERNEL_VERSION(6, 16, 0);
	int ret = alloc_contig_range(pfn, pfn + pages, type, RANGES_GFP);

	asm volatile("# range" ::: "memory");
	return ret;
}

static noinline void ranges_give(const struct ranges_held *range)
{
	if (range->is_folio)
		folio_put(page_folio(pfn_to_page(range->pfn)));
	else
		free_contig_range(range->pfn, range->pages);
	asm volatile("# give" ::: "memory");
}

static int ranges_keep(unsigned long pfn, unsigned long pages, const char *caller, bool is_folio)
{
	ranges[ranges_count++] = (struct ranges_held){ pfn, pages, caller, is_folio };
	return 0;
}

/* ---- files ---- */

static int ranges_set_pages(void *data, u64 value)
{
	struct page *page;
	int ret = -ENOSPC;

	mutex_lock(&ranges_mutex);
	if (ranges_count < RANGES_MAX) {
		page = ranges_take_pages(value);
		ret = !page ? -ENOMEM :
			ranges_keep(page_to_pfn(page), value, "ranges_take_pages", false);
	}
	mutex_unlock(&ranges_mutex);
	return ret;
}
DEFINE_DEBUGFS_ATTRIBUTE(ranges_pages_fops, NULL, ranges_set_pages, "%llu\n");

static int ranges_set_folio(void *data, u64 order)
{
	struct page *page;
	int ret = -ENOSPC;

	if (LINUX_VERSION_CODE < KERNEL_VERSION(6, 12, 0))
		return -EOPNOTSUPP;
	mutex_lock(&ranges_mutex);
	if (ranges_count < RANGES_MAX) {
		page = ranges_take_folio(order);
		ret = !page ? -ENOMEM :
			ranges_keep(page_to_pfn(page), 1UL << order, "ranges_take_folio", true);
	}
	mutex_unlock(&ranges_mutex);
	return ret;
}
DEFINE_DEBUGFS_ATTRIBUTE(ranges_folio_fops, NULL, ranges_set_folio, "%llu\n");

static int ranges_set_free(void *data, u64 value)
{
	mutex_lock(&ranges_mutex);
	for (; ranges_count && value; value--)
		ranges_give(&ranges[--ranges_count]);
	mutex_unlock(&ranges_mutex);
	return 0;
}
DEFINE_DEBUGFS_ATTRIBUTE(ranges_free_fops, NULL, ranges_set_free, "%llu\n");

static ssize_t ranges_range_write(struct file *file, const char __user *text, size_t count,
				  loff_t *pos)
{
	unsigned long pfn, pages;
	char copy[64] = "";
	int ret = -ENOSPC;

	if (count >= sizeof(copy) || copy_from_user(copy, text, count))
		return -EINVAL;
	if (sscanf(copy, "%lu %lu", &pfn, &pages) != 2 || !pfn_valid(pfn) ||
	    !pfn_valid(pfn + pages - 1))
		return -EINVAL;
	mutex_lock(&ranges_mutex);
	if (ranges_count < RANGES_MAX) {
		ret = ranges_take_range(pfn, pages) ?:
			ranges_keep(pfn, pages, "ranges_take_range", false);
	}
	mutex_unlock(&ranges_mutex);
	return ret ?: count;
}

static const struct file_operations ranges_range_fops = {
	.owner = THIS_MODULE,
	.write = ranges_range_write,
};

static int ranges_list_show(struct seq_file *seq, void *unused)
{
	unsigned int i;

	mutex_lock(&ranges_mutex);
	for (i = 0; i < ranges_count; i++)
		seq_printf(seq, "%lu %lu %s\n", ranges[i].pfn, ranges[i].pages, ranges[i].caller);
	mutex_unlock(&ranges_mutex);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(ranges_list);

static int __init ranges_init(void)
{
	if (!contig_pages)
		return -EINVAL;
	ranges_dir = debugfs_create_dir("kmemtrace_ranges", NULL);
	debugfs_create_file("pages", 0200, ranges_dir, NULL, &ranges_pages_fops);
	debugfs_create_file("range", 0200, ranges_dir, NULL, &ranges_range_fops);
	debugfs_create_file("folio", 0200, ranges_dir, NULL, &ranges_folio_fops);
	debugfs_create_file("free", 0200, ranges_dir, NULL, &ranges_free_fops);
	debugfs_create_file("list", 0400, ranges_dir, NULL, &ranges_list_fops);
	return 0;
}

static void __exit ranges_exit(void)
{
	debugfs_remove_recursive(ranges_dir);
	ranges_set_free(NULL, RANGES_MAX);
}

module_init(ranges_init);
module_exit(ranges_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Ranges of pages, for kmemtrace's tests");

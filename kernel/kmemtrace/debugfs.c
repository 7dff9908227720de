// SPDX-License-Identifier: GPL-2.0-only
/*
 * The views in debugfs. kmemtrace_abi.h describes them.
 *
 * In lockdown's integrity mode, which Secure Boot sets, debugfs files can be opened only if they
 * have mode 0400 and neither ioctl() nor mmap(). The views show kernel addresses, so each open()
 * calls kmt_check_access(), too.
 */
#include <linux/cpumask.h>
#include <linux/debugfs.h>
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/uaccess.h>

#include "abi_view.h"
#include "caches.h"
#include "chan.h"
#include "clock.h"
#include "control.h"
#include "core.h"
#include "cpu.h"
#include "debugfs.h"
#include "filter.h"
#include "function_probes.h"
#include "kmemtrace.h"
#include "mapped_files.h"
#include "maps.h"
#include "mark.h"
#include "modules.h"
#include "stack.h"
#include "stack_cache.h"
#include "tracepoint_probes.h"
#include "verify.h"
#include "walk.h"

static struct dentry *kmt_dir; /* from init to exit */

/* ---- stats, files, paths ---- */

static void kmt_stats_show_cpu(struct seq_file *seq, unsigned int cpu_nr)
{
	const struct kmt_cpu *cpu = per_cpu_ptr(&kmt_cpu, cpu_nr);
	unsigned int reason;

	seq_printf(seq, "%u %llu %llu", cpu_nr, kmt_read_counter(cpu->written),
		   kmt_read_counter(cpu->ignored));
	for (reason = 0; reason < KMEMTRACE_LOSS_NR; reason++)
		seq_printf(seq, " %llu", kmt_read_counter(cpu->lost[reason]));
	seq_printf(seq, " %llu %llu\n", kmt_chan_overwritten(cpu_nr), kmt_chan_consumed(cpu_nr));
}

static void kmt_stats_show_ways(struct seq_file *seq)
{
	static const char *const names[KMT_STACK_WAYS] = {
		[KMT_STACK_CACHED] = "recalled",
		[KMT_STACK_WALKED] = "walked",
		[KMT_STACK_UNWOUND] = "unwound",
	};
	unsigned int way, cpu;

	for (way = 0; way < KMT_STACK_WAYS; way++) {
		u64 sum = 0;

		for_each_possible_cpu(cpu)
			sum += kmt_read_counter(per_cpu_ptr(&kmt_cpu, cpu)->stacks[way]);
		seq_printf(seq, "stacks %s %llu\n", names[way], sum);
	}
	seq_printf(seq, "stacks frames_known %llu\n", kmt_walk_frames());
	seq_printf(seq, "stacks compared %llu\n", kmt_verify_compared());
	seq_printf(seq, "stacks differed %llu\n", kmt_verify_differed());
}

static void kmt_stats_show_memory(struct seq_file *seq)
{
	seq_printf(seq, "memory buffers %llu\n", kmt_chan_bytes());
	seq_printf(seq, "memory stacks %llu\n", kmt_stack_bytes());
	seq_printf(seq, "memory stacks_used %llu\n", kmt_stack_used());
	seq_printf(seq, "memory frames %llu\n", kmt_walk_bytes());
	seq_printf(seq, "memory recall %llu\n", kmt_stack_cache_bytes());
	seq_printf(seq, "memory filters %llu\n", kmt_filter_bytes());
	seq_printf(seq, "memory maps %llu\n", kmt_files_bytes());
	seq_printf(seq, "memory names %llu\n", kmt_caches_bytes() + kmt_modules_bytes());
}

static void kmt_stats_show(struct seq_file *seq)
{
	unsigned int cpu;

	seq_puts(
		seq,
		"cpu written ignored buffer_full nmi recursion stack_full cache_full name overwritten consumed\n");
	mutex_lock(&kmt_mutex);
	for_each_possible_cpu(cpu) {
		if (kmt_chan_covers(cpu))
			kmt_stats_show_cpu(seq, cpu);
	}
	seq_printf(seq, "frozen by_oops %d\nfrozen at_ns %llu\n", kmt_chan_frozen(),
		   kmt_chan_frozen_ns());
	seq_printf(seq, "filter left_out %llu\n", kmt_filter_left_out());
	kmt_files_show_refused(seq);
	kmt_stats_show_memory(seq);
	kmt_stats_show_ways(seq);
	mutex_unlock(&kmt_mutex);
}

static void kmt_mapped_files_show(struct seq_file *seq)
{
	mutex_lock(&kmt_mutex);
	kmt_files_show(seq);
	mutex_unlock(&kmt_mutex);
}

static void kmt_paths_show(struct seq_file *seq)
{
	mutex_lock(&kmt_mutex);
	if (kmt_is_enabled())
		kmt_check_sources();
	kmt_tracepoint_probes_show(seq);
	kmt_function_probes_show(seq);
	kmt_maps_show_path(seq);
	kmt_stack_show_path(seq);
	kmt_modules_show_path(seq);
	kmt_clock_show_path(seq);
	mutex_unlock(&kmt_mutex);
}

/* The time of an event that is recorded now. */
static void kmt_clock_show(struct seq_file *seq)
{
	mutex_lock(&kmt_mutex);
	seq_printf(seq, "%llu\n", kmt_clock_ns());
	mutex_unlock(&kmt_mutex);
}

/* ---- text views: i_private is the view ---- */

static const struct kmt_view {
	const char *name;
	void (*show)(struct seq_file *seq);
} kmt_views[] = {
	{ "abi", kmt_abi_show }, /* sorted by name */
	{ "caches", kmt_caches_show },
	{ "clock", kmt_clock_show },
	{ "files", kmt_mapped_files_show },
	{ "mms", kmt_mms_show },
	{ "module_functions", kmt_modules_show_functions },
	{ "modules", kmt_modules_show },
	{ "paths", kmt_paths_show },
	{ "stats", kmt_stats_show },
	{ "tasks", kmt_tasks_show },
};

static int kmt_view_show(struct seq_file *seq, void *unused)
{
	const struct kmt_view *view = seq->private;

	view->show(seq);
	return 0;
}

static int kmt_view_open(struct inode *inode, struct file *file)
{
	int ret = kmt_check_access();

	return ret ?: single_open(file, kmt_view_show, inode->i_private);
}

static const struct file_operations kmt_view_fops = {
	.owner = THIS_MODULE,
	.open = kmt_view_open,
	.read = seq_read,
	.llseek = seq_lseek,
	.release = single_release,
};

/* ---- stacks ---- */

static int kmt_stacks_open(struct inode *inode, struct file *file)
{
	int ret = kmt_check_access();

	return ret ?: simple_open(inode, file);
}

/* copy_to_user() may block indefinitely, so kmt_mutex is not held. */
static ssize_t kmt_stacks_read(struct file *file, char __user *ubuf, size_t count, loff_t *pos)
{
	ssize_t ret;

	if (!kmt_stack_get())
		return 0;
	ret = kmt_stack_read(ubuf, count, pos);
	kmt_stack_put();
	return ret;
}

static const struct file_operations kmt_stacks_fops = {
	.owner = THIS_MODULE,
	.open = kmt_stacks_open,
	.read = kmt_stacks_read,
	.llseek = default_llseek,
};

/* ---- traceN: i_private is the CPU's number ---- */

static unsigned int kmt_file_cpu(struct inode *inode)
{
	return (unsigned long)inode->i_private;
}

static int kmt_trace_open(struct inode *inode, struct file *file)
{
	int ret = kmt_check_access() ?: kmt_chan_get(kmt_file_cpu(inode));

	return ret ?: stream_open(inode, file);
}

static int kmt_trace_release(struct inode *inode, struct file *file)
{
	kmt_chan_put(kmt_file_cpu(inode));
	return 0;
}

static ssize_t kmt_trace_read(struct file *file, char __user *ubuf, size_t count, loff_t *pos)
{
	return kmt_chan_read(kmt_file_cpu(file_inode(file)), ubuf, count);
}

static __poll_t kmt_trace_poll(struct file *file, poll_table *wait)
{
	return kmt_chan_poll(kmt_file_cpu(file_inode(file)), file, wait);
}

static const struct file_operations kmt_trace_fops = {
	.owner = THIS_MODULE,
	.open = kmt_trace_open,
	.release = kmt_trace_release,
	.read = kmt_trace_read,
	.poll = kmt_trace_poll,
};

static void kmt_create_trace_file(unsigned int cpu)
{
	char name[24];

	snprintf(name, sizeof(name), "trace%u", cpu);
	debugfs_create_file(name, 0400, kmt_dir, (void *)(unsigned long)cpu, &kmt_trace_fops);
}

int kmt_debugfs_init(void)
{
	unsigned int cpu, i;

	kmt_dir = debugfs_create_dir(KMEMTRACE_DEBUGFS_DIR, NULL);
	if (IS_ERR(kmt_dir)) {
		int ret = PTR_ERR(kmt_dir);

		kmt_dir = NULL;
		return ret;
	}
	for (i = 0; i < ARRAY_SIZE(kmt_views); i++)
		debugfs_create_file(kmt_views[i].name, 0400, kmt_dir, (void *)&kmt_views[i],
				    &kmt_view_fops);
	debugfs_create_file("stacks", 0400, kmt_dir, NULL, &kmt_stacks_fops);
	for_each_possible_cpu(cpu)
		kmt_create_trace_file(cpu);
	return 0;
}

void kmt_debugfs_exit(void)
{
	debugfs_remove_recursive(kmt_dir);
	kmt_dir = NULL;
}

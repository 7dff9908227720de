// SPDX-License-Identifier: GPL-2.0-only
/*
 * The control interface: files in debugfs, each root's alone. What they mean is in kmemtrace_abi.h.
 */
#include <linux/cpumask.h>
#include <linux/debugfs.h>
#include <linux/fs.h>
#include <linux/kstrtox.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/uaccess.h>

#include "chan.h"
#include "cpu.h"
#include "defs.h"
#include "filter.h"
#include "kmemtrace.h"
#include "maps.h"
#include "mark.h"
#include "modules.h"
#include "recall.h"
#include "settings.h"
#include "stack.h"
#include "verify.h"
#include "walk.h"

static struct dentry *kmt_dir;	/* from init to exit */

/* ---- abi, caches, tasks, stats ---- */

static int kmt_abi_file_show(struct seq_file *seq, void *unused)
{
	kmt_abi_show(seq);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(kmt_abi_file);

static int kmt_caches_file_show(struct seq_file *seq, void *unused)
{
	kmt_caches_show(seq);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(kmt_caches_file);

static int kmt_tasks_file_show(struct seq_file *seq, void *unused)
{
	kmt_tasks_show(seq);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(kmt_tasks_file);

static int kmt_modules_file_show(struct seq_file *seq, void *unused)
{
	kmt_modules_show(seq);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(kmt_modules_file);

static int kmt_functions_file_show(struct seq_file *seq, void *unused)
{
	kmt_modules_show_functions(seq);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(kmt_functions_file);

static int kmt_files_file_show(struct seq_file *seq, void *unused)
{
	mutex_lock(&kmt_mutex);
	kmt_maps_show_files(seq);
	mutex_unlock(&kmt_mutex);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(kmt_files_file);

static void kmt_stats_show_cpu(struct seq_file *seq, unsigned int cpu_nr)
{
	const struct kmt_cpu *cpu = per_cpu_ptr(&kmt_cpu, cpu_nr);
	unsigned int reason;

	seq_printf(seq, "%u %llu %llu", cpu_nr, READ_ONCE(cpu->written), READ_ONCE(cpu->ignored));
	for (reason = 0; reason < KMEMTRACE_LOSS_NR; reason++)
		seq_printf(seq, " %llu", READ_ONCE(cpu->lost[reason]));
	seq_printf(seq, " %llu\n", kmt_chan_overwritten(cpu_nr));
}

static void kmt_stats_show_ways(struct seq_file *seq)
{
	static const char *const names[KMT_STACK_WAYS] = {
		[KMT_STACK_RECALLED] = "recalled",
		[KMT_STACK_WALKED] = "walked",
		[KMT_STACK_UNWOUND] = "unwound",
	};
	unsigned int way, cpu;

	for (way = 0; way < KMT_STACK_WAYS; way++) {
		u64 sum = 0;

		for_each_possible_cpu(cpu)
			sum += READ_ONCE(per_cpu_ptr(&kmt_cpu, cpu)->stacks[way]);
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
	seq_printf(seq, "memory recall %llu\n", kmt_recall_bytes());
	seq_printf(seq, "memory filters %llu\n", kmt_filter_bytes());
	seq_printf(seq, "memory maps %llu\n", kmt_maps_bytes());
	seq_printf(seq, "memory names %llu\n", kmt_defs_bytes() + kmt_modules_bytes());
}

static int kmt_stats_file_show(struct seq_file *seq, void *unused)
{
	unsigned int cpu;

	seq_puts(seq, "cpu written ignored buffer_full nmi recursion stack_full cache_full name overwritten\n");
	mutex_lock(&kmt_mutex);
	for_each_possible_cpu(cpu) {
		if (kmt_chan_covers(cpu))
			kmt_stats_show_cpu(seq, cpu);
	}
	seq_printf(seq, "frozen by_oops %d\n", kmt_chan_frozen());
	seq_printf(seq, "filter left_out %llu\n", kmt_filter_left_out());
	kmt_stats_show_memory(seq);
	kmt_stats_show_ways(seq);
	mutex_unlock(&kmt_mutex);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(kmt_stats_file);

/* ---- enable, reset ---- */

static int kmt_enable_get(void *data, u64 *value)
{
	*value = kmt_is_enabled();
	return 0;
}

static int kmt_enable_set(void *data, u64 value)
{
	int ret = 0;

	if (value > 1)
		return -EINVAL;
	mutex_lock(&kmt_mutex);
	if (value)
		ret = kmt_enable();
	else
		kmt_disable();
	mutex_unlock(&kmt_mutex);
	return ret;
}
DEFINE_DEBUGFS_ATTRIBUTE(kmt_enable_fops, kmt_enable_get, kmt_enable_set, "%llu\n");

static int kmt_reset_set(void *data, u64 value)
{
	int ret;

	if (value != 1)
		return -EINVAL;
	mutex_lock(&kmt_mutex);
	ret = kmt_reset();
	mutex_unlock(&kmt_mutex);
	return ret;
}
DEFINE_DEBUGFS_ATTRIBUTE(kmt_reset_fops, NULL, kmt_reset_set, "%llu\n");

/* ---- flush ---- */

static int kmt_flush_get(void *data, u64 *value)
{
	mutex_lock(&kmt_mutex);
	*value = kmt_chan_flushed_ns();
	mutex_unlock(&kmt_mutex);
	return 0;
}

static int kmt_flush_set(void *data, u64 value)
{
	int ret = -ENODEV;

	if (value != 1)
		return -EINVAL;
	mutex_lock(&kmt_mutex);
	if (kmt_is_enabled())
		ret = kmt_chan_flush_running();
	mutex_unlock(&kmt_mutex);
	return ret;
}
DEFINE_DEBUGFS_ATTRIBUTE(kmt_flush_fops, kmt_flush_get, kmt_flush_set, "%llu\n");

/* ---- sizes: @data is the field of kmt_config ---- */

static int kmt_size_get(void *data, u64 *value)
{
	*value = READ_ONCE(*(unsigned int *)data);
	return 0;
}

static int kmt_size_set(void *data, u64 value)
{
	unsigned int *field = data, old;
	int ret = -EBUSY;

	if (value > UINT_MAX)
		return -EINVAL;
	mutex_lock(&kmt_mutex);
	if (!kmt_has_buffers()) {
		old = *field;
		*field = value;
		ret = kmt_config_check(&kmt_config);
		if (ret)
			*field = old;
	}
	mutex_unlock(&kmt_mutex);
	return ret;
}
DEFINE_DEBUGFS_ATTRIBUTE(kmt_size_fops, kmt_size_get, kmt_size_set, "%llu\n");

/* ---- stacks ---- */

/* kmt_mutex keeps the table from going away meanwhile. */
static ssize_t kmt_stacks_file_read(struct file *file, char __user *ubuf, size_t count, loff_t *pos)
{
	ssize_t ret;

	mutex_lock(&kmt_mutex);
	ret = kmt_stack_read(ubuf, count, pos);
	mutex_unlock(&kmt_mutex);
	return ret;
}

static const struct file_operations kmt_stacks_fops = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.read = kmt_stacks_file_read,
	.llseek = default_llseek,
};

/* ---- traceN: i_private is the CPU's number ---- */

static unsigned int kmt_file_cpu(struct inode *inode)
{
	return (unsigned long)inode->i_private;
}

static int kmt_trace_open(struct inode *inode, struct file *file)
{
	int ret = kmt_chan_get(kmt_file_cpu(inode));

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
	unsigned int cpu;

	kmt_dir = debugfs_create_dir(KMEMTRACE_DEBUGFS_DIR, NULL);
	if (IS_ERR(kmt_dir)) {
		int ret = PTR_ERR(kmt_dir);

		kmt_dir = NULL;
		return ret;
	}
	debugfs_create_file("abi", 0400, kmt_dir, NULL, &kmt_abi_file_fops);
	debugfs_create_file("caches", 0400, kmt_dir, NULL, &kmt_caches_file_fops);
	debugfs_create_file("tasks", 0400, kmt_dir, NULL, &kmt_tasks_file_fops);
	debugfs_create_file("modules", 0400, kmt_dir, NULL, &kmt_modules_file_fops);
	debugfs_create_file("module_functions", 0400, kmt_dir, NULL, &kmt_functions_file_fops);
	debugfs_create_file("stats", 0400, kmt_dir, NULL, &kmt_stats_file_fops);
	debugfs_create_file("stacks", 0400, kmt_dir, NULL, &kmt_stacks_fops);
	debugfs_create_file("files", 0400, kmt_dir, NULL, &kmt_files_file_fops);
	debugfs_create_file("enable", 0600, kmt_dir, NULL, &kmt_enable_fops);
	debugfs_create_file("reset", 0200, kmt_dir, NULL, &kmt_reset_fops);
	debugfs_create_file("flush", 0600, kmt_dir, NULL, &kmt_flush_fops);
	debugfs_create_file("subbuf_size", 0600, kmt_dir, &kmt_config.subbuf_size, &kmt_size_fops);
	debugfs_create_file("subbufs", 0600, kmt_dir, &kmt_config.subbufs, &kmt_size_fops);
	debugfs_create_file("stack_depth", 0600, kmt_dir, &kmt_config.stack_depth, &kmt_size_fops);
	debugfs_create_file("stack_bytes", 0600, kmt_dir, &kmt_config.stack_bytes, &kmt_size_fops);
	debugfs_create_file("user_stacks", 0600, kmt_dir, &kmt_config.user_stacks, &kmt_size_fops);
	kmt_settings_create(kmt_dir);
	kmt_mark_create(kmt_dir);
	for_each_possible_cpu(cpu)
		kmt_create_trace_file(cpu);
	return 0;
}

void kmt_debugfs_exit(void)
{
	debugfs_remove_recursive(kmt_dir);
	kmt_dir = NULL;
}

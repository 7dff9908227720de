// SPDX-License-Identifier: GPL-2.0-only
/*
 * The file "mark". Nothing is allocated for a mark: that would be traced, on this side of it.
 *
 * A mark has nothing to do with filters: it is written if tracing is enabled at all.
 */
#include <linux/debugfs.h>
#include <linux/fs.h>
#include <linux/minmax.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "event.h"
#include "kmemtrace.h"
#include "mark.h"

static void kmt_mark_fill(struct kmemtrace_record *record, const char *text, size_t len)
{
	memset(record, 0, kmt_record_len());
	memcpy(record->text, text, min_t(size_t, len, sizeof(record->text)));
	record->tid = current->pid;
	if (kmt_user_is_on())
		kmt_record_user(record)->tgid = current->tgid;
}

/* All of it or nothing: what was reserved is filled in before anything else can be. */
int kmt_mark_put(const char *text, size_t len)
{
	unsigned int parts = DIV_ROUND_UP(len, KMEMTRACE_MARK_TEXT), i;
	struct kmemtrace_record *first, *record;
	struct kmt_event event;
	u64 now;

	if (!kmt_event_enter(&event))
		return -EBUSY;
	if (!kmt_task_is_named(event.cpu, current->pid))
		kmt_event_name_current(event.cpu);
	first = record = kmt_chan_reserve_run(event.cpu, parts);
	now = kmt_clock_ns();
	for (i = 0; first && i < parts; i++) {
		size_t at = i * KMEMTRACE_MARK_TEXT;

		kmt_mark_fill(record, text + at, len - at);
		record->time_ns = now;
		record->mark.part = i;
		record->mark.parts = parts;
		barrier();	/* the type makes it valid */
		record->type = KMEMTRACE_EVENT_MARK;
		record = (void *)record + kmt_record_len();
	}
	kmt_event_leave(&event);
	return first ? 0 : -ENOSPC;
}

static int kmt_mark_line(const char *text, size_t len)
{
	int ret = -ENODEV;

	if (memchr(text, '\0', len))
		return -EINVAL;
	mutex_lock(&kmt_mutex);
	if (kmt_is_enabled())
		ret = kmt_mark_put(text, len);
	mutex_unlock(&kmt_mutex);
	return ret;
}

/* Takes the first line, with its end if that is there. Its length, or -errno. */
static ssize_t kmt_mark_take(const char __user *ubuf, size_t count, bool *any)
{
	char line[KMEMTRACE_MARK_MAX + 1];
	size_t len = min(count, sizeof(line));
	const char *end;
	int ret;

	if (copy_from_user(line, ubuf, len))
		return -EFAULT;
	end = memchr(line, '\n', len);
	if (!end && len > KMEMTRACE_MARK_MAX)
		return -E2BIG;
	if (end == line)
		return 1;
	ret = kmt_mark_line(line, end ? end - line : len);
	if (ret)
		return ret;
	*any = true;
	return end ? end - line + 1 : len;
}

static ssize_t kmt_mark_write(struct file *file, const char __user *ubuf, size_t count, loff_t *pos)
{
	bool any = false;
	size_t done = 0;

	while (done < count) {
		ssize_t taken = kmt_mark_take(ubuf + done, count - done, &any);

		if (taken < 0)
			return any ? done : taken;
		done += taken;
		/* One write may have millions of lines. */
		cond_resched();
		if (done < count && fatal_signal_pending(current))
			return any ? done : -EINTR;
	}
	return any ? done : -EINVAL;
}

static const struct file_operations kmt_mark_fops = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.write = kmt_mark_write,
	.llseek = noop_llseek,
};

void kmt_mark_create(struct dentry *dir)
{
	debugfs_create_file("mark", 0200, dir, NULL, &kmt_mark_fops);
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * The file "mark". A mark allocates nothing, as that would be traced just before it. Filters don't
 * apply to marks.
 */
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "event.h"
#include "kmemtrace.h"
#include "mark.h"
#include "names.h"

static void kmt_mark_fill(struct kmemtrace_record *record, const char *text, size_t len)
{
	memset(record, 0, kmt_record_len());
	memcpy(record->text, text, min_t(size_t, len, sizeof(record->text)));
	record->tid = current->pid;
	if (kmt_user_is_on())
		kmt_record_user(record)->tgid = current->tgid;
}

/* Writes all records of the mark or none. */
int kmt_mark_put(const char *text, size_t len)
{
	unsigned int parts = DIV_ROUND_UP(len, KMEMTRACE_MARK_TEXT), i;
	struct kmemtrace_record *first, *record;
	struct kmt_event event;
	u64 now;

	if (!kmt_event_enter(&event))
		return -EBUSY;
	kmt_names_current_before_mark(event.cpu);
	first = record = kmt_chan_reserve_run(event.cpu, parts);
	now = kmt_clock_ns();
	for (i = 0; first && i < parts; i++) {
		size_t at = i * KMEMTRACE_MARK_TEXT;

		kmt_mark_fill(record, text + at, len - at);
		record->time_ns = now;
		record->mark.part = i;
		record->mark.parts = parts;
		barrier(); /* the type makes it valid */
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
	if (kmt_is_enabled() && !kmt_chan_frozen())
		ret = kmt_mark_put(text, len);
	mutex_unlock(&kmt_mutex);
	return ret;
}

/*
 * Writes a mark for the first line. Returns the bytes used, with the newline; 0: the rest of the
 * line is in the next write(); or -errno. Sets *@any if a mark was written.
 */
static ssize_t kmt_mark_take(const char *text, size_t count, bool is_cut, bool *any)
{
	size_t len = min_t(size_t, count, KMEMTRACE_MARK_MAX + 1);
	const char *end = memchr(text, '\n', len);
	int ret;

	if (!end && len > KMEMTRACE_MARK_MAX)
		return -E2BIG;
	if (!end && is_cut)
		return 0;
	if (end == text)
		return 1;
	ret = kmt_mark_line(text, end ? end - text : len);
	if (ret)
		return ret;
	*any = true;
	return end ? end - text + 1 : len;
}

ssize_t kmt_mark_write(const char *text, size_t count)
{
	bool is_cut = count == PAGE_SIZE; /* sysfs passes at most a page */
	bool any = false;
	size_t done = 0;

	while (done < count) {
		ssize_t taken = kmt_mark_take(text + done, count - done, is_cut, &any);

		if (taken < 0)
			return any ? done : taken;
		if (!taken)
			return done;
		done += taken;
	}
	return any || is_cut ? done : -EINVAL;
}

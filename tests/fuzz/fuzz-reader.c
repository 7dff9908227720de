// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Fuzzes the trace layer: any bytes are opened as a trace, read to their end, and recovered into a
 * clean file. Random bytes rarely have a correct CRC, so each input is read twice, unchanged and
 * with correct CRCs; otherwise the code after the checks would never be reached.
 */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "crcs.h"
#include "fuzz.h"
#include "trace/event/merge.h"
#include "trace/file/recover.h"

static int see_stack(void *data, uint32_t id, const uint64_t *addrs, unsigned int depth)
{
	uint32_t *last_id = data;

	REQUIRE(id > *last_id && depth >= 1 && depth <= TRACE_STACK_MAX);
	for (unsigned int i = 0; i < depth; i++)
		*(volatile const uint64_t *)&addrs[i];
	*last_id = id;
	return 0;
}

static void read_snapshots(struct trace_reader *reader)
{
	static const char *const names[] = { "host", "stats", "" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct trace_error err = { "" };
		char *text;
		size_t len;

		if (trace_reader_snapshot(reader, names[i], KMEMTRACE_PHASE_START, &text, &len,
					  NULL, &err)) {
			REQUIRE(err.text[0]);
			continue;
		}
		REQUIRE(strlen(text) == len);
		free(text);
	}
}

static void check_event(const struct trace_event *event)
{
	REQUIRE(trace_event_name(event->event) && event->event != KMEMTRACE_EVENT_NONE);
	REQUIRE(event->context < KMEMTRACE_CONTEXT_NR);
	if (event->event == KMEMTRACE_EVENT_MARK)
		REQUIRE(memchr(event->text, 0, sizeof(event->text)));
	else
		REQUIRE(memchr(event->comm, 0, sizeof(event->comm)));
}

static void check_losses(const struct trace_stream *stream)
{
	const struct trace_loss_window *windows;
	size_t count = trace_stream_losses(stream, &windows);

	for (size_t i = 0; i < count; i++) {
		REQUIRE(windows[i].reason < TRACE_LOSS_NR && windows[i].count);
		REQUIRE(windows[i].from_ns <= windows[i].to_ns);
	}
}

static void read_events(struct trace_reader *reader)
{
	struct trace_error err = { "" };
	struct trace_event event;
	struct trace_merge *merge;
	uint32_t cpu;
	int ret;

	if (trace_merge_open(reader, &merge, &err)) {	/* a damaged duplicate */
		REQUIRE(err.text[0]);
		return;
	}
	while ((ret = trace_merge_next(merge, &event, &err)) > 0)
		check_event(&event);
	REQUIRE(!ret == !err.text[0]);
	for (size_t i = 0; i < trace_merge_streams(merge); i++)
		check_losses(trace_merge_stream(merge, i, &cpu));
	trace_merge_close(merge);
}

/* The recovered copy has everything except the gaps. */
static void recover(const char *path, size_t size)
{
	struct trace_recovery recovery;
	struct trace_error err = { "" };
	char to[64];
	uint64_t left_out = 0, end = 0;
	int fd = memfd_create("recovered", MFD_CLOEXEC);

	REQUIRE(fd >= 0);
	snprintf(to, sizeof(to), "/proc/self/fd/%d", fd);
	if (trace_recover(path, dup(fd), to, &recovery, &err)) {
		REQUIRE(err.text[0]);
	} else {
		REQUIRE(recovery.kept + recovery.orphans > 0 && recovery.size == size);
		for (size_t i = 0; i < recovery.gap_count; i++) {
			REQUIRE(recovery.gaps[i].offset >= end && recovery.gaps[i].len);
			end = recovery.gaps[i].offset + recovery.gaps[i].len;
			left_out += recovery.gaps[i].len;
		}
		REQUIRE(end <= size && left_out == recovery.left_out);
	}
	trace_recovery_clear(&recovery);
	close(fd);
}

static void read_trace(const uint8_t *data, size_t size)
{
	struct trace_error err = { "" };
	struct trace_reader *reader;
	uint32_t last_id = 0;
	const char *cut;
	char path[64];
	uint64_t end;
	int fd = memfd_create("fuzz", MFD_CLOEXEC);

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		exit(2);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (trace_reader_open(path, &reader, &err) == 0) {
		trace_reader_cut(reader, &cut, &end);
		REQUIRE(end <= size && !err.text[0]);
		read_snapshots(reader);
		trace_reader_stacks(reader, see_stack, &last_id, &err);
		read_events(reader);
		trace_reader_close(reader);
	} else {
		REQUIRE(err.text[0]);
	}
	recover(path, size);
	close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *fixed = malloc(size + 1);

	if (!fixed)
		return 0;
	read_trace(data, size);
	memcpy(fixed, data, size);
	crcs_fix(fixed, size);
	read_trace(fixed, size);
	free(fixed);
	return 0;
}

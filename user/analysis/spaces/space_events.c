// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Follows the trace's events of address spaces.
 */
#include "analysis/spaces/address_spaces_priv.h"

/*
 * Returns the space of @mm; 0: unknown. It is the last one of the process, unless that has another
 * mm: then the event is missing by which the process left it.
 */
static guint32 known_space(AddressSpaces *spaces, guint32 mm, guint32 tgid)
{
	guint32 number = space_table_of_mm(&spaces->table, mm), known_mm;

	if (number)
		return number;
	number = space_table_current(&spaces->table, tgid);
	if (!number || !mm)
		return number;
	known_mm = space_table_get(&spaces->table, number)->mm;
	if (known_mm && known_mm != mm)
		return 0;
	space_table_set_mm(&spaces->table, mm, number);
	return number;
}

/* Returns the bytes of a MAP event. */
static guint64 mapped_len(const AddressSpaces *spaces, const struct trace_event *event)
{
	return event->bytes_req == G_MAXUINT32
		       ? G_MAXUINT64
		       : (guint64)event->bytes_req << spaces->abi.page_shift;
}

/* The process is in a space: later readings of it do not show the one that it has left. */
static void move(AddressSpaces *spaces, const struct trace_event *event, guint32 number)
{
	SpaceTable *table = &spaces->table;
	guint32 before = space_table_current(table, event->tgid);

	if (before != number)
		space_table_void_readings(table, event->tgid, before, event->time_ns);
	space_table_move_in(table, event->tgid, event->time_ns, number);
}

static void take_map(AddressSpaces *spaces, const struct trace_event *event)
{
	guint32 number = known_space(spaces, event->mm, event->tgid);
	guint64 len = mapped_len(spaces, event);
	Range range = {
		.start = event->addr,
		.end = event->addr + MIN(len, G_MAXUINT64 - event->addr),
		.offset = event->call_site,
		.from_ns = event->time_ns,
		.file = space_files_by_id(spaces->files, event->bytes_alloc),
	};
	SpaceVersion version;
	gboolean changed;

	space_table_clear_read(&spaces->table, event->mm, number, &range);
	if (!number) {
		if (!range.file)
			return;
		number = space_table_new(&spaces->table, event->mm, event->time_ns);
	}
	/* Without a file the event may be about the copy that fork() makes. */
	if (range.file)
		move(spaces, event, number);
	version = *space_last_version(space_table_get(&spaces->table, number));
	changed = space_table_clear_range(&spaces->table, number, &version, &range);
	if (range.file && range.start < range.end)
		version.events = ranges_add(spaces->table.ranges, version.events, &range);
	version.from_ns = event->time_ns;
	if (changed || range.file)
		space_add_version(space_table_get(&spaces->table, number), &version);
}

static void take_dup_mm(AddressSpaces *spaces, const struct trace_event *event)
{
	guint32 original =
		event->bytes_alloc ? known_space(spaces, event->bytes_alloc, event->tgid) : 0;

	if (original)
		space_table_set_mm(&spaces->table, event->mm,
				   space_table_copy(&spaces->table, original, event->time_ns));
	else
		space_table_new(&spaces->table, event->mm, event->time_ns);
}

/* Returns the space of a new process. Without an mm or a DUP_MM, it is copied now. */
static guint32 space_of_child(AddressSpaces *spaces, const struct trace_event *event)
{
	guint32 parent = space_table_current(&spaces->table, event->bytes_req);
	guint32 number = event->bytes_alloc ? known_space(spaces, event->mm, event->bytes_req)
					    : space_table_of_mm(&spaces->table, event->mm);

	if (number)
		return number;
	if (parent && !event->mm)
		return space_table_copy(&spaces->table, parent, event->time_ns);
	return space_table_new(&spaces->table, event->mm, event->time_ns);
}

static void take_fork(AddressSpaces *spaces, const struct trace_event *event)
{
	guint32 child = space_of_child(spaces, event);
	guint32 before = space_table_current(&spaces->table, event->tgid);
	SpaceSpan known;

	/* The process was read after this fork, so before it, another one had the id. */
	if (before == child &&
	    space_table_read(&spaces->table, space_table_get(&spaces->table, child), event->tgid,
			     &known) &&
	    known.to_ns > event->time_ns)
		space_table_forget(&spaces->table, event->tgid);
	else if (before)
		space_table_move_readings(&spaces->table, event->tgid, before, child,
					  event->time_ns);
	space_table_move_in(&spaces->table, event->tgid, event->time_ns, child);
}

static void take_exec(AddressSpaces *spaces, const struct trace_event *event)
{
	move(spaces, event, space_table_new(&spaces->table, event->mm, event->time_ns));
}

static void take_event(AddressSpaces *spaces, const struct trace_event *event)
{
	ranges_keep(spaces->table.ranges);
	switch (event->event) {
	case KMEMTRACE_EVENT_MAP:
		take_map(spaces, event);
		break;
	case KMEMTRACE_EVENT_EXEC:
		if (event->tgid)
			take_exec(spaces, event);
		else
			losstimes_add(spaces->losses, spaces->last_ns, event->time_ns);
		break;
	case KMEMTRACE_EVENT_FORK:
		take_fork(spaces, event);
		break;
	case KMEMTRACE_EVENT_DUP_MM:
		take_dup_mm(spaces, event);
		break;
	}
	spaces->last_ns = event->time_ns;
}

/* Ignores events before the beginning: only some CPUs have them, so they are incomplete. */
int space_events_read(AddressSpaces *spaces, struct trace_reader *reader, struct trace_error *err)
{
	struct trace_beginning beginning = { .late = false };
	gboolean late_known = FALSE;
	const struct trace_event *event;
	struct trace_merge *merge;
	int ret = trace_merge_open(reader, &merge, err);

	if (ret)
		return ret;
	while ((ret = trace_merge_look(merge, &event, err)) > 0) {
		if (!late_known) {
			beginning = trace_merge_beginning(merge);
			late_known = TRUE;
		}
		if (trace_event_action(event->event) == TRACE_SPACE &&
		    (!beginning.late || event->time_ns >= beginning.time_ns))
			take_event(spaces, event);
	}
	if (!ret)
		losstimes_add_merge(spaces->losses, merge, reader);
	trace_merge_close(merge);
	losstimes_sort(spaces->losses);
	return ret;
}

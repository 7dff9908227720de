/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The interval in which an allocation takes memory, for live, peak, timeline and leaks:
 * - it is live from its allocation until right before its end;
 * - memory that kfree_rcu() was called for is live until it is freed, or the trace ends;
 * - memory whose free was not traced is live until that was noticed, and is also counted
 *   separately;
 * - pages that back other memory are left out;
 * - a block that is freed in pieces is live in full until the last one; how much of it is left at
 *   the end is known.
 */
#ifndef KMT_REPORT_GROUPS_LIVE_INTERVAL_H
#define KMT_REPORT_GROUPS_LIVE_INTERVAL_H

#include "report/groups/groups.h"

#define LIVE_INTERVAL_NEVER G_MAXINT64

typedef struct {
	gsize group;
	guint kind;
	gint64 time_ns, end_ns; /* LIVE_INTERVAL_NEVER: live at the end of the trace */
	gint64 bytes;
	gint64 bytes_end; /* remaining at the end of the trace, if live then */
	gboolean unseen;  /* freed unseen */
} LiveInterval;

/* Columns of scan_times.sql. */
enum {
	LIVE_INTERVAL_ORIGIN,
	LIVE_INTERVAL_TIME,
	LIVE_INTERVAL_TASK,
	LIVE_INTERVAL_LIFETIME,
	LIVE_INTERVAL_ENDING,
	LIVE_INTERVAL_PARTS
};

/* Returns FALSE for a row of scan_times.sql that does not count. */
static inline gboolean live_interval_read(const Groups *groups, const gint64 *values,
					  LiveInterval *span)
{
	const GroupOrigin *origin = groups_origin(groups, values[LIVE_INTERVAL_ORIGIN]);
	LifetimeState state = lifetime_state(values[LIVE_INTERVAL_ENDING]);

	if (!origin || lifetime_is_backing(values[LIVE_INTERVAL_ENDING]))
		return FALSE;
	span->group = groups_of(groups, origin, values[LIVE_INTERVAL_TASK]);
	span->kind = origin->kind;
	span->bytes = span->bytes_end = origin->bytes;
	span->time_ns = values[LIVE_INTERVAL_TIME];
	span->unseen = state == LIFETIME_UNSEEN;
	if (values[LIVE_INTERVAL_LIFETIME] != SCAN_NULL) {
		span->end_ns = span->time_ns + values[LIVE_INTERVAL_LIFETIME];
	} else if (state != LIFETIME_LIVE) { /* being freed */
		span->end_ns = groups->span_ns;
	} else {
		span->end_ns = LIVE_INTERVAL_NEVER;
		span->bytes_end -=
			lifetime_pages_freed(values[LIVE_INTERVAL_PARTS]) * groups->page_size;
	}
	return TRUE;
}

/* A change of live memory at a time. */
typedef struct {
	gint64 time_ns;
	gint64 bytes;
	guint32 group;
	gint32 count; /* 1, -1, or 0: a part was freed */
} LiveChange;

/*
 * Returns the number of @changes of @span: its allocation, then its end. Live memory at the end of
 * the trace has no end, but blocks freed in parts change at the end of the trace.
 */
static inline guint live_interval_changes(const Groups *groups, const LiveInterval *span,
					  LiveChange changes[2])
{
	changes[0] = (LiveChange){ span->time_ns, span->bytes, span->group, 1 };
	if (span->end_ns != LIVE_INTERVAL_NEVER)
		changes[1] = (LiveChange){ span->end_ns, -span->bytes, span->group, -1 };
	else if (span->bytes != span->bytes_end)
		changes[1] = (LiveChange){ groups->span_ns, span->bytes_end - span->bytes,
					   span->group, 0 };
	else
		return 1;
	return 2;
}

/* Returns the live bytes at @at, or 0. */
static inline gint64 live_interval_bytes_at(const Groups *groups, const LiveInterval *span,
					    gint64 at)
{
	if (span->time_ns > at || span->end_ns <= at)
		return 0;
	return at >= groups->span_ns ? span->bytes_end : span->bytes;
}

#endif

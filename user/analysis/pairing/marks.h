/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Assembles marks from their records, which are consecutive. If some are missing, each remaining
 * part becomes a separate mark.
 */
#ifndef KMT_ANALYSIS_PAIRING_MARKS_H
#define KMT_ANALYSIS_PAIRING_MARKS_H

#include <glib.h>

#include "trace/event/event.h"

typedef struct {
	guint64 time_ns;
	guint32 cpu, tid;
	const char *text; /* of marks_text(); "…" for missing parts */
} Mark;

/* Called for each mark; *@mark is valid during the call. */
typedef void (*MarkFunc)(gpointer data, const Mark *mark);

/* Zero-initialized. */
typedef struct {
	gboolean open; /* a mark has begun */
	guint64 time_ns;
	guint32 cpu, tid;
	guint16 next, parts; /* the expected part, of how many */
	gboolean headless;   /* its first parts are missing */
	gsize len;
	char text[KMEMTRACE_MARK_MAX + 1]; /* unescaped */
} Marks;

/* Takes a MARK event. Calls @func for marks that end with it, or before it. */
void marks_take(Marks *marks, const struct trace_event *event, MarkFunc func, gpointer data);

/* Ends the open mark, at another event or the end of the trace. */
void marks_end(Marks *marks, MarkFunc func, gpointer data);

/*
 * Returns the text for display and comparison: each byte of a control character, and each invalid
 * one, becomes \ooo. For g_free().
 */
char *marks_text(const char *text);

#endif

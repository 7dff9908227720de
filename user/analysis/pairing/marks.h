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
	const char *text; /* as marks_text() makes it; "…" for missing pieces */
} Mark;

/* Called for each mark; *@mark is valid during the call. */
typedef void (*MarkFunc)(gpointer data, const Mark *mark);

/* All zeros at first. */
typedef struct {
	gboolean open; /* there is the beginning of one */
	guint64 time_ns;
	guint32 cpu, tid;
	guint16 next, parts; /* the piece that is expected, of how many */
	gboolean headless;   /* its first pieces are missing */
	gsize len;
	char text[KMEMTRACE_MARK_MAX + 1]; /* as it was written */
} Marks;

/* Takes a MARK event in. @func gets the marks that end with it, or before it. */
void marks_take(Marks *marks, const struct trace_event *event, MarkFunc func, gpointer data);

/* Closes the open mark: another event or the end has come. */
void marks_end(Marks *marks, MarkFunc func, gpointer data);

/*
 * The text for display and comparison: each byte of a control character, and each that is not
 * UTF-8, becomes \ooo. For g_free().
 */
char *marks_text(const char *text);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One recording from beginning to end: what is read before, tracing on, the drain, tracing off,
 * what is read after.
 */
#ifndef KMT_CAPTURE_SESSION_H
#define KMT_CAPTURE_SESSION_H

#include "capture/stats.h"

typedef struct {
	const char *path;	/* of the trace file */
	guint64 buffer_bytes;	/* for each CPU; 0: as the tracer is set */
	int stack_depth;	/* return addresses; −1: as the tracer is set */
	guint64 duration_ns;	/* 0: no limit */
	char *const *command;	/* NULL: until a signal, or the duration's end */
} SessionOptions;

typedef struct {
	CaptureStats stats;
	guint64 bytes;		/* of the file */
	guint64 span_ns;	/* tracing was on */
	int status;		/* of the command, as waitpid() gives it; 0 without one */
} SessionResult;

/*
 * Records until the command ends, the duration is over, or SIGINT, SIGTERM or SIGHUP comes,
 * whichever is first. Whatever happens, the tracer is off and empty afterwards, and what was
 * drained is in the file; only a recording that ended in good order has an END chunk.
 */
gboolean session_record(const SessionOptions *options, SessionResult *result, GError **error);

#endif

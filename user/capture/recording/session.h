/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One recording from beginning to end: snapshots of the start, tracing on, drain, tracing off,
 * snapshots of the end.
 */
#ifndef KMT_CAPTURE_RECORDING_SESSION_H
#define KMT_CAPTURE_RECORDING_SESSION_H

#include "capture/recording/output.h"
#include "capture/tracer/settings.h"
#include "capture/tracer/stats.h"

typedef struct {
	const char *path; /* of the file, or of its last part; or the receiver */
	guint parts;      /* their number; 0: not in parts */
	guint kept;       /* how many of them were not removed */
	CaptureStats stats;
	guint64 events;  /* in the file, or in all parts */
	guint64 bytes;   /* of the same */
	guint64 span_ns; /* tracing was on, as far as we know */
	int status;      /* of the command, as waitpid() gives it; 0 without one */
} SessionResult;

typedef struct {
	Output output;            /* a flight's files are numbered, as are parts */
	const Settings *settings; /* overwrite: files are written while tracing is stopped */
	gboolean keep;            /* keep the tracer's events and settings */
	gboolean discard;         /* discard the tracer's events; else an error, unless keep */
	gboolean only_command;    /* the command and its children alone */
	guint64 duration_ns;      /* 0: no limit */
	char *const *command;     /* NULL: until a signal, or the duration's end */
	const char *user;         /* that the command runs as; NULL: as this process does */
	void (*done)(const SessionResult *result); /* a file is whole */
} SessionOptions;

/*
 * Records until the command ends, the duration is over, or SIGINT, SIGTERM or SIGHUP comes,
 * whichever is first. The second such signal ends all waiting: what was written stays, and the
 * command continues. A failed recording waits for the command, and doesn't end it; the error is
 * CAPTURE_ERROR_REPORTED then. A flight also writes a file and begins a new one at each SIGUSR1. In
 * any case the tracer is off and empty afterwards, with its previous sizes, unless it was busy;
 * what was drained is in the file; only a recording that ended normally has an END chunk. Under
 * sudo, the file belongs to the calling user.
 *
 * *@result is that of the last file, with the counters of all.
 */
gboolean session_record(const SessionOptions *options, SessionResult *result, GError **error);

#endif

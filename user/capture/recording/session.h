/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One recording from start to end: snapshots of the start, tracing on, drain, tracing off,
 * snapshots of the end.
 */
#ifndef KMT_CAPTURE_RECORDING_SESSION_H
#define KMT_CAPTURE_RECORDING_SESSION_H

#include "capture/recording/output.h"
#include "capture/tracer/settings.h"
#include "capture/tracer/stats.h"

typedef struct {
	const char *path; /* of the file, or of the last part; or the receiver */
	guint parts;      /* number of parts; 0: a single file */
	guint kept;       /* parts that were not removed */
	CaptureStats stats;
	guint64 events;  /* in the file, or in all parts */
	guint64 bytes;   /* likewise */
	guint64 span_ns; /* time with tracing on, as far as known */
	int status;      /* of the command, from waitpid(); 0 without one */
} SessionResult;

typedef struct {
	Output output;            /* files of a flight recording are numbered, as are parts */
	const Settings *settings; /* overwrite: files are written while tracing is stopped */
	gboolean keep;            /* keep the tracer's events and settings */
	gboolean discard;         /* discard the tracer's events; otherwise an error, unless keep */
	gboolean only_command;    /* only the command and its children */
	guint64 duration_ns;      /* 0: unlimited */
	char *const *command;     /* NULL: until a signal, or the end of the duration */
	const char *user;         /* user of the command; NULL: as this process */
	void (*done)(const SessionResult *result); /* called when a file is complete */
} SessionOptions;

/*
 * Records until the command ends, the duration elapses, or SIGINT, SIGTERM or SIGHUP arrives. A
 * second such signal ends all waiting: written data stays, and the command continues. A failed
 * recording waits for the command, and doesn't end it; the error is then CAPTURE_ERROR_REPORTED. A
 * flight recording also writes a file and begins a new one at each SIGUSR1. Afterwards the tracer
 * is off and empty in any case, with its previous sizes, unless it was busy. The file has all
 * drained events; only a recording that ended normally has an END chunk. Under sudo, the file
 * belongs to the calling user.
 *
 * *@result is that of the last file, with the counters of all.
 */
gboolean session_record(const SessionOptions *options, SessionResult *result, GError **error);

#endif

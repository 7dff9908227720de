/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The tracer's complete current state.
 */
#ifndef KMT_CAPTURE_TRACER_STATUS_H
#define KMT_CAPTURE_TRACER_STATUS_H

#include "capture/tracer/stats.h"
#include "capture/tracer/tracer.h"

/* Fields that an older tracer lacks are NULL or 0. */
typedef struct {
	const char *source; /* from control_source() */
	TracerState state;
	pid_t holder; /* 0: no recorder; see tracer_holder() */
	char *holder_name;
	guint64 subbuf_size; /* bytes, as is stack_bytes */
	guint64 subbufs;     /* for each CPU */
	guint64 stack_depth; /* return addresses */
	guint64 stack_bytes;
	gboolean overwrite;
	gboolean frozen;  /* an oops of the kernel stopped the tracer */
	char *events;     /* "slab page" */
	char **filters;   /* "pids 12 34" */
	char **paths;     /* "name state" */
	GArray *cpus;     /* of CaptureStats */
	GArray *memories; /* of StatsMemory */
	GArray *others;   /* of pid_t: recorders with BPF programs of their own */
} Status;

/* Sets all but others, which the caller may set. */
gboolean status_read(const Control *control, Status *status, GError **error);
void status_clear(Status *status);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Status, status_clear)

/* Returns whether a line of filters leaves anything out. */
gboolean status_filter_is_set(const char *filter);

/* Returns the same as a JSON object. For g_free(). */
char *status_to_json(const Status *status);

#endif

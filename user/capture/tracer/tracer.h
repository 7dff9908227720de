/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The tracer's state and its owner. One process at a time controls it or reads its buffers: it
 * holds a lock, which ends with the process even if it is killed.
 */
#ifndef KMT_CAPTURE_TRACER_TRACER_H
#define KMT_CAPTURE_TRACER_TRACER_H

#include <sys/types.h>

#include "capture/tracer/control.h"

typedef enum {
	TRACER_EMPTY, /* off, without buffers */
	TRACER_RUNNING,
	TRACER_STOPPED, /* off; the events are still there */
} TracerState;

gboolean tracer_state(const Control *control, TracerState *state, GError **error);

/*
 * Sets *@on if allocations are recorded. A recorder that was killed may have left only mappings to
 * be recorded.
 */
gboolean tracer_is_on(const Control *control, gboolean *on, GError **error);

/* Returns the name of a state, as people read it. */
const char *tracer_state_name(TracerState state);

/*
 * Returns a process, other than this one, that has the tracer or one of its streams open; 0: there
 * is none; TRACER_HOLDER_UNKNOWN: the search, in which root's processes come first, was given up
 * after a second: any user can have many open files.
 */
#define TRACER_HOLDER_UNKNOWN (-1)
pid_t tracer_holder(const Control *control);

/* Returns a process's name, for g_free(); NULL if it has ended. */
char *tracer_process_name(pid_t pid);

/*
 * Locks the tracer until control_close(). Fails with CAPTURE_ERROR_BUSY, naming the process, if
 * another one has it. Fails in a time namespace, too, as a pinned session would get its times. Must
 * be called before the first thread is created.
 */
gboolean tracer_claim(Control *control, GError **error);

/* Returns TRUE if full buffers drop their oldest events. FALSE for a tracer that can't do that. */
gboolean tracer_overwrites(const Control *control);

#endif

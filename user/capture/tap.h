/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Events as they happen, without a file: takes the per-CPU streams of a running tracer and gives
 * out their events in order of time, up to the last flush. Memory is for what has come since then.
 * For one thread, which does not wait here.
 */
#ifndef KMT_CAPTURE_TAP_H
#define KMT_CAPTURE_TAP_H

#include <poll.h>

#include "capture/control.h"
#include "trace/event.h"

typedef struct Tap Tap;

/* FALSE, with an error that says so, if this tracer is too old for it. */
gboolean tap_check(const Control *control, GError **error);

/*
 * Opens the streams of a tracer that has its buffers. @control must outlive it. Fails with
 * CAPTURE_ERROR_BUSY if another process reads one of them.
 */
Tap *tap_open(const Control *control, GError **error);
void tap_close(Tap *tap);	/* NULL is allowed */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Tap, tap_close)

/* Takes in the streams of CPUs that have come online. */
gboolean tap_look(Tap *tap, GError **error);

/* What poll() may wait for, of struct pollfd: any of them means that tap_read() finds something. */
void tap_poll(const Tap *tap, GArray *fds);

/* Takes what can be read. */
gboolean tap_read(Tap *tap, GError **error);

/*
 * Makes all that was written until now readable, and takes it: tap_next() gives it out from here
 * on. Where the buffers are half full again as soon as they were read, which is seldom, they are
 * read alone, and the next flush makes up for it; it fails if that goes on until a GiB waits.
 */
gboolean tap_flush(Tap *tap, GError **error);

/* The next event before the time of the last flush; NULL: none. Valid until the next call. */
const struct trace_event *tap_next(Tap *tap);

/* The time of the last flush, on the clock of events; 0: there was none. */
guint64 tap_until(const Tap *tap);

#endif

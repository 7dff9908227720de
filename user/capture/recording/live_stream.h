/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Live events without a file: reads the per-CPU streams of a running tracer and returns their
 * events in time order, up to the last flush. Memory is proportional to the number of events since
 * then. For use by a single thread, which never waits here.
 */
#ifndef KMT_CAPTURE_RECORDING_LIVE_STREAM_H
#define KMT_CAPTURE_RECORDING_LIVE_STREAM_H

#include <poll.h>

#include "capture/tracer/control.h"
#include "trace/event/event.h"

typedef struct LiveStream LiveStream;

/* Returns FALSE with an error if this tracer is too old for live streams. */
gboolean live_stream_check(const Control *control, GError **error);

/*
 * Opens the streams of a tracer that has its buffers. @control must outlive it. Fails with
 * CAPTURE_ERROR_BUSY if another process reads one of them.
 */
LiveStream *live_stream_open(const Control *control, GError **error);
void live_stream_close(LiveStream *stream); /* NULL is allowed */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LiveStream, live_stream_close)

/* Adds the streams of CPUs that have come online. */
gboolean live_stream_look(LiveStream *stream, GError **error);

/*
 * Appends descriptors to poll, as struct pollfd. If any of them is ready, live_stream_read() finds
 * something.
 */
void live_stream_poll(const LiveStream *stream, GArray *fds);

/* Reads all available data. */
gboolean live_stream_read(LiveStream *stream, GError **error);

/*
 * Makes all events written until now readable, and reads them: live_stream_next() returns them from
 * here on. If the buffers are half full again after reading, which is rare, they are only read, and
 * the next flush makes up for it. Fails if that continues until a GiB waits.
 */
gboolean live_stream_flush(LiveStream *stream, GError **error);

/*
 * Returns the next event before the time of the last flush; NULL: none. Valid until the next call.
 */
const struct trace_event *live_stream_next(LiveStream *stream);

/* Returns the time of the last flush, on the clock of events; 0: there was none. */
guint64 live_stream_until(const LiveStream *stream);

#endif

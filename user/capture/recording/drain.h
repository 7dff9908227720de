/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Drains the per-CPU streams: one thread per CPU, pinned to it, waits for complete sub-buffers and
 * writes each as a chunk. A thread exits at the kernel's end-of-file: the tracer is off, and all
 * sub-buffers were read.
 */
#ifndef KMT_CAPTURE_RECORDING_DRAIN_H
#define KMT_CAPTURE_RECORDING_DRAIN_H

#include "capture/tracer/control.h"
#include "capture/tracer/stats.h"
#include "trace/file/writer.h"

typedef struct Drain Drain;

/*
 * Starts the threads for a tracer with open buffers, whether it is on or off. @writer and @control
 * must outlive the drain. If another recorder reads one of the streams, switches the tracer off and
 * fails with CAPTURE_ERROR_BUSY.
 */
Drain *drain_start(const Control *control, struct trace_writer *writer, GError **error);

/*
 * Starts a thread for each CPU that has come online since. Returns FALSE with the first error of
 * any thread so far.
 */
gboolean drain_look(Drain *drain, GError **error);

/*
 * Must be called before the tracer is switched off. Otherwise an end-of-file means that another
 * user switched it off, and the streams fail.
 */
void drain_expect_end(Drain *drain);

/*
 * Waits for the threads (the tracer must be off) and frees. Adds the number of records read to
 * *@records. For each CPU whose first sub-buffer read is not the first of the session, adds the
 * earlier losses to @before. Both may be NULL. Returns FALSE with the first error of any thread.
 */
gboolean drain_finish(Drain *drain, guint64 *records, CaptureStats *before, GError **error);

#endif

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
 * must outlive the drain. Fails with CAPTURE_ERROR_BUSY, the tracer off, if another recorder has
 * one of the streams.
 */
Drain *drain_start(const Control *control, struct trace_writer *writer, GError **error);

/*
 * Starts a thread for each CPU that has come online since. FALSE with the first error of any thread
 * so far.
 */
gboolean drain_look(Drain *drain, GError **error);

/*
 * Call this before you switch the tracer off. Without it, an end-of-file means that another user
 * switched it off, and the streams fail.
 */
void drain_expect_end(Drain *drain);

/*
 * Waits for the threads (the tracer must be off) and frees. Adds the records read to *@records, and
 * to @before the losses before each CPU's first sub-buffer read, if that is not the session's
 * first. Both may be NULL. FALSE with the first error of any thread.
 */
gboolean drain_finish(Drain *drain, guint64 *records, CaptureStats *before, GError **error);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Gets the per-CPU streams out of the kernel: one thread for each CPU, pinned to it, waits for
 * completed sub-buffers and writes each as a chunk. The threads end by themselves once the tracer
 * is off and all is read: that is what the kernel's end-of-file means.
 */
#ifndef KMT_CAPTURE_DRAIN_H
#define KMT_CAPTURE_DRAIN_H

#include "capture/control.h"
#include "trace/writer.h"

typedef struct Drain Drain;

/*
 * Starts the threads for a tracer that has its buffers. @subbuf_size in bytes. @writer must outlive
 * the drain. Fails with CAPTURE_ERROR_BUSY if another recorder has one of the streams.
 */
Drain *drain_start(const Control *control, guint64 subbuf_size, struct trace_writer *writer,
		   GError **error);

/* The first error of any thread so far: FALSE with @error set if there was one. */
gboolean drain_check(Drain *drain, GError **error);

/* Waits for the threads (the tracer must be off) and frees. FALSE with the first error of any. */
gboolean drain_finish(Drain *drain, GError **error);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is read off the target besides the events, so that the trace can be read anywhere: who it
 * is, its symbols and names, and how much memory it says it uses.
 */
#ifndef KMT_CAPTURE_SNAPSHOT_H
#define KMT_CAPTURE_SNAPSHOT_H

#include "capture/control.h"
#include "trace/writer.h"

/* Fails with CAPTURE_ERROR_NO_SYMBOLS if kallsyms shows no addresses. */
gboolean snapshot_check_symbols(GError **error);

/* Writes who the target is. @command: what is recorded; NULL: all there is. */
gboolean snapshot_write_host(struct trace_writer *writer, const char *command, GError **error);

/* Writes the kernel's function symbols. */
gboolean snapshot_write_symbols(struct trace_writer *writer, enum kmemtrace_phase phase,
				GError **error);

/*
 * Writes the tracer's texts and those of /proc that belong to @phase. What a kernel doesn't have
 * (slabinfo, say) is left out; what can't be written is an error.
 */
gboolean snapshot_write_files(struct trace_writer *writer, const Control *control,
			      enum kmemtrace_phase phase, GError **error);

/* Writes the tracer's stack table from @*offset bytes on and advances @*offset. */
gboolean snapshot_write_stacks(struct trace_writer *writer, const Control *control, guint64 *offset,
			       GError **error);

#endif

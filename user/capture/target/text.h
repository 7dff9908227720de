/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes a text of the trace in parts: it may be too long for memory. */
#ifndef KMT_CAPTURE_TARGET_TEXT_H
#define KMT_CAPTURE_TARGET_TEXT_H

#include <glib.h>

#include "trace/file/writer.h"

typedef struct Text Text;

/* @writer and @name must outlive it. The text has the time of this call. */
Text *text_begin(struct trace_writer *writer, const char *name, enum kmemtrace_phase phase);

/* Appends. text_end() reports errors. */
void text_append(Text *text, const char *bytes, gsize len);

/*
 * Appends the readable part of the file @fd, and closes it. Returns FALSE, with nothing appended,
 * if @fd is negative.
 */
gboolean text_append_file(Text *text, int fd);

/* Ends and frees it. Returns FALSE with an error if it could not be written. */
gboolean text_end(Text *text, GError **error);

/* Frees it; nothing may have been appended. The trace gets no such text. */
void text_drop(Text *text);

#endif

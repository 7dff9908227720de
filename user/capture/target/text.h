/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes a text of the trace piece by piece: it may be long, and a small machine need not hold all
 * of it in memory.
 */
#ifndef KMT_CAPTURE_TARGET_TEXT_H
#define KMT_CAPTURE_TARGET_TEXT_H

#include <glib.h>

#include "trace/file/writer.h"

typedef struct Text Text;

/* @writer and @name must outlive it. Its time is that of this call. */
Text *text_begin(struct trace_writer *writer, const char *name, enum kmemtrace_phase phase);

/* Appends. text_end() reports errors. */
void text_append(Text *text, const char *bytes, gsize len);

/*
 * Appends the readable part of a file that open() gave, and closes it. FALSE if that is no file:
 * then nothing is appended.
 */
gboolean text_append_file(Text *text, int fd);

/* Ends and frees it. FALSE with an error if it could not be written. */
gboolean text_end(Text *text, GError **error);

/* Frees it. Nothing was appended; the trace gets no such text. */
void text_drop(Text *text);

#endif

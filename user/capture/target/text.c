// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/target/text.h"

#include <errno.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "capture/tracer/control.h"

#define PIECE (256 << 10) /* bytes */

struct Text {
	struct trace_writer *writer;
	const char *name;
	enum kmemtrace_phase phase;
	guint64 time_ns;
	guint64 written; /* bytes of earlier parts */
	gsize len;       /* bytes in @piece */
	struct trace_error error;
	gboolean failed;
	char piece[PIECE];
};

Text *text_begin(struct trace_writer *writer, const char *name, enum kmemtrace_phase phase)
{
	Text *text = g_malloc(sizeof(*text));
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	text->writer = writer;
	text->name = name;
	text->phase = phase;
	text->time_ns = (guint64)ts.tv_sec * G_GUINT64_CONSTANT(1000000000) + ts.tv_nsec;
	text->written = text->len = 0;
	text->failed = FALSE;
	return text;
}

static void write_piece(Text *text)
{
	if (!text->failed && text->written + text->len > G_MAXUINT32)
		text->failed = trace_error_set(&text->error, EFBIG, "the text '%s' is too long",
					       text->name) != 0;
	if (!text->failed)
		text->failed = trace_writer_piece(text->writer, text->name, text->phase,
						  text->time_ns, text->written, text->piece,
						  text->len, &text->error) != 0;
	text->written += text->len;
	text->len = 0;
}

void text_append(Text *text, const char *bytes, gsize len)
{
	while (len) {
		gsize part = MIN(len, PIECE - text->len);

		memcpy(text->piece + text->len, bytes, part);
		text->len += part;
		bytes += part;
		len -= part;
		if (text->len == PIECE)
			write_piece(text);
	}
}

gboolean text_append_file(Text *text, int fd)
{
	ssize_t got;

	if (fd < 0)
		return FALSE;
	do {
		got = read(fd, text->piece + text->len, PIECE - text->len);
		text->len += MAX(got, 0);
		if (text->len == PIECE)
			write_piece(text);
	} while (got > 0 || (got < 0 && errno == EINTR));
	close(fd);
	return TRUE;
}

gboolean text_end(Text *text, GError **error)
{
	gboolean fine;

	if (text->len || !text->written)
		write_piece(text);
	fine = !text->failed;
	if (!fine)
		g_set_error_literal(error, CAPTURE_ERROR, CAPTURE_ERROR_FAILED, text->error.text);
	g_free(text);
	return fine;
}

void text_drop(Text *text)
{
	g_free(text);
}

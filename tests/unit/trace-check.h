/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shared by the tests of the trace layer: a folder for their files, short forms of reader calls
 * that must not fail, and functions that change bytes of a file. Header only: each test is a binary
 * of its own.
 */
#ifndef KMT_TESTS_TRACE_CHECK_H
#define KMT_TESTS_TRACE_CHECK_H

#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <string.h>
#include <zlib.h>

#include "trace/event/merge.h"
#include "trace/file/recover.h"
#include "trace-builder.h"

/* A file in a folder of its own, both removed by check_file_clear(). */
struct check_file {
	char *folder;
	char *path;
};

static inline struct check_file check_file_make(void)
{
	struct check_file file = { .folder = g_dir_make_tmp("kmt-test-XXXXXX", NULL) };

	g_assert_nonnull(file.folder);
	file.path = g_build_filename(file.folder, "t.kmt", NULL);
	return file;
}

static inline void check_file_clear(struct check_file *file)
{
	g_unlink(file->path);
	g_rmdir(file->folder);
	g_free(file->path);
	g_free(file->folder);
}

typedef struct check_file check_file;
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(check_file, check_file_clear)

typedef struct trace_reader trace_reader;
G_DEFINE_AUTOPTR_CLEANUP_FUNC(trace_reader, trace_reader_close)

/* ---- bytes of a file ---- */

static inline GByteArray *check_read(const struct check_file *file)
{
	gchar *bytes;
	gsize len;

	g_assert_true(g_file_get_contents(file->path, &bytes, &len, NULL));
	return g_byte_array_new_take((guint8 *)bytes, len);
}

static inline void check_write(const struct check_file *file, const void *bytes, size_t len)
{
	FILE *out = fopen(file->path, "w");

	g_assert_nonnull(out);
	g_assert_cmpuint(fwrite(bytes, 1, len, out), ==, len);
	g_assert_cmpint(fclose(out), ==, 0);
}

/* The header of the chunk at *@at, which moves to the next chunk. */
static inline struct kmemtrace_chunk_header check_next_chunk(const GByteArray *bytes, size_t *at)
{
	struct kmemtrace_chunk_header header;

	g_assert_cmpuint(*at + sizeof(header), <=, bytes->len);
	memcpy(&header, bytes->data + *at, sizeof(header));
	*at += sizeof(header) + (header.len + 7) / 8 * 8;
	return header;
}

/* Offset of the @nth chunk of @type, from 0; aborts if there is none. */
static inline size_t check_find_chunk(const GByteArray *bytes, unsigned int type, unsigned int nth)
{
	size_t at = sizeof(struct kmemtrace_file_header);

	for (;;) {
		size_t start = at;

		if (check_next_chunk(bytes, &at).type == type && nth-- == 0)
			return start;
	}
}

/* Updates both CRCs of the chunk at @at after a change. */
static inline void check_fix_crc(GByteArray *bytes, size_t at)
{
	struct kmemtrace_chunk_header header;

	memcpy(&header, bytes->data + at, sizeof(header));
	header.payload_crc = crc32_z(0, bytes->data + at + sizeof(header), header.len);
	header.header_crc = crc32_z(0, (const void *)&header,
				    offsetof(struct kmemtrace_chunk_header, header_crc));
	memcpy(bytes->data + at, &header, sizeof(header));
}

/* ---- the reader ---- */

static inline struct trace_reader *check_open(const struct check_file *file)
{
	struct trace_reader *reader;
	struct trace_error err = { "" };

	if (trace_reader_open(file->path, &reader, &err))
		g_error("%s", err.text);
	return reader;
}

/* Whether it is cut, and where. */
static inline bool is_cut(const struct trace_reader *reader, uint64_t *offset)
{
	const char *path;

	return trace_reader_cut(reader, &path, offset);
}

/* Opening must fail with -@errnum and a text that has @part. */
static inline void check_refused(const struct check_file *file, int errnum, const char *part)
{
	struct trace_reader *reader = NULL;
	struct trace_error err = { "" };

	g_assert_cmpint(trace_reader_open(file->path, &reader, &err), ==, -errnum);
	g_assert_null(reader);
	g_assert_nonnull(strstr(err.text, file->path));
	if (!strstr(err.text, part))
		g_error("'%s' is not in '%s'", part, err.text);
}

/* All events of a file in time order. @err gets the error, or ""; NULL: there must be none. */
static inline GArray *check_events(struct trace_reader *reader, struct trace_error *err)
{
	GArray *events = g_array_new(FALSE, FALSE, sizeof(struct trace_event));
	struct trace_error local = { "" };
	struct trace_event event;
	struct trace_merge *merge;
	int ret;

	g_assert_cmpint(trace_merge_open(reader, &merge, &local), ==, 0);
	while ((ret = trace_merge_next(merge, &event, &local)) > 0)
		g_array_append_val(events, event);
	g_assert_cmpint(ret < 0, ==, local.text[0] != 0);
	if (!err && ret)
		g_error("%s", local.text);
	if (err)
		*err = local;
	trace_merge_close(merge);
	return events;
}

#define CHECK_EVENT(events, i)	(&g_array_index(events, struct trace_event, i))

/* Reads a stream to its end; it must not fail. */
static inline struct trace_stream *check_stream(struct trace_reader *reader, uint32_t cpu)
{
	struct trace_error err = { "" };
	struct trace_stream *stream;
	struct trace_event event;

	g_assert_cmpint(trace_stream_open(reader, cpu, &stream, &err), ==, 0);
	while (trace_stream_next(stream, &event, &err) > 0)
		;
	g_assert_cmpstr(err.text, ==, "");
	return stream;
}

/* trace_recover() into the file @to, which is created or emptied first. */
static inline int check_recover(const char *from, const char *to, struct trace_recovery *recovery,
				struct trace_error *err)
{
	int fd = open(to, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	return trace_recover(from, fd, to, recovery, err);
}

#endif

// SPDX-License-Identifier: GPL-2.0-or-later
#include "store/schema/identity.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/regular.h"
#include "store/schema/db.h"
#include "store/store.h"
#include "trace/file/chunk.h"

#define PIECE             65536 /* bytes */
#define APPLICATION_ID_AT 68    /* in an SQLite file, big-endian */

/* Adds up to @len bytes at @offset. */
static gboolean add_piece(GChecksum *sum, int fd, off_t offset, gsize len)
{
	g_autofree guchar *bytes = g_malloc(len);
	gsize done = 0;

	while (done < len) {
		ssize_t got = pread(fd, bytes + done, len - done, offset + done);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return FALSE;
		if (!got)
			break;
		done += got;
	}
	g_checksum_update(sum, bytes, done);
	return TRUE;
}

/* Adds the headers of all chunks, up to the first offset without one. */
static void add_headers(GChecksum *sum, int fd)
{
	guint8 bytes[MAX(TRACE_FILE_HEADER_LEN, TRACE_CHUNK_HEADER_LEN)];
	struct trace_file_header file;
	struct trace_chunk_header chunk;
	guint64 offset;

	if (pread(fd, bytes, TRACE_FILE_HEADER_LEN, 0) != (ssize_t)TRACE_FILE_HEADER_LEN ||
	    trace_file_header_parse(bytes, TRACE_FILE_HEADER_LEN, &file, "", NULL))
		return;
	for (offset = file.header_len;; offset += trace_chunk_span(chunk.len)) {
		if (pread(fd, bytes, TRACE_CHUNK_HEADER_LEN, (off_t)offset) !=
			    (ssize_t)TRACE_CHUNK_HEADER_LEN ||
		    trace_chunk_header_parse(bytes, file.swap, &chunk, "", offset, NULL))
			return;
		g_checksum_update(sum, bytes, TRACE_CHUNK_HEADER_LEN);
	}
}

static char *identify(int fd)
{
	g_autoptr(GChecksum) sum = g_checksum_new(G_CHECKSUM_SHA256);
	guint64 size;
	struct stat st;

	if (fstat(fd, &st))
		return NULL;
	size = GUINT64_TO_LE((guint64)st.st_size);
	g_checksum_update(sum, (const guchar *)&size, sizeof(size));
	add_headers(sum, fd);
	if (!add_piece(sum, fd, 0, PIECE) || !add_piece(sum, fd, MAX(st.st_size - PIECE, 0), PIECE))
		return NULL;
	return g_strdup(g_checksum_get_string(sum));
}

static gboolean is_own(const guint8 *start, gsize len)
{
	static const char magic[] = "SQLite format 3";
	guint32 application_id;

	if (len < APPLICATION_ID_AT + sizeof(application_id))
		return FALSE;
	memcpy(&application_id, start + APPLICATION_ID_AT, sizeof(application_id));
	return memcmp(start, magic, sizeof(magic)) == 0 &&
	       GUINT32_FROM_BE(application_id) == DB_APPLICATION_ID;
}

const OutFileKind store_kind = { "database", is_own };

char *identity_of_trace(const char *path)
{
	int fd = regular_open(path, NULL);
	char *identity;

	if (fd < 0)
		return NULL;
	identity = identify(fd);
	close(fd);
	return identity;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Fuzzes data from another machine: any bytes arrive over a connection, unchanged and with correct
 * CRCs. The file then has the received data, chunk by chunk, up to its end or to an error, which is
 * reported. Data with neither events nor an end gives no file.
 */
#include <glib.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/socket.h>

#include "crcs.h"
#include "folder.h"
#include "fuzz.h"

#include "capture/net/receive.c"	/* its connection is replaced: the rest is file-local */

#define SENT_MAX	(100 << 10)	/* bytes that a socket accepts without a reader */

/* A connection that received @data and was closed. */
static GSocket *connect_to(const uint8_t *data, size_t size)
{
	int fds[2], room = 4 * SENT_MAX;
	GSocket *socket;

	REQUIRE(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) == 0);
	setsockopt(fds[0], SOL_SOCKET, SO_SNDBUF, &room, sizeof(room));
	REQUIRE(send(fds[0], data, size, MSG_DONTWAIT) == (ssize_t)size);
	close(fds[0]);
	socket = g_socket_new_from_fd(fds[1], NULL);
	REQUIRE(socket);
	return socket;
}

/* The file has the same chunks at the same offsets; its header has this tool's version. */
static void check_file(const char *path, const uint8_t *sent, size_t sent_size, bool swap,
		       const ReceiveResult *result)
{
	g_autofree char *got = NULL;
	struct trace_chunk_header chunk;
	gsize size, at = TRACE_FILE_HEADER_LEN;
	guint64 chunks = 0;

	REQUIRE(g_file_get_contents(path, &got, &size, NULL) && size == result->bytes);
	REQUIRE(size >= at && size <= sent_size);
	while (at < size) {
		REQUIRE(size - at >= TRACE_CHUNK_HEADER_LEN);
		REQUIRE(trace_chunk_header_parse(got + at, swap, &chunk, "", at, NULL) == 0);
		REQUIRE(size - at >= trace_chunk_span(chunk.len));
		REQUIRE(memcmp(got + at, sent + at, TRACE_CHUNK_HEADER_LEN + chunk.len) == 0);
		at += trace_chunk_span(chunk.len);
		chunks++;
	}
	REQUIRE(chunks == result->chunks);
	REQUIRE(!result->complete || (chunks && chunk.type == KMEMTRACE_CHUNK_END));
}

static void receive_bytes(const uint8_t *data, size_t size)
{
	g_autofree char *path = g_build_filename(folder_path(), "t.kmt", NULL);
	ReceiveOptions options = { .path = path };
	ReceiveResult result = { 0 };
	Receive receive = {
		.options = &options,
		.result = &result,
		.signals = { .fd = -1 },
		.socket = connect_to(data, size),
		.buffer = g_byte_array_new(),
	};
	GError *error = NULL;
	gboolean began, placed, fine;

	g_unlink(path);
	fine = take_trace(&receive, &error);
	began = receive.writer != NULL;
	placed = began && !receive.beside;
	REQUIRE(fine == !error && (began || !fine));
	REQUIRE(close_file(&receive, fine, NULL) == (fine && placed));
	REQUIRE(g_file_test(path, G_FILE_TEST_EXISTS) == placed && !receive.beside);
	if (error)
		REQUIRE(*error->message && !strchr(error->message, '\n'));
	if (placed)
		check_file(path, data, size, receive.header.swap, &result);
	g_clear_error(&error);
	g_object_unref(receive.socket);
	g_byte_array_unref(receive.buffer);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	g_autofree uint8_t *fixed = NULL;

	if (size > SENT_MAX)
		return 0;
	fixed = g_malloc(size + 1);
	memcpy(fixed, data, size);
	receive_bytes(fixed, size);
	crcs_fix(fixed, size);
	receive_bytes(fixed, size);
	return 0;
}

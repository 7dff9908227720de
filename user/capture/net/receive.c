// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/net/receive.h"

#include <errno.h>
#include <gio/gio.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "capture/net/peers.h"
#include "capture/process/oom.h"
#include "capture/process/signals.h"
#include "capture/recording/output.h"
#include "capture/tracer/control.h"
#include "kmemtrace_abi.h"
#include "trace/file/chunk.h"
#include "trace/file/cursor.h"
#include "trace/file/peer.h"
#include "trace/file/writer.h"

#define READ_AT_ONCE (256 << 10)  /* bytes */
#define IDLE_S       30           /* idle time after which the peer is probed */
#define ASK_S        10           /* interval of probes */
#define ASK_TIMES    3            /* number of probes */
#define CHUNK_S      60           /* time limit for a chunk, or for CHUNK_PART more bytes */
#define CHUNK_PART   (64 << 10)   /* bytes */
#define CHUNK_MAX    (256U << 20) /* bytes kept until their CRC is checked */
#define SENDER       "the sender" /* instead of a file name in messages */

typedef struct {
	const ReceiveOptions *options;
	ReceiveResult *result;
	Signals signals;
	GSocket *listener, *socket;
	struct trace_writer *writer;
	char *beside;       /* temporary file name until events have arrived; NULL: not temporary */
	GByteArray *buffer; /* received bytes, not yet written */
	gsize taken;        /* bytes at its start that were processed */
	guint64 offset;     /* of the first other byte, in the received data */
	gint64 end_us;      /* deadline for the chunk, or for CHUNK_PART more bytes */
	gsize part;         /* bytes of the chunk since end_us was set */
	struct trace_file_header header;
} Receive;

static gboolean receive_fail(GError **error, const char *what)
{
	g_set_error(error, CAPTURE_ERROR, CAPTURE_ERROR_FAILED, "%s", what);
	return FALSE;
}

/* ---- the connection ---- */

static gboolean listen_on(Receive *receive, GError **error)
{
	const ReceiveOptions *options = receive->options;
	g_autoptr(GSocketAddress) address =
		g_inet_socket_address_new_from_string(options->address, options->port);
	g_autoptr(GSocketAddress) bound = NULL;

	if (!address) {
		g_set_error(error, CAPTURE_ERROR, CAPTURE_ERROR_FAILED,
			    "can't listen on '%s': a numeric address is needed", options->address);
		return FALSE;
	}
	receive->listener = g_socket_new(g_socket_address_get_family(address), G_SOCKET_TYPE_STREAM,
					 G_SOCKET_PROTOCOL_TCP, error);
	if (!receive->listener || !g_socket_bind(receive->listener, address, TRUE, error) ||
	    !g_socket_listen(receive->listener, error)) {
		g_prefix_error(error, "can't listen on %s, port %u: ", options->address,
			       options->port);
		return FALSE;
	}
	bound = g_socket_get_local_address(receive->listener, NULL);
	if (bound && options->listening)
		options->listening(options->address,
				   g_inet_socket_address_get_port(G_INET_SOCKET_ADDRESS(bound)));
	return TRUE;
}

/* Returns the received bytes that were not processed yet. */
static const guint8 *received(const Receive *receive)
{
	return receive->buffer->data + receive->taken;
}

static gsize received_len(const Receive *receive)
{
	return receive->buffer->len - receive->taken;
}

typedef enum { WAIT_READY, WAIT_END, WAIT_TOO_LONG } Wait;

static void give_time(Receive *receive)
{
	receive->end_us = g_get_monotonic_time() + CHUNK_S * G_USEC_PER_SEC;
	receive->part = 0;
}

/*
 * Returns milliseconds; -1: unlimited. Between chunks a recorder may have nothing to send; within a
 * chunk, and for the first chunk after the header, it sends at once.
 */
static int time_to_wait(const Receive *receive)
{
	gint64 left_us = receive->end_us - g_get_monotonic_time();

	if (!received_len(receive) && receive->result->chunks)
		return -1;
	return left_us <= 0 ? 0 : (int)(left_us / 1000 + 1);
}

/* Waits until the connection is readable, whatever other signals arrive. */
static Wait wait_for(Receive *receive)
{
	struct pollfd fds[] = {
		{ .fd = g_socket_get_fd(receive->socket), .events = POLLIN },
		{ .fd = receive->signals.fd, .events = POLLIN },
	};
	int got;

	do {
		got = poll(fds, G_N_ELEMENTS(fds), time_to_wait(receive));
		if (!got)
			return WAIT_TOO_LONG;
		if ((got < 0 && errno != EINTR) || signals_take(&receive->signals) == SIGNALS_END)
			return WAIT_END;
	} while (!fds[0].revents);
	return WAIT_READY;
}

/* Enables keep-alive, to detect that the peer has vanished. */
static void keep_alive(GSocket *socket)
{
	g_socket_set_keepalive(socket, TRUE);
	g_socket_set_option(socket, IPPROTO_TCP, TCP_KEEPIDLE, IDLE_S, NULL);
	g_socket_set_option(socket, IPPROTO_TCP, TCP_KEEPINTVL, ASK_S, NULL);
	g_socket_set_option(socket, IPPROTO_TCP, TCP_KEEPCNT, ASK_TIMES, NULL);
}

/* Accepts the first peer that sends a trace; then closes the listener. */
static gboolean accept_one(Receive *receive, GError **error)
{
	g_autofree char *peer = NULL;

	receive->socket = peers_choose(receive->listener, &receive->signals,
				       receive->options->ignored, error);
	g_socket_close(receive->listener, NULL);
	if (!receive->socket)
		return FALSE;
	keep_alive(receive->socket);
	give_time(receive);
	peer = peers_name(receive->socket);
	receive->options->connected(peer);
	return TRUE;
}

/*
 * Reads until there are @len bytes in the buffer. *@ended: the connection or the user ended it
 * before that.
 */
static gboolean fill(Receive *receive, gsize len, gboolean *ended, GError **error)
{
	while (received_len(receive) < len) {
		gsize had = received_len(receive);
		gssize got;

		switch (wait_for(receive)) {
		case WAIT_READY:
			break;
		case WAIT_END:
			*ended = TRUE;
			return TRUE;
		case WAIT_TOO_LONG:
			return receive_fail(
				error,
				SENDER " stopped in the middle of a chunk, or sends too slowly");
		}
		g_byte_array_remove_range(receive->buffer, 0, receive->taken);
		receive->taken = 0;
		g_byte_array_set_size(receive->buffer, had + READ_AT_ONCE);
		got = g_socket_receive(receive->socket, (char *)receive->buffer->data + had,
				       READ_AT_ONCE, NULL, error);
		g_byte_array_set_size(receive->buffer, had + MAX(got, 0));
		if (got < 0)
			return FALSE;
		receive->part += got;
		if (!had || receive->part >= CHUNK_PART)
			give_time(receive);
		*ended = got == 0;
		if (*ended)
			return TRUE;
	}
	return TRUE;
}

static void take(Receive *receive, gsize len)
{
	receive->taken += len;
	receive->offset += len;
	give_time(receive);
}

/* ---- received data ---- */

static gboolean fail_trace(const struct trace_error *err, GError **error)
{
	return receive_fail(error, err->text);
}

/* Creates the file when the first chunk of a trace has arrived, beside an older one. */
static gboolean begin_file(Receive *receive, gboolean *ended, GError **error)
{
	g_autofree char *fault = NULL;

	if (!fill(receive, TRACE_FILE_HEADER_LEN, ended, error))
		return FALSE;
	fault = peers_find_fault(received(receive), received_len(receive), SENDER,
				 &receive->header);
	if (fault)
		return receive_fail(error, fault);
	receive->writer =
		output_begin(receive->options->path, receive->header.swap, &receive->beside, error);
	if (!receive->writer)
		return FALSE;
	take(receive, receive->header.header_len);
	return TRUE;
}

static gboolean is_known(const struct trace_chunk_header *chunk)
{
	return (chunk->type >= KMEMTRACE_CHUNK_SNAPSHOT && chunk->type <= KMEMTRACE_CHUNK_ZSTD) ||
	       (chunk->flags & KMEMTRACE_CHUNK_OPTIONAL);
}

static gboolean check_chunk(Receive *receive, const struct trace_chunk_header *chunk,
			    GError **error)
{
	const guint8 *payload = received(receive) + TRACE_CHUNK_HEADER_LEN;

	if (trace_crc(0, payload, chunk->len) == chunk->payload_crc)
		return TRUE;
	g_set_error(error, CAPTURE_ERROR, CAPTURE_ERROR_FAILED,
		    SENDER ": chunk at offset %" PRIu64 " is damaged: its CRC is wrong",
		    receive->offset);
	return FALSE;
}

/* Returns whether it is a sub-buffer, packed or not, that may have events. */
static gboolean has_events(const Receive *receive, const struct trace_chunk_header *chunk,
			   const guint8 *payload)
{
	const gsize least =
		sizeof(struct kmemtrace_subbuf_header) + sizeof(struct kmemtrace_record);
	gboolean swap = receive->header.swap;

	if (chunk->type == KMEMTRACE_CHUNK_ZSTD)
		return chunk->len > sizeof(struct kmemtrace_chunk_zstd) &&
		       trace_load_u16(payload, swap) == KMEMTRACE_CHUNK_DATA &&
		       trace_load_u32(payload + offsetof(struct kmemtrace_chunk_zstd, raw_len),
				      swap) >= least;
	return chunk->type == KMEMTRACE_CHUNK_DATA && chunk->len >= least;
}

/*
 * Replaces an older trace when events, or a complete trace without events, have arrived. A header
 * alone is not enough: anyone can send one.
 */
static gboolean replace_older(Receive *receive, GError **error)
{
	if (!receive->beside)
		return TRUE;
	if (!outfile_finish(receive->beside, receive->options->path, &output_kind, error))
		return FALSE;
	g_clear_pointer(&receive->beside, g_free);
	return TRUE;
}

/* Writes a chunk. *@ended: there are no more. */
static gboolean take_chunk(Receive *receive, gboolean *ended, GError **error)
{
	struct trace_error err = { "" };
	struct trace_chunk_header chunk;

	if (!fill(receive, TRACE_CHUNK_HEADER_LEN, ended, error) || *ended)
		return *ended;
	if (trace_chunk_header_parse(received(receive), receive->header.swap, &chunk, SENDER,
				     receive->offset, &err))
		return fail_trace(&err, error);
	if (!is_known(&chunk)) {
		g_set_error(error, CAPTURE_ERROR, CAPTURE_ERROR_FAILED,
			    SENDER ": chunk at offset %" PRIu64 " is of unknown type %u: a newer "
				   "kmemtrace-user is needed",
			    receive->offset, chunk.type);
		return FALSE;
	}
	if (chunk.len > CHUNK_MAX) {
		g_set_error(error, CAPTURE_ERROR, CAPTURE_ERROR_FAILED,
			    SENDER ": chunk at offset %" PRIu64
				   " has %u bytes, which no recorder sends",
			    receive->offset, chunk.len);
		return FALSE;
	}
	if (!fill(receive, trace_chunk_span(chunk.len), ended, error) || *ended)
		return *ended;
	if (!check_chunk(receive, &chunk, error))
		return FALSE;
	if (trace_writer_copy(receive->writer, received(receive), chunk.len, &err))
		return fail_trace(&err, error);
	if ((chunk.type == KMEMTRACE_CHUNK_END ||
	     has_events(receive, &chunk, received(receive) + TRACE_CHUNK_HEADER_LEN)) &&
	    !replace_older(receive, error))
		return FALSE;
	take(receive, trace_chunk_span(chunk.len));
	receive->result->chunks++;
	receive->result->complete = *ended = chunk.type == KMEMTRACE_CHUNK_END;
	return TRUE;
}

static gboolean take_trace(Receive *receive, GError **error)
{
	gboolean ended = FALSE;
	gboolean fine = begin_file(receive, &ended, error);

	while (fine && !ended)
		fine = take_chunk(receive, &ended, error);
	return fine;
}

static gboolean close_file(Receive *receive, gboolean fine, GError **error)
{
	struct trace_error err = { "" };
	int ret;

	if (!receive->writer)
		return fine;
	receive->result->bytes = trace_writer_bytes(receive->writer);
	ret = trace_writer_close(receive->writer, FALSE, &err);
	if (ret && fine)
		fine = fail_trace(&err, error);
	if (ret == -ESTALE) /* the file was removed or changed */
		receive->result->chunks = 0;
	if (!receive->beside)
		return fine;
	receive->result->bytes = receive->result->chunks = 0;
	outfile_drop(receive->beside);
	g_clear_pointer(&receive->beside, g_free);
	return fine &&
	       receive_fail(error,
			    "the connection ended before any events came: no file was written");
}

/*
 * Resets the connection, so that a sender that waits for us learns that not everything was
 * received.
 */
static void break_off(GSocket *socket)
{
	struct linger at_once = { .l_onoff = 1, .l_linger = 0 };

	setsockopt(g_socket_get_fd(socket), SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
}

gboolean receive_trace(const ReceiveOptions *options, ReceiveResult *result, GError **error)
{
	Receive receive = {
		.options = options,
		.result = result,
		.signals = { .fd = -1 },
		.buffer = g_byte_array_new(),
	};
	gboolean fine;

	memset(result, 0, sizeof(*result));
	oom_protect();
	fine = signals_catch(&receive.signals, error) && listen_on(&receive, error) &&
	       accept_one(&receive, error) && take_trace(&receive, error);
	fine = close_file(&receive, fine, error);
	if (fine && result->complete)
		trace_peer_confirm(g_socket_get_fd(receive.socket), receive.offset);
	else if (receive.socket)
		break_off(receive.socket);
	g_clear_object(&receive.socket);
	g_clear_object(&receive.listener);
	g_byte_array_unref(receive.buffer);
	signals_release(&receive.signals);
	oom_release();
	return fine;
}

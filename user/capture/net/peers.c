// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/net/peers.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>

#include "capture/tracer/control.h"

#define PEERS_MAX 16 /* at the same time; a new one closes the oldest */
#define HEADER_S  10 /* time limit for the header */

typedef struct {
	GSocket *socket;
	gint64 end_us;
} Peer;

typedef struct {
	PeersIgnored ignored;
	GArray *peers; /* of Peer, the oldest first */
} Peers;

char *peers_name(GSocket *socket)
{
	g_autoptr(GSocketAddress) address = g_socket_get_remote_address(socket, NULL);

	if (!address || !G_IS_INET_SOCKET_ADDRESS(address))
		return g_strdup("somebody");
	return g_inet_address_to_string(
		g_inet_socket_address_get_address(G_INET_SOCKET_ADDRESS(address)));
}

static void ignore(Peers *peers, guint index, const char *why)
{
	Peer *peer = &g_array_index(peers->peers, Peer, index);
	g_autofree char *name = peers_name(peer->socket);

	peers->ignored(name, why);
	g_object_unref(peer->socket);
	g_array_remove_index(peers->peers, index);
}

static void add(Peers *peers, GSocket *listener)
{
	int header_len = TRACE_FILE_HEADER_LEN;
	Peer peer = { g_socket_accept(listener, NULL, NULL),
		      g_get_monotonic_time() + HEADER_S * G_TIME_SPAN_SECOND };

	if (!peer.socket)
		return; /* already closed */
	setsockopt(g_socket_get_fd(peer.socket), SOL_SOCKET, SO_RCVLOWAT, &header_len,
		   sizeof(header_len));
	if (peers->peers->len == PEERS_MAX)
		ignore(peers, 0, "too many other connections");
	g_array_append_val(peers->peers, peer);
}

char *peers_find_fault(const void *bytes, gsize len, const char *name,
		       struct trace_file_header *header)
{
	struct trace_error err = { "" };

	if (trace_file_header_parse(bytes, len, header, name, &err))
		return g_strdup(err.text);
	if (header->header_len != TRACE_FILE_HEADER_LEN)
		return g_strdup_printf("%s is newer than this tool: its header is longer", name);
	return NULL;
}

/* The same as peers_find_fault(), for the data that @socket has sent. */
static char *find_fault(GSocket *socket)
{
	guint8 bytes[TRACE_FILE_HEADER_LEN];
	struct trace_file_header header;
	ssize_t got = recv(g_socket_get_fd(socket), bytes, sizeof(bytes), MSG_PEEK | MSG_DONTWAIT);

	if (got < (ssize_t)sizeof(bytes))
		return g_strdup("it closed the connection before sending a trace");
	return peers_find_fault(bytes, sizeof(bytes), "the received data", &header);
}

/*
 * Returns the index of a peer that has sent a header, or -1. @fds: the results of poll(), in order.
 */
static int find_sender(Peers *peers, const struct pollfd *fds)
{
	for (guint i = peers->peers->len; i-- > 0;) {
		g_autofree char *fault = NULL;

		if (!fds[i].revents)
			continue;
		fault = find_fault(g_array_index(peers->peers, Peer, i).socket);
		if (!fault)
			return (int)i;
		ignore(peers, i, fault);
	}
	return -1;
}

static void ignore_slow(Peers *peers)
{
	gint64 now_us = g_get_monotonic_time();

	while (peers->peers->len && g_array_index(peers->peers, Peer, 0).end_us <= now_us)
		ignore(peers, 0, "it sent no trace for 10 s");
}

/* Returns milliseconds until the oldest connection times out; -1 if none. */
static int time_to_wait(const Peers *peers)
{
	gint64 left_us;

	if (!peers->peers->len)
		return -1;
	left_us = g_array_index(peers->peers, Peer, 0).end_us - g_get_monotonic_time();
	return left_us <= 0 ? 0 : (int)(left_us / 1000 + 1);
}

/*
 * Handles one round of poll(). *@sender: the index of a peer that sent a header, or -1. Returns
 * FALSE to end.
 */
static gboolean poll_once(Peers *peers, GSocket *listener, Signals *signals, int *sender)
{
	struct pollfd fds[PEERS_MAX + 2] = { { 0 } };
	guint count = peers->peers->len;

	for (guint i = 0; i < count; i++)
		fds[i] = (struct pollfd){
			.fd = g_socket_get_fd(g_array_index(peers->peers, Peer, i).socket),
			.events = POLLIN,
		};
	fds[count] = (struct pollfd){ .fd = g_socket_get_fd(listener), .events = POLLIN };
	fds[count + 1] = (struct pollfd){ .fd = signals->fd, .events = POLLIN };
	*sender = -1;
	if (poll(fds, count + 2, time_to_wait(peers)) < 0)
		return errno == EINTR;
	if (signals_take(signals) == SIGNALS_END)
		return FALSE;
	*sender = find_sender(peers, fds);
	if (*sender < 0 && fds[count].revents)
		add(peers, listener);
	ignore_slow(peers);
	return TRUE;
}

GSocket *peers_choose(GSocket *listener, Signals *signals, PeersIgnored ignored, GError **error)
{
	g_autoptr(GArray) array = g_array_new(FALSE, FALSE, sizeof(Peer));
	Peers peers = { ignored, array };
	GSocket *chosen = NULL;
	gboolean goes_on = TRUE;
	int sender = -1;

	while (goes_on && sender < 0)
		goes_on = poll_once(&peers, listener, signals, &sender);
	if (sender >= 0) {
		chosen = g_array_index(array, Peer, sender).socket;
		setsockopt(g_socket_get_fd(chosen), SOL_SOCKET, SO_RCVLOWAT, &(int){ 1 },
			   sizeof(int));
		g_array_remove_index(array, sender);
	}
	while (array->len)
		ignore(&peers, 0, chosen ? "another one sends a trace" : "the receiver ends");
	if (!chosen)
		g_set_error_literal(error, CAPTURE_ERROR, CAPTURE_ERROR_FAILED,
				    "no recorder has connected");
	return chosen;
}

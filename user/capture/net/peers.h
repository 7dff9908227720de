/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Connections that have not sent a trace yet. Anyone can connect to a receiver: a port scan, a
 * browser, a crashed sender. None of them may block the recorder that the receiver waits for.
 */
#ifndef KMT_CAPTURE_NET_PEERS_H
#define KMT_CAPTURE_NET_PEERS_H

#include <gio/gio.h>

#include "capture/process/signals.h"
#include "trace/file/chunk.h"

/* Called when a connection from @peer, an address, was closed. */
typedef void (*PeersIgnored)(const char *peer, const char *why);

/*
 * Returns the first connection to @listener that sends the header of a trace, which is left for the
 * caller to read. All others are closed, and @ignored is called with the reason. NULL with an
 * error: a signal ended the waiting, or no more connections can be accepted.
 */
GSocket *peers_choose(GSocket *listener, Signals *signals, PeersIgnored ignored, GError **error);

/*
 * Returns the error in the first @len bytes from a peer, for g_free(); NULL if they are the @header
 * of a trace. @name is the peer's name in the message.
 */
char *peers_find_fault(const void *bytes, gsize len, const char *name,
		       struct trace_file_header *header);

/* Returns the address of the peer, for g_free(). */
char *peers_name(GSocket *socket);

#endif

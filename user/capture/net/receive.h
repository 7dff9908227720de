/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Receives one trace from a recorder on another machine into a file. "record --send" sends a trace
 * file; each chunk is written once it has arrived completely and its CRCs are right.
 */
#ifndef KMT_CAPTURE_NET_RECEIVE_H
#define KMT_CAPTURE_NET_RECEIVE_H

#include <glib.h>

typedef struct {
	const char *address; /* to listen on: numeric, IPv4 or IPv6 */
	guint16 port;        /* 0: any free one */
	const char *path;    /* of the file */
	void (*listening)(const char *address, guint port);
	void (*connected)(const char *peer); /* of the trace */
	void (*ignored)(const char *peer, const char *why);
} ReceiveOptions;

typedef struct {
	guint64 bytes; /* of the file */
	guint64 chunks;
	gboolean complete; /* the END chunk was received */
} ReceiveResult;

/*
 * Waits for a connection that sends a trace, see peers.h, and receives data until its END chunk,
 * the end of the connection, or SIGINT, SIGTERM or SIGHUP. An older trace is replaced when the
 * first events or the END chunk have arrived. FALSE with an error if it can't listen or write, if
 * the data is not a trace, or if the connection ends earlier. Then the file has the data received
 * so far, and *@result has its size; without chunks the file was not touched.
 */
gboolean receive_trace(const ReceiveOptions *options, ReceiveResult *result, GError **error);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Waits for the peer of a connection, as long as it accepts bytes. */
#ifndef KMT_TRACE_FILE_PEER_H
#define KMT_TRACE_FILE_PEER_H

#include <stdint.h>

struct trace_peer_patience {
	int takes_ms;    /* limit without an acknowledged byte */
	int confirms_ms; /* limit after all bytes: tunnels acknowledge before they forward */
};

extern const struct trace_peer_patience trace_peer_patience;

/*
 * Waits until the non-blocking connection @fd can be written to. Returns 0 or an errno: ETIMEDOUT,
 * or ECANCELED if @hurry became readable first. @hurry may be -1.
 */
int trace_peer_wait_room(int fd, int hurry, const struct trace_peer_patience *patience);

/* Confirms on the connection @fd that @bytes, a whole trace, were received. */
void trace_peer_confirm(int fd, uint64_t bytes);

/*
 * Shuts down the sending side of the connection @fd, and waits until the peer confirms that it has
 * received @bytes: what is acknowledged need not have been read, and a tunnel closes a connection
 * whose other end was killed. Returns 0 or an errno: the connection was reset, ETIMEDOUT for bytes
 * that were not acknowledged, ETIME if there was no confirmation in time, ENODATA if the peer
 * closed the connection without one, EPROTO if it sent anything else, or ECANCELED as above.
 */
int trace_peer_wait_confirmed(int fd, int hurry, uint64_t bytes,
			      const struct trace_peer_patience *patience);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Waits for the peer of a connection, as long as it accepts bytes. */
#ifndef KMT_TRACE_FILE_PEER_H
#define KMT_TRACE_FILE_PEER_H

struct trace_peer_patience {
	int takes_ms;  /* limit without an acknowledged byte */
	int closes_ms; /* limit after all bytes: tunnels acknowledge before they forward */
};

extern const struct trace_peer_patience trace_peer_patience;

/*
 * Waits until the non-blocking connection @fd can be written to. Returns 0 or an errno: ETIMEDOUT,
 * or ECANCELED if @hurry became readable first. @hurry may be -1.
 */
int trace_peer_wait_room(int fd, int hurry, const struct trace_peer_patience *patience);

/*
 * Shuts down the sending side of the connection @fd, and waits until the peer closes it, which it
 * does after receiving everything: what is acknowledged need not have been read. Returns 0 or an
 * errno: the connection was reset, ETIMEDOUT for bytes that were not acknowledged, ETIME if the
 * peer did not close the connection, EPROTO if it sent data, or ECANCELED as above.
 */
int trace_peer_wait_close(int fd, int hurry, const struct trace_peer_patience *patience);

#endif

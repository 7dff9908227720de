/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Waits until the peer of a connection has received everything. */
#ifndef KMT_TRACE_FILE_PEER_H
#define KMT_TRACE_FILE_PEER_H

#define PEER_PATIENCE_MS 10000

/*
 * Shuts down the sending side of the connection @fd, and waits until the peer closes it, which it
 * does after receiving everything. A peer that has acknowledged all bytes, but does not close the
 * connection within ten seconds, is trusted. Returns 0 or an errno: the connection was reset, no
 * byte was acknowledged for ten seconds, data was received (EPROTO), or @hurry became readable
 * first. @hurry may be -1.
 */
int trace_peer_wait(int fd, int hurry);

#endif

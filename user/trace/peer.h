/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The other end of a connection, when all was sent: what was written may still be on its way.
 */
#ifndef KMT_TRACE_PEER_H
#define KMT_TRACE_PEER_H

/*
 * Says on the connection @fd that nothing more comes, and waits until the peer ends it too, which
 * it does once it has all. One that has taken all bytes and does not end it within ten seconds is
 * believed. Returns 0 or an errno: it broke the connection off, or takes nothing for ten seconds.
 */
int trace_peer_wait(int fd);

#endif

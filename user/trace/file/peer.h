/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Waits for the other end of a connection after all was sent: data may still be on its way.
 */
#ifndef KMT_TRACE_FILE_PEER_H
#define KMT_TRACE_FILE_PEER_H

#define PEER_PATIENCE_MS 10000

/*
 * Says on the connection @fd that nothing more comes, and waits until the peer ends it too, which
 * it does once it has all. One that has taken all bytes and does not end it within ten seconds is
 * believed. Returns 0 or an errno: it broke the connection off, it takes nothing for ten seconds,
 * it sends something (EPROTO), or @hurry became readable before that; -1: there's no such
 * descriptor.
 */
int trace_peer_wait(int fd, int hurry);

#endif

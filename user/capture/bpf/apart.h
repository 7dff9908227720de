/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Does in a process of its own what may never end: the kernel waits for RCU tasks as functions are
 * no longer traced, and a process of any user can delay these for as long as it likes. Who waits
 * can't be killed.
 */
#ifndef KMT_CAPTURE_BPF_APART_H
#define KMT_CAPTURE_BPF_APART_H

#include <glib.h>

/*
 * Starts a process that calls @run with its end of a socket and @data, and ends. It is no child of
 * this one, gets no signals, and has no other descriptors, folder or protection from memory
 * shortage. Returns the other end; -1 with an errno.
 */
int apart_start(void (*run)(int socket, gpointer data), gpointer data);

/* Waits until @socket is readable or the other end is closed. FALSE: neither, after @ms. */
gboolean apart_wait(int socket, guint ms);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs code that may never end in a process of its own. When functions are no longer traced, the
 * kernel waits for RCU tasks, and a process of any user can delay these for as long as it likes. A
 * process that waits there can't be killed.
 */
#ifndef KMT_CAPTURE_BPF_APART_H
#define KMT_CAPTURE_BPF_APART_H

#include <glib.h>

/*
 * Starts a process that calls @run with its end of a socket and @data, and then exits. It is not a
 * child of this process, gets no signals, and keeps no other descriptors, no working folder and no
 * OOM protection. Returns the other end; -1 with an errno.
 */
int apart_start(void (*run)(int socket, gpointer data), gpointer data);

/* Waits until @socket is readable or the other end is closed. FALSE: neither, after @ms. */
gboolean apart_wait(int socket, guint ms);

#endif

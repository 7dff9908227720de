/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Common start of all children of the recorder. */
#ifndef KMT_CAPTURE_PROCESS_CHILD_H
#define KMT_CAPTURE_PROCESS_CHILD_H

#include <glib.h>

/*
 * Closes the recorder's descriptors, above all those of the tracer, except the @count ones in
 * @kept, and restores the OOM score, so that this process is killed like any other. Descriptors
 * that the user opened for the command stay open.
 */
void child_begin(const int *kept, guint count);

/*
 * Closes all descriptors but @fd, also the standard ones: a child that is blocked in the kernel may
 * outlive the recorder, and whoever reads the recorder's output to its end must not wait for it.
 */
void child_keep_only(int fd);

#endif

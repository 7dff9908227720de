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

#endif

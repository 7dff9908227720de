/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What every child of the recorder does first. */
#ifndef KMT_CAPTURE_PROCESS_CHILD_H
#define KMT_CAPTURE_PROCESS_CHILD_H

#include <glib.h>

/*
 * Closes the recorder's descriptors, above all those of the tracer, except the @count ones in
 * @kept, and lets the kernel kill this process for memory like any other. Descriptors that the user
 * opened for the command stay open.
 */
void child_begin(const int *kept, guint count);

#endif

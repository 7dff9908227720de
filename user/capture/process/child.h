/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What every child of the recorder does first. */
#ifndef KMT_CAPTURE_PROCESS_CHILD_H
#define KMT_CAPTURE_PROCESS_CHILD_H

#include <glib.h>

/*
 * Closes what belongs to the recorder, the tracer above all, but for the @count descriptors in
 * @kept, and lets the kernel kill this process for memory as any other. What the user has opened
 * for the command stays.
 */
void child_begin(const int *kept, guint count);

#endif

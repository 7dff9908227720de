/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What was free over a recording: /proc/buddyinfo every so often, so that it can be told when the
 * last free block of an order was gone. It is kept for all of a recording in little memory: in a
 * long one the times lie further apart.
 */
#ifndef KMT_CAPTURE_FREETIMES_H
#define KMT_CAPTURE_FREETIMES_H

#include <glib.h>

#include "trace/writer.h"

typedef struct FreeTimes FreeTimes;

/* Never NULL. */
FreeTimes *freetimes_new(void);
void freetimes_free(FreeTimes *times);	/* NULL is allowed */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(FreeTimes, freetimes_free)

/*
 * To be called about every second. Writes the text "buddyinfo_times" when there is half as much
 * again of it, so that a recorder that is killed has most of it.
 */
gboolean freetimes_look(FreeTimes *times, struct trace_writer *writer, GError **error);

/* Writes all that there is. What is looked at later goes into another file. */
gboolean freetimes_end(FreeTimes *times, struct trace_writer *writer, GError **error);

#endif

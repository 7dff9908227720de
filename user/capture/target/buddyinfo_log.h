/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Samples /proc/buddyinfo during a recording, to show when the last free block of an order was
 * used. Memory is small and bounded: the interval grows in a long recording.
 */
#ifndef KMT_CAPTURE_TARGET_BUDDYINFO_LOG_H
#define KMT_CAPTURE_TARGET_BUDDYINFO_LOG_H

#include <glib.h>

#include "capture/tracer/control.h"
#include "trace/file/writer.h"

typedef struct BuddyinfoLog BuddyinfoLog;

/* Never NULL. */
BuddyinfoLog *buddyinfo_log_new(void);
void buddyinfo_log_free(BuddyinfoLog *times); /* NULL is allowed */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(BuddyinfoLog, buddyinfo_log_free)

/*
 * Must be called about every second. Writes the text "buddyinfo_times" each time it has grown by
 * half, so that the trace of a killed recorder has most of it.
 */
gboolean buddyinfo_log_look(BuddyinfoLog *times, const Control *control,
			    struct trace_writer *writer, GError **error);

/* Writes all samples. Later ones go into another file. */
gboolean buddyinfo_log_end(BuddyinfoLog *times, const Control *control, struct trace_writer *writer,
			   GError **error);

#endif

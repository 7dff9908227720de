/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Data for user stacks in addition to events: the code mapped by running processes, and the mapped
 * files.
 */
#ifndef KMT_CAPTURE_TARGET_USERMAPS_H
#define KMT_CAPTURE_TARGET_USERMAPS_H

#include "capture/process/lookup.h"
#include "capture/tracer/control.h"
#include "trace/file/writer.h"

typedef struct UserMaps UserMaps;

/* For usermaps_new(): a process takes less than a millisecond. */
#define USERMAPS_SECONDS 8

/*
 * @lookup must outlive it. @seconds: the time of usermaps_write() for all processes, as of quota.h.
 * Each user may exceed a share by the second that any process gets, and root, whose processes don't
 * delay it on purpose, by the limits of @lookup.
 */
UserMaps *usermaps_new(Lookup *lookup, guint seconds);
void usermaps_free(UserMaps *maps); /* NULL is allowed */

/* Writes the current mappings of all processes, while the tracer runs: a text of @phase. */
gboolean usermaps_write(UserMaps *maps, struct trace_writer *writer, const Control *control,
			enum kmemtrace_phase phase, GError **error);

/*
 * Writes the names of the tracer's files, and the identities of these and of the processes' files,
 * if they have changed, but not more often than their length allows. For a recording that may be
 * killed.
 */
gboolean usermaps_look(UserMaps *maps, struct trace_writer *writer, const Control *control,
		       GError **error);

/* Makes the next usermaps_look() write everything, into a new file. */
void usermaps_new_file(UserMaps *maps);

/* Writes the same unconditionally. */
gboolean usermaps_write_files(UserMaps *maps, struct trace_writer *writer, const Control *control,
			      GError **error);

#endif

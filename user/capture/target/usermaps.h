/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What user stacks need besides events: the code mapped by processes that already run, and the
 * files that were mapped.
 */
#ifndef KMT_CAPTURE_TARGET_USERMAPS_H
#define KMT_CAPTURE_TARGET_USERMAPS_H

#include "capture/process/lookup.h"
#include "capture/tracer/control.h"
#include "trace/file/writer.h"

typedef struct UserMaps UserMaps;

/* @lookup must outlive it. */
UserMaps *usermaps_new(Lookup *lookup);
void usermaps_free(UserMaps *maps); /* NULL is allowed */

/* Writes the current mappings of all processes, while the tracer runs: a text of @phase. */
gboolean usermaps_write(UserMaps *maps, struct trace_writer *writer, const Control *control,
			enum kmemtrace_phase phase, GError **error);

/*
 * Writes the names of the tracer's files, and which files these and those of the processes are, if
 * that isn't what was written last; but not more often than their length allows. For a recording
 * that doesn't come to its end.
 */
gboolean usermaps_look(UserMaps *maps, struct trace_writer *writer, const Control *control,
		       GError **error);

/* A new file has begun: the next usermaps_look() writes everything. */
void usermaps_new_file(UserMaps *maps);

/* Writes the same, whatever was written before. */
gboolean usermaps_write_files(UserMaps *maps, struct trace_writer *writer, const Control *control,
			      GError **error);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What user stacks need besides events: the code in the memory of the processes that are there
 * already, and which files it all was.
 */
#ifndef KMT_CAPTURE_USERMAPS_H
#define KMT_CAPTURE_USERMAPS_H

#include "capture/control.h"
#include "trace/writer.h"

typedef struct UserMaps UserMaps;

UserMaps *usermaps_new(void);
void usermaps_free(UserMaps *maps);	/* NULL is allowed */

/* Writes what lies in all processes now, while the tracer runs. */
gboolean usermaps_write(UserMaps *maps, struct trace_writer *writer, GError **error);

/* Writes the names of the tracer's files, and which files these and those of the processes are. */
gboolean usermaps_write_files(UserMaps *maps, struct trace_writer *writer, const Control *control,
			      GError **error);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the code that each process had mapped at a time: from the trace's MAP, EXEC and FORK
 * events, and from the mappings of older processes, which the recorder read.
 *
 * An address belongs to the file that was mapped there at that time, or to none. After lost events,
 * earlier data is no longer valid.
 */
#ifndef KMT_ANALYSIS_SPACES_ADDRESS_SPACES_H
#define KMT_ANALYSIS_SPACES_ADDRESS_SPACES_H

#include <glib.h>

#include "analysis/spaces/space_files.h"
#include "trace/file/reader.h"

typedef struct AddressSpaces AddressSpaces;

/*
 * Reads the trace once. Returns NULL without an error (*@err has an empty text) if it has no user
 * stacks.
 */
AddressSpaces *address_spaces_read(struct trace_reader *reader, struct trace_error *err);
void address_spaces_free(AddressSpaces *spaces); /* NULL is allowed */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(AddressSpaces, address_spaces_free)

/* A time in the life of a process: if both fields are equal, so are the code mappings. */
typedef struct {
	guint32 space; /* 0: unknown */
	guint32 epoch;
} SpaceMoment;

SpaceMoment address_spaces_moment(const AddressSpaces *spaces, guint32 tgid, guint64 time_ns);

/* Returns the file whose code was at @addr, and the offset in the file; 0: unknown. */
guint32 address_spaces_find(const AddressSpaces *spaces, SpaceMoment moment, guint64 time_ns,
			    guint64 addr, guint64 *offset);

guint32 address_spaces_files(
	const AddressSpaces *spaces); /* number of files; they are numbered from 1 on */
const SpaceFile *address_spaces_file(const AddressSpaces *spaces, guint32 file); /* from 1 on */

#endif

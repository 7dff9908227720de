/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which code each process had mapped, and when: from the trace's MAP, EXEC and FORK events, and
 * from the mappings of older processes that the recorder read.
 *
 * An address belongs to the file that was mapped there at that time, or to none. Where events were
 * lost, nothing known before is valid any more.
 */
#ifndef KMT_ANALYSIS_SPACES_ADDRESS_SPACES_H
#define KMT_ANALYSIS_SPACES_ADDRESS_SPACES_H

#include <glib.h>

#include "analysis/spaces/space_files.h"
#include "trace/file/reader.h"

typedef struct AddressSpaces AddressSpaces;

/*
 * Reads all of the trace once. NULL without an error in *@err (its text is empty) if it has no user
 * stacks; else NULL is an error.
 */
AddressSpaces *address_spaces_read(struct trace_reader *reader, struct trace_error *err);
void address_spaces_free(AddressSpaces *spaces); /* NULL is allowed */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(AddressSpaces, address_spaces_free)

/* A time in the life of a process: as long as both are the same, so is the code in its memory. */
typedef struct {
	guint32 space; /* 0: nothing is known of it */
	guint32 epoch;
} SpaceMoment;

SpaceMoment address_spaces_moment(const AddressSpaces *spaces, guint32 tgid, guint64 time_ns);

/* The file whose code lay at @addr, and where in the file; 0: not known. */
guint32 address_spaces_find(const AddressSpaces *spaces, SpaceMoment moment, guint64 time_ns,
			    guint64 addr, guint64 *offset);

guint32
address_spaces_files(const AddressSpaces *spaces); /* how many: they have the numbers from 1 on */
const SpaceFile *address_spaces_file(const AddressSpaces *spaces,
				     guint32 file); /* of such a number */

#endif

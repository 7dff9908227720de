/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Copies a damaged or truncated file: all chunks whose CRCs are right, wherever they are, and
 * nothing else. The text "recovered" of the copy lists what was left out.
 */
#ifndef KMT_TRACE_FILE_RECOVER_H
#define KMT_TRACE_FILE_RECOVER_H

#include "error.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A range of the old file that is not in the new one. */
struct trace_gap {
	uint64_t offset;
	uint64_t len;
};

struct trace_recovery {
	uint64_t size;          /* of the old file, bytes */
	uint64_t kept;          /* chunks in the new file */
	uint64_t orphans;       /* parts of the stack table after a missing one, left out */
	uint64_t left_out;      /* bytes, the sum of the gaps */
	uint64_t missing;       /* chunks of the old file, by their numbers */
	bool had_end;           /* the old file had its END chunk */
	struct trace_gap *gaps; /* in order of offset; for trace_recovery_clear() */
	size_t gap_count, gap_room;
};

/*
 * Reads @from and writes into the new and empty file @fd, which is closed in any case. @to is its
 * final name, and must not be @from. Returns 0 or -errno, -ENODATA if there are no chunks. The
 * caller clears *@out in any case.
 */
int trace_recover(const char *from, int fd, const char *to, struct trace_recovery *out,
		  struct trace_error *err);
void trace_recovery_clear(struct trace_recovery *recovery);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The processes that record, by the numbers that the tracer knows them by. */
#ifndef KMT_CAPTURE_PROCESS_RECORDER_PIDS_H
#define KMT_CAPTURE_PROCESS_RECORDER_PIDS_H

#include "capture/process/lookup.h"

/*
 * Returns the process ids of this process and of the children of @lookup (may be NULL), with commas
 * between; "none" in another pid namespace than the initial one, where they are not known. For
 * g_free().
 */
char *recorder_pids(const Lookup *lookup);

#endif

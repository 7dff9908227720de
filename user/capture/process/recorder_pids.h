/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The recording processes, by the ids that the tracer uses for them. */
#ifndef KMT_CAPTURE_PROCESS_RECORDER_PIDS_H
#define KMT_CAPTURE_PROCESS_RECORDER_PIDS_H

#include "capture/process/lookup.h"

/*
 * Returns the process ids of this process and of the children of @lookup (may be NULL), separated
 * by commas; "none" if this is not the initial pid namespace, where the tracer's ids are not known.
 * For g_free().
 */
char *recorder_pids(const Lookup *lookup);

#endif

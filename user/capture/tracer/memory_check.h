/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Checks whether the requested sizes are within the tracer's limits and the machine's memory.
 */
#ifndef KMT_CAPTURE_TRACER_MEMORY_CHECK_H
#define KMT_CAPTURE_TRACER_MEMORY_CHECK_H

#include "capture/tracer/settings.h"

typedef struct {
	guint cpus;        /* online */
	guint64 total;     /* bytes of memory; 0: not known */
	guint64 available; /* bytes of it that may be allocated; 0: not known */
} MemoryCheck;

/* Reads these values for this machine. */
MemoryCheck memory_check_read(void);

/*
 * Returns the error in the sizes of @settings, in one line, for g_free(). NULL: those that are set
 * fit.
 */
char *memory_check_refusal(const MemoryCheck *room, const Settings *settings);

#endif

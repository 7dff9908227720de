/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The clock of events.
 */
#ifndef KMT_BASE_MONOTONIC_H
#define KMT_BASE_MONOTONIC_H

#include <glib.h>
#include <time.h>

/* Returns CLOCK_MONOTONIC in nanoseconds. */
static inline guint64 monotonic_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (guint64)ts.tv_sec * G_GUINT64_CONSTANT(1000000000) + ts.tv_nsec;
}

#endif

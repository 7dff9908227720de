/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The clock of events. The module reads the time stamp counter, which CLOCK_MONOTONIC leaves by
 * seconds in days, as NTP slews that.
 */
#ifndef KMT_CAPTURE_TRACER_TRACE_CLOCK_H
#define KMT_CAPTURE_TRACER_TRACE_CLOCK_H

#include "capture/tracer/control.h"

/* A moment on two clocks of the system, in nanoseconds. */
typedef struct {
	guint64 monotonic; /* CLOCK_MONOTONIC: the clock of BPF programs */
	guint64 raw;       /* CLOCK_MONOTONIC_RAW */
} TraceMoment;

TraceMoment trace_moment_now(void);

/*
 * Returns @moment, of the last minutes, on the clock of events; CLOCK_MONOTONIC if an older tracer
 * does not show its clock.
 */
guint64 trace_clock_at(const Control *control, const TraceMoment *moment);

/* Returns the current time on the clock of events. */
guint64 trace_clock_now(const Control *control);

#endif

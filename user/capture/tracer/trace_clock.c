// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/tracer/trace_clock.h"

#include <time.h>

#define TRIES 3 /* to read both clocks at the same time */

static guint64 read_clock(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (guint64)ts.tv_sec * G_GUINT64_CONSTANT(1000000000) + ts.tv_nsec;
}

TraceMoment trace_moment_now(void)
{
	return (TraceMoment){ read_clock(CLOCK_MONOTONIC), read_clock(CLOCK_MONOTONIC_RAW) };
}

guint64 trace_clock_at(const Control *control, const TraceMoment *moment)
{
	guint64 shortest = G_MAXUINT64, at = moment->monotonic;

	for (guint i = 0; i < TRIES && control_has(control, "clock"); i++) {
		guint64 before = read_clock(CLOCK_MONOTONIC_RAW), now, after;

		if (!control_get(control, "clock", &now, NULL) || !now)
			break;
		after = read_clock(CLOCK_MONOTONIC_RAW);
		if (after - before >= shortest)
			continue;
		shortest = after - before;
		at = now - (after - moment->raw);
	}
	return at;
}

guint64 trace_clock_now(const Control *control)
{
	TraceMoment now = trace_moment_now();

	return trace_clock_at(control, &now);
}

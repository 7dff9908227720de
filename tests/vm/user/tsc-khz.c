// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Prints the frequency of this machine's time stamp counter in kHz. An emulated guest sees the same
 * counter. If it measures the frequency on a busy machine, the result and its clock may be wrong by
 * a factor of ten.
 */
#include <stdint.h>
#include <stdio.h>
#include <time.h>
#include <x86intrin.h>

#define TRIES		1000
#define INTERVAL_NS	100000000

struct reading {
	uint64_t ticks, ns;
};

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC_RAW, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

/* Reads both at nearly the same time: uses the fastest attempt, as nothing interrupted it. */
static struct reading take(void)
{
	struct reading best = { 0 };
	uint64_t best_took = UINT64_MAX;

	for (int i = 0; i < TRIES; i++) {
		uint64_t before = __rdtsc(), ns = now_ns(), took = __rdtsc() - before;

		if (took >= best_took)
			continue;
		best_took = took;
		best = (struct reading){ .ticks = before + took / 2, .ns = ns };
	}
	return best;
}

int main(void)
{
	struct reading first = take(), last;

	nanosleep(&(struct timespec){ .tv_nsec = INTERVAL_NS }, NULL);
	last = take();
	printf("%.0f\n", (double)(last.ticks - first.ticks) * 1e6 / (double)(last.ns - first.ns));
	return 0;
}

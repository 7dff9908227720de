// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Notes of BPF programs: of the programs of an event, one records it, whichever of them are out of
 * use because a thread was preempted in them.
 */
#include <glib.h>
#include <string.h>

#include "bpf-helpers.h"

#define KMEMTRACE_PREEMPTION_H /* three programs, as on Linux 7.0 */
#define KMT_TURN_LAST 2U

static void *bpf_map_lookup_elem(void *map, const guint32 *key);

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunknown-pragmas"
#include "bpf/notes.h"
#pragma GCC diagnostic pop

#define CPUS		2
#define THREADS		6
#define INTERRUPTS	KMEMTRACE_CONTEXT_HARDIRQ

static __u64 notes[1 << KMT_BPF_NOTED_BITS];
static __u64 last[CPUS][KMT_BPF_CONTEXTS];
static gboolean held[CPUS][KMT_BPF_TURNS];

static void *bpf_map_lookup_elem(void *map, const guint32 *key)
{
	(void)map;
	return &notes[*key];
}

static void reset(void)
{
	memset(notes, 0, sizeof(notes));
	memset(last, 0, sizeof(last));
	memset(held, 0, sizeof(held));
}

/* The stack of @thread, and a key of an event there: it comes in again and again. */
static guint64 stack_of(guint thread)
{
	return 0xffffc90000004000 + thread * (guint64)KMT_STACK_ALIGN * 2;
}

static guint64 key_of(guint thread, guint kind)
{
	return stack_of(thread) + 0x100 + kind;
}

/* Runs the program of @turn. Returns whether it records the event. */
static gboolean run(guint cpu, guint context, __u64 *thread, guint64 key, guint turn)
{
	if (turn && kmt_take_note(last[cpu], thread, key, turn))
		return FALSE;
	if (turn != KMT_TURN_LAST)
		kmt_note(&last[cpu][context], thread, key, turn);
	return TRUE;
}

/* Runs those programs of thread 0's next event that are not held. Returns how many record it. */
static guint happen(void)
{
	guint recorded = 0;

	for (guint turn = 0; turn < KMT_BPF_TURNS; turn++) {
		if (!held[0][turn])
			recorded += run(0, KMEMTRACE_CONTEXT_TASK, kmt_noted(stack_of(0)),
					key_of(0, 0), turn);
	}
	return recorded;
}

/* A thread frees many objects in a loop, meanwhile others are preempted in programs. */
static void two_may_be_held(void)
{
	for (guint set = 0; set < 7; set++) {
		reset();
		for (guint i = 0; i < 300; i++) {
			gboolean some = i >= 100 && i < 200;

			for (guint turn = 0; turn < KMT_BPF_TURNS; turn++)
				held[0][turn] = some && set >> turn & 1;
			g_assert_cmpuint(happen(), ==, 1);
		}
	}
}

/* One is held first, then another one, too, in the middle of the loop. */
static void one_after_the_other(void)
{
	for (guint first = 0; first < KMT_BPF_TURNS; first++) {
		guint second = (first + 1 + g_test_rand_int_range(0, 2)) % KMT_BPF_TURNS;

		reset();
		for (guint i = 0; i < 300; i++) {
			held[0][first] = i >= 50 && i < 200;
			held[0][second] = i >= 100 && i < 250;
			g_assert_cmpuint(happen(), ==, 1);
		}
	}
}

/* ---- at random ---- */

typedef enum { OUTSIDE, BEFORE, BEHIND } Phase; /* of a program: its notes */

typedef struct {
	guint cpu;
	guint kind; /* of the event */
	guint turn;
	Phase phase;
	guint ran, recorded; /* programs of this event */
} Thread;

static guint events, lost;

static void interrupt(guint cpu)
{
	guint ran = 0, recorded = 0;

	for (guint turn = 0; turn < KMT_BPF_TURNS; turn++) {
		if (held[cpu][turn])
			continue;
		ran++;
		recorded += run(cpu, KMEMTRACE_CONTEXT_HARDIRQ, NULL,
				key_of(THREADS + cpu, 0), turn);
	}
	g_assert_cmpuint(recorded, <=, 1);
	events++;
	lost += ran && !recorded;
}

static void next_turn(Thread *thread)
{
	if (++thread->turn < KMT_BPF_TURNS)
		return;
	g_assert_cmpuint(thread->recorded, <=, 1);
	events++;
	lost += thread->ran && !thread->recorded;
	thread->turn = thread->ran = thread->recorded = 0;
	if (!g_test_rand_int_range(0, 30))
		thread->kind = g_test_rand_int_range(0, 4);
}

static void step(Thread *thread, guint number)
{
	gboolean *is_held = &held[thread->cpu][thread->turn];

	switch (thread->phase) {
	case OUTSIDE:
		if (*is_held) {
			next_turn(thread);
			break;
		}
		*is_held = TRUE;
		thread->phase = BEFORE;
		break;
	case BEFORE:
		thread->ran++;
		thread->recorded += run(thread->cpu, KMEMTRACE_CONTEXT_TASK,
					kmt_noted(stack_of(number)),
					key_of(number, thread->kind), thread->turn);
		thread->phase = BEHIND;
		break;
	case BEHIND:
		*is_held = FALSE;
		thread->phase = OUTSIDE;
		next_turn(thread);
	}
}

/* Returns one that was preempted on @cpu; perhaps one that comes from another CPU. */
static guint other_thread(Thread *threads, guint cpu, const guint *running)
{
	guint i;

	do {
		i = g_test_rand_int_range(0, THREADS);
	} while (i == running[!cpu] || (threads[i].cpu != cpu && threads[i].phase != OUTSIDE));
	threads[i].cpu = cpu;
	return i;
}

/*
 * An event is never recorded twice. It may be lost if all programs were held since the thread's
 * last event, here one in a hundred: much of the time, several threads are preempted in programs.
 */
static void at_random(void)
{
	Thread threads[THREADS] = { 0 };
	guint running[CPUS] = { 0, 1 };

	reset();
	events = lost = 0;
	threads[1].cpu = 1;
	for (guint i = 0; i < 3000000; i++) {
		guint cpu = i % CPUS;

		if (!g_test_rand_int_range(0, 100))
			running[cpu] = other_thread(threads, cpu, running);
		if (!g_test_rand_int_range(0, 50))
			interrupt(cpu);
		step(&threads[running[cpu]], running[cpu]);
	}
	g_test_message("%u events, %u lost", events, lost);
	g_assert_cmpuint(lost, <, events / 50);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/bpf-notes/two-may-be-held", two_may_be_held);
	g_test_add_func("/bpf-notes/one-after-the-other", one_after_the_other);
	g_test_add_func("/bpf-notes/at-random", at_random);
	return g_test_run();
}

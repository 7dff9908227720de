/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Notes by which a program of an event knows whether an earlier one ran for it.
 *
 * A program notes the key of the event that it runs for in an entry for its context on the CPU.
 * Before the next program runs for that event, only an event of the same context could overwrite
 * the note, and such an event can't interrupt this one. But a program of a function may be
 * preempted, and since 7.0 a program of a tracepoint, too, or the thread between two programs. Then
 * other threads may overwrite the note, or the thread may continue on another CPU. So an event of a
 * preemptible thread is also noted for all CPUs.
 *
 * A later event of the thread may have the same key. So the last program clears the notes. It may
 * be out of use for hundreds of events, see preemption.h, and if the first one is, too, the second
 * must not take the note of an earlier event for that of this one. So a note tells whether the
 * second program has seen it.
 */
#ifndef KMEMTRACE_NOTES_H
#define KMEMTRACE_NOTES_H

#include "common.h"
#include "preemption.h"

#define KMT_STACK_ALIGN 16384 /* of the kernel stacks of threads */

/* In a note: the second program has seen it. Keys are not told apart by this bit. */
#define KMT_NOTE_SEEN (1ULL << 63)

/*
 * The notes of preemptible threads, hashed by the thread's stack. Two threads seldom share an
 * entry. That matters only if one of them is preempted between the programs of an event, and the
 * other runs meanwhile.
 */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1 << KMT_BPF_NOTED_BITS);
	__type(key, __u32);
	__type(value, __u64);
} noted SEC(".maps");

/* @here: the address of the program's context, which is on the thread's stack. */
static __always_inline __u64 *kmt_noted(__u64 here)
{
	__u64 stack = here / KMT_STACK_ALIGN;
	__u32 place = (stack * KMT_HASH_FACTOR) >> (64 - KMT_BPF_NOTED_BITS);

	return bpf_map_lookup_elem(&noted, &place);
}

/* Notes the event in @last, and in @thread unless that is NULL. @turn: 0 or 1. */
static __always_inline void kmt_note(__u64 *last, __u64 *thread, __u64 key, __u32 turn)
{
	__u64 note = turn ? key | KMT_NOTE_SEEN : key & ~KMT_NOTE_SEEN;

	*last = note;
	if (thread)
		*thread = note;
}

/* Returns whether *@note is for the event. If so, the last program clears it. */
static __always_inline bool kmt_take(__u64 *note, __u64 key, __u32 turn)
{
	if (turn == KMT_TURN_LAST) {
		if (*note << 1 != key << 1)
			return false;
		*note = 0; /* a later event may have the same key */
		return true;
	}
	if (*note != (key & ~KMT_NOTE_SEEN))
		return false;
	*note |= KMT_NOTE_SEEN;
	return true;
}

/*
 * Returns whether an earlier program than that of @turn, which is not 0, ran for the event. @last:
 * of all contexts. @thread: NULL: the event is of no preemptible thread.
 */
static __always_inline bool kmt_take_note(__u64 *last, __u64 *thread, __u64 key, __u32 turn)
{
	bool was_run = false;
	__u32 i;

	for (i = 0; i < KMT_BPF_CONTEXTS && !was_run; i++)
		was_run = kmt_take(&last[i], key, turn);
	return (thread && kmt_take(thread, key, turn)) || was_run;
}

#endif /* KMEMTRACE_NOTES_H */

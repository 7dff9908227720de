/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counts the allocations of each thread, to find how many more the thread had made when one was
 * freed. An interrupt's allocations do not count for the interrupted thread: each CPU has separate
 * counts for its interrupts.
 */
#ifndef KMT_ANALYSIS_GROWTH_TEMPORARIES_H
#define KMT_ANALYSIS_GROWTH_TEMPORARIES_H

#include "analysis/pairing/tasks.h"

typedef struct Temporaries Temporaries;

/* @tasks is owned by the caller, and must outlive it. */
Temporaries *temporaries_new(const Tasks *tasks);
void temporaries_free(Temporaries *temporaries); /* NULL is allowed */

/*
 * Returns the counter for @task (of tasks) on @cpu in @context (enum kmemtrace_context). The caller
 * increments it; the pointer is valid until the next call. The counter wraps.
 */
guint32 *temporaries_of(Temporaries *temporaries, guint32 task, guint32 cpu, guint8 context);

#endif

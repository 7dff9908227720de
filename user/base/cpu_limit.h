/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Limits the processor time of library calls that cannot be interrupted. If the limit is exceeded,
 * the process exits: unfinished output is removed.
 */
#ifndef KMT_BASE_CPU_LIMIT_H
#define KMT_BASE_CPU_LIMIT_H

#include <glib.h>

typedef struct {
	char *line;      /* printed verbatim to stderr when the limit is exceeded */
	guint64 left_ns; /* processor time of all threads */
} CpuLimit;

/*
 * Limits the time from cpu_limit_enter() to cpu_limit_leave(), which reduces @left_ns. One limit at
 * a time in a process, which reserves SIGRTMIN.
 */
void cpu_limit_enter(const CpuLimit *limit);
void cpu_limit_leave(CpuLimit *limit);

#endif

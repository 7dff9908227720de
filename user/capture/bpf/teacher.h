/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Teaches the programs the stacks that they had to unwind, in a thread of its own.
 */
#ifndef KMT_CAPTURE_BPF_TEACHER_H
#define KMT_CAPTURE_BPF_TEACHER_H

#include "capture/bpf/kernel_memory.h"
#include "capture/bpf/programs.h"
#include "capture/bpf/symbols.h"

typedef struct Teacher Teacher;

/*
 * For teacher_free(). @maps and @memory must outlive the teacher. NULL: this kernel's unwind tables
 * can't be read, or no thread can be started; then all stacks are unwound.
 */
Teacher *teacher_new(const BpfMaps *maps, const KernelMemory *memory, const BpfSymbols *symbols);

/* Stops the teacher. NULL is allowed. */
void teacher_free(Teacher *teacher);

/* Returns the number of stacks that the programs know by now. */
guint64 teacher_count(const Teacher *teacher);

#endif

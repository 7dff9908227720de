/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the memory of the running kernel, by running a program.
 */
#ifndef KMT_CAPTURE_BPF_KERNEL_MEMORY_H
#define KMT_CAPTURE_BPF_KERNEL_MEMORY_H

#include <glib.h>

#include "bpf/kmemtrace_bpf.h"

typedef struct {
	int program;                 /* descriptor of kmt_read_chunk */
	struct kmt_bpf_learn *learn; /* shared with it, as is @chunk */
	const guint8 *chunk;         /* KMT_BPF_CHUNK bytes */
} KernelMemory;

/* Reads @len bytes at @addr. FALSE: they can't be read. */
gboolean kernel_memory_read(const KernelMemory *memory, guint64 addr, void *bytes, gsize len);

#endif

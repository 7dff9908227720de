/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The BPF programs of kernel/bpf: loads, attaches and detaches them, and maps their rings.
 */
#ifndef KMT_CAPTURE_BPF_PROGRAMS_H
#define KMT_CAPTURE_BPF_PROGRAMS_H

#include <glib.h>

#include "bpf/kmemtrace_bpf.h"

typedef struct {
	const char *events;  /* groups, as "slab page" */
	guint64 subbuf_size; /* bytes */
	guint64 subbufs;     /* for each CPU, a power of two */
	guint64 stack_depth; /* return addresses; 0: none */
	guint64 stack_bytes; /* of the table of stacks */
	guint64 min_size;    /* bytes */
	gboolean overwrite;
} BpfSettings;

/* What tracing needs from the maps; pointers are shared with the programs. */
typedef struct {
	struct kmt_bpf_ring *rings;   /* by CPU */
	guint8 *subbufs;              /* of CPU 0, CPU 1, … */
	gsize subbuf_bytes;           /* from one to the next */
	guint64 *stacks;              /* the table, as kmemtrace_abi.h has it */
	struct kmt_bpf_cache *caches; /* KMT_BPF_CACHES */
	struct kmt_bpf_module *modules;
	struct kmt_bpf_function *functions;
	const struct kmt_bpf_state *state;
	guint cpus;       /* that have sub-buffers */
	guint ring_count; /* of the CPUs that could come, too */
	guint64 records;  /* of each sub-buffer */
	guint64 subbuf_count;
} BpfMaps;

typedef struct BpfPrograms BpfPrograms;

/* Checks what can be known before anything is loaded: rights, lockdown, BTF. */
gboolean bpf_programs_check(GError **error);

/* Where the kernel's memory lies. */
typedef struct {
	guint64 linear_base; /* address of its first byte */
	guint64 vmemmap;     /* of the struct page of that */
} BpfMemory;

/* Finds that out, by programs that are loaded for it; so it also shows whether any can be. */
gboolean bpf_programs_learn(BpfMemory *memory, GError **error);

/* Loads the programs of the events. Nothing is traced yet. For bpf_programs_free(). */
BpfPrograms *bpf_programs_load(const BpfSettings *settings, const BpfMemory *memory,
			       GError **error);

/* Detaches them, too. NULL is allowed. */
void bpf_programs_free(BpfPrograms *programs);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(BpfPrograms, bpf_programs_free)

gboolean bpf_programs_attach(BpfPrograms *programs, GError **error);

/* Afterwards none runs any more. */
void bpf_programs_detach(BpfPrograms *programs);

/* The same without waiting for those that run, and without memory. */
void bpf_programs_abandon(const BpfPrograms *programs);

const BpfMaps *bpf_programs_maps(const BpfPrograms *programs);

/* Events for which a program was not run, since it was running on that CPU already. */
guint64 bpf_programs_missed(const BpfPrograms *programs);

/* Bytes of the rings, of the tables of stacks, and of names. */
void bpf_programs_memory(const BpfPrograms *programs, guint64 *buffers, guint64 *stacks,
			 guint64 *names);

#endif

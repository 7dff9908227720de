/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The BPF programs of kernel/bpf: loads, attaches and detaches them, and maps their rings.
 */
#ifndef KMT_CAPTURE_BPF_PROGRAMS_H
#define KMT_CAPTURE_BPF_PROGRAMS_H

#include <glib.h>

#include "bpf/kmemtrace_bpf.h"
#include "capture/bpf/filter.h"
#include "capture/bpf/maps.h"
#include "capture/bpf/marks.h"
#include "capture/bpf/pins.h"

typedef struct {
	const char *events;  /* groups, as "slab page" */
	guint64 subbuf_size; /* bytes */
	guint64 subbufs;     /* for each CPU, a power of two */
	guint64 stack_depth; /* return addresses; 0: none */
	guint64 stack_bytes; /* of the table of stacks */
	gboolean overwrite;
	gboolean user_stacks;
	gboolean is_pinned; /* they outlive this process, so nobody teaches them stacks */
	const BpfFilterSettings *filter;
	const BpfFollowed *followed; /* processes that the filter continues with */
	const GArray *subuids;       /* of SubuidRange, at most KMEMTRACE_SUBUIDS_MAX; NULL: none */
} BpfSettings;

/* Events for which programs were not run, by source. */
typedef struct {
	guint64 by[KMT_BPF_PROGRAMS][KMT_BPF_TURNS]; /* and way */
	guint64 taken[KMT_BPF_PROGRAMS]; /* missed by the first program, recorded by another one */
} BpfMissed;

/* Data about programs besides their maps. Later processes need it for pinned programs. */
typedef struct {
	struct kmt_bpf_config config;
	guint32 ring_count;
	guint32 is_noted;                   /* programs note each event for the next one */
	BpfMissed missed_before;            /* until all were attached */
	BpfMissed missed;                   /* since then; valid once recording has ended */
	guint64 slots_bytes, tree_bytes;    /* memory of maps that are not pinned */
	gint32 functions[KMT_BPF_PROGRAMS]; /* BTF ids of those wanted; 0: none */
	guint32 is_busy[KMT_BPF_PROGRAMS];  /* the kernel was busy with another program */
} BpfKept;

typedef struct BpfPrograms BpfPrograms;

/* Checks what can be known before anything is loaded: rights, lockdown, BTF. */
gboolean bpf_programs_check(GError **error);

/* Addresses of the kernel's memory. */
typedef struct {
	guint64 linear_base; /* start of the direct map */
	guint64 vmemmap;     /* the first struct page */
} BpfMemory;

/*
 * Finds these addresses with programs that it loads. This also shows whether any can be loaded.
 * Returns a descriptor that keeps one of the programs, or -1 with an error. Otherwise the kernel
 * would remove it a little later, while a recorder reads the first symbols.
 */
int bpf_programs_learn(BpfMemory *memory, const BpfSymbols *symbols, GError **error);

/* Loads the programs for the events. Nothing is traced yet. For bpf_programs_free(). */
BpfPrograms *bpf_programs_load(const BpfSettings *settings, const BpfMemory *memory,
			       const BpfSymbols *symbols, GError **error);

/*
 * Pins programs that were loaded for that, and their maps. From now on, the data about them is in
 * *@kept, which must outlive them.
 */
gboolean bpf_programs_pin(BpfPrograms *programs, BpfKept *kept, GError **error);

/* Opens pinned programs and their maps. @kept: the data about them. */
BpfPrograms *bpf_programs_open(BpfKept *kept, const BpfFilterSettings *filter, GError **error);

/* Also detaches the programs, unless they are pinned. NULL is allowed. */
void bpf_programs_free(BpfPrograms *programs);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(BpfPrograms, bpf_programs_free)

/* Attaches the programs. Nothing is recorded yet. */
gboolean bpf_programs_attach(BpfPrograms *programs, GError **error);

/*
 * Returns the address spaces that the processes have now, as struct kmt_bpf_mm; NULL: they can't be
 * read, or user stacks are not recorded. The caller unrefs.
 */
GArray *bpf_programs_mms(const BpfPrograms *programs);

/* Starts or stops recording thread names only. bpf_programs_enable() ends that: it records all. */
void bpf_programs_record_names(BpfPrograms *programs, gboolean on);

/* Starts recording. */
gboolean bpf_programs_enable(BpfPrograms *programs, GError **error);

gboolean bpf_programs_are_enabled(const BpfPrograms *programs);

/*
 * Hands the followed processes over to @followed: they are still followed after @programs are
 * freed.
 */
void bpf_programs_leave(const BpfPrograms *programs, BpfFollowed *followed);

/*
 * From now on only records mappings of processes and forks, until bpf_programs_disable(). Returns
 * FALSE without user stacks.
 */
gboolean bpf_programs_keep_maps(BpfPrograms *programs);

/*
 * Stops recording, and waits for programs that are running. The program that follows processes
 * stays attached.
 */
void bpf_programs_disable(BpfPrograms *programs);

/* Detaches the programs. @pins: where they are pinned, or NULL. */
gboolean bpf_programs_detach(BpfPrograms *programs, const Pins *pins, GError **error);

/* Stops recording without waiting for running programs, and without allocating memory. */
void bpf_programs_abandon(const BpfPrograms *programs);

/* Starts to accept marks. For bpf_marks_free(), before the programs are detached. */
BpfMarks *bpf_programs_marks(const BpfPrograms *programs);

/*
 * Returns the code sizes of modules that were loaded before the programs, as kernel_modules_sizes()
 * does. The programs own the table.
 */
GHashTable *bpf_programs_module_sizes(const BpfPrograms *programs);

const BpfMaps *bpf_programs_maps(const BpfPrograms *programs);

/* Notes functions as unseen if their programs are no longer attached. */
void bpf_programs_look(const BpfPrograms *programs);

/* Returns the events that no program recorded, as all were running on that CPU already. */
guint64 bpf_programs_missed(const BpfPrograms *programs);

/*
 * Counts the stacks that were recognized and, if KMEMTRACE_BPF_VERIFY is set in the environment,
 * those that were also unwound, and those that differed. @known: stacks that can be recognized.
 */
void bpf_programs_recalled(const BpfPrograms *programs, guint64 *recalled, guint64 *known,
			   guint64 *compared, guint64 *differed);

/* Bytes of the rings, of the tables of stacks, of filters, and of names. */
void bpf_programs_memory(const BpfPrograms *programs, guint64 *buffers, guint64 *stacks,
			 guint64 *filters, guint64 *names);

#endif

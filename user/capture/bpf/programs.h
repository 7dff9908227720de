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
	gboolean is_pinned; /* they stay without this process: nobody teaches them stacks */
	const BpfFilterSettings *filter;
	const BpfFollowed *followed; /* processes that the filter goes on with */
} BpfSettings;

/* Events for which programs were not run, by source. */
typedef struct {
	guint64 by[KMT_BPF_PROGRAMS][KMT_BPF_TURNS]; /* and way */
	guint64 taken[KMT_BPF_PROGRAMS];             /* of the first ones', by the others */
} BpfMissed;

/* What is known of programs besides their maps: later processes need it of pinned ones. */
typedef struct {
	struct kmt_bpf_config config;
	guint32 ring_count;
	guint32 is_noted;                   /* a program notes each event for the next */
	BpfMissed missed_before;            /* until all were attached */
	BpfMissed missed;                   /* since, once recording has ended */
	guint64 slots_bytes, tree_bytes;    /* memory of maps that are not pinned */
	gint32 functions[KMT_BPF_PROGRAMS]; /* ids in BTF of those wanted; 0: none */
	guint32 is_busy[KMT_BPF_PROGRAMS];  /* an earlier program keeps us from them */
} BpfKept;

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

/*
 * Pins programs that were loaded to be, and their maps. What is known of them is from now on in
 * *@kept, which must outlive them.
 */
gboolean bpf_programs_pin(BpfPrograms *programs, BpfKept *kept, GError **error);

/* Opens pinned programs and their maps, of which *@kept is known. */
BpfPrograms *bpf_programs_open(BpfKept *kept, const BpfFilterSettings *filter, GError **error);

/* Detaches them, too, unless they are pinned. NULL is allowed. */
void bpf_programs_free(BpfPrograms *programs);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(BpfPrograms, bpf_programs_free)

/* Nothing is recorded yet. */
gboolean bpf_programs_attach(BpfPrograms *programs, GError **error);

/*
 * Which memory the processes have now, as of struct kmt_bpf_mm; NULL: it can't be read, or user
 * stacks are not recorded. The caller unrefs.
 */
GArray *bpf_programs_mms(const BpfPrograms *programs);

/* Records names of threads @on, or no more. bpf_programs_enable() ends that: it records all. */
void bpf_programs_record_names(BpfPrograms *programs, gboolean on);

/* Begins to record. */
gboolean bpf_programs_enable(BpfPrograms *programs, GError **error);

gboolean bpf_programs_are_enabled(const BpfPrograms *programs);

/* Lets processes be followed when @programs are freed. */
void bpf_programs_leave(const BpfPrograms *programs, BpfFollowed *followed);

/*
 * Ends recording: afterwards no program runs that was attached, but for the one that follows
 * processes.
 */
void bpf_programs_disable(BpfPrograms *programs);

/* @pins: where they are pinned, or NULL. */
gboolean bpf_programs_detach(BpfPrograms *programs, const Pins *pins, GError **error);

/* The same without waiting for those that run, and without memory. */
void bpf_programs_abandon(const BpfPrograms *programs);

/* Takes marks, for bpf_marks_free() before they are detached. */
BpfMarks *bpf_programs_marks(const BpfPrograms *programs);

/* Of modules that were loaded before the programs, as kernel_modules_sizes(); theirs. */
GHashTable *bpf_programs_module_sizes(const BpfPrograms *programs);

const BpfMaps *bpf_programs_maps(const BpfPrograms *programs);

/* Sees to it that functions are told as unseen whose programs are no longer attached. */
void bpf_programs_look(const BpfPrograms *programs);

/* Events that no program took, as all were running on that CPU already. */
guint64 bpf_programs_missed(const BpfPrograms *programs);

/*
 * Stacks that were recognized, and those of them that were also unwound, and differed: if
 * KMEMTRACE_BPF_VERIFY is set in the environment. @known: stacks that can be recognized.
 */
void bpf_programs_recalled(const BpfPrograms *programs, guint64 *recalled, guint64 *known,
			   guint64 *compared, guint64 *differed);

/* Bytes of the rings, of the tables of stacks, of filters, and of names. */
void bpf_programs_memory(const BpfPrograms *programs, guint64 *buffers, guint64 *stacks,
			 guint64 *filters, guint64 *names);

#endif

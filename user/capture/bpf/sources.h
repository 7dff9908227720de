/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The tracepoints and functions that BPF programs trace, and which of them this kernel has.
 */
#ifndef KMT_CAPTURE_BPF_SOURCES_H
#define KMT_CAPTURE_BPF_SOURCES_H

#include <glib.h>

#include "bpf/kmemtrace_bpf.h"

struct btf;
struct btf_type;

typedef struct {
	const char *name;         /* of its tracepoint or function, as the module has it */
	const char *program;      /* some have another one, with "_2" */
	const char *groups;       /* of events, as "slab vmalloc"; NULL: always */
	const char *class;        /* of events, if it is not the tracepoint's own */
	guint args;               /* of the tracepoint; 0: it is a function */
	const char *functions[2]; /* its names in some kernels, the newest first, if they differ */
	guint32 params; /* of the function: a bit for each number that is known; 0: any is fine */
	gboolean newer; /* kernels without the function have nothing for it to trace */
	gboolean optional; /* no source of its own: names alone, or another program of one */
	gboolean instead;  /* of the functions of its group, if these can't be traced */
} BpfSource;

/* By enum kmt_bpf_program. */
extern const BpfSource bpf_sources[KMT_BPF_PROGRAMS];

/* The groups of @events, and that of user stacks if they are recorded, for g_free(). */
char *bpf_sources_wanted(const char *events, gboolean user_stacks);

/* Whether one of @groups ("slab vmalloc") is in @events; TRUE for NULL. */
gboolean bpf_source_is_wanted(const char *groups, const char *events);

/* The function of a source in the kernel of @btf; NULL: it has none. */
const char *bpf_source_function(const BpfSource *source, const struct btf *btf);

/* The prototype of the function of a source in the kernel of @btf; NULL: there is none. */
const struct btf_type *bpf_source_proto(const BpfSource *source, const struct btf *btf);

/* How many parameters the function has in the kernel of @btf; 0: there is none, or it has none. */
guint bpf_source_params(const BpfSource *source, const struct btf *btf);

/* Whether the kernel's pages say that they are slabs, in one of the two ways that programs know. */
gboolean bpf_sources_know_slabs(const struct btf *btf);

/* Why a source can't be traced in the kernel of @btf, for g_free(); NULL: it can. */
char *bpf_source_unseen(const BpfSource *source, const struct btf *btf);

/*
 * Lines "name state" of all sources, as the view "paths" has them, for g_free(). @on: they are
 * traced now, if they can be.
 */
char *bpf_sources_paths(const char *events, gboolean on);

#endif

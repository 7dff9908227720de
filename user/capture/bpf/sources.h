/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The tracepoints and functions that BPF programs trace, and which of them this kernel has.
 */
#ifndef KMT_CAPTURE_BPF_SOURCES_H
#define KMT_CAPTURE_BPF_SOURCES_H

#include <glib.h>

#include "bpf/kmemtrace_bpf.h"

struct btf_type;

typedef struct {
	const char *name;         /* of its tracepoint or function, as in the module */
	const char *program;      /* the first; others have "_2" and "_3" after it */
	const char *groups;       /* of events, as "slab vmalloc"; NULL: always */
	const char *class;        /* of events, if it is not the tracepoint's own */
	guint args;               /* of the tracepoint; 0: it is a function */
	const char *functions[2]; /* its names in some kernels, the newest first, if they differ */
	guint32 params;    /* of the function: a bit for each supported number; 0: any is fine */
	gboolean newer;    /* kernels without the function have no such events */
	gboolean optional; /* not a source of its own: only names, or another program of a source */
	gboolean instead;  /* replaces the functions of its group if these can't be traced */
} BpfSource;

/* By enum kmt_bpf_program. */
extern const BpfSource bpf_sources[KMT_BPF_PROGRAMS];

/* Returns the groups of @events, and that of user stacks if they are recorded, for g_free(). */
char *bpf_sources_wanted(const char *events, gboolean user_stacks);

/* Returns whether one of @groups ("slab vmalloc") is in @events; TRUE for NULL. */
gboolean bpf_source_is_wanted(const char *groups, const char *events);

/* Returns the function of a source in this kernel; NULL: there is none. */
const char *bpf_source_function(const BpfSource *source);

/* Returns the BTF id of that function; 0: there is none, or the source is a tracepoint. */
gint32 bpf_source_function_id(const BpfSource *source);

/* Returns the prototype of that function; NULL: there is none. */
const struct btf_type *bpf_source_proto(const BpfSource *source);

/* Returns the parameter count of that function; 0: no function, or none. */
guint bpf_source_params(const BpfSource *source);

/* Returns whether the kernel marks slab pages in one of the two ways that programs know. */
gboolean bpf_sources_know_slabs(void);

/* Returns why a source can't be traced in this kernel, for g_free(); NULL: it can. */
char *bpf_source_unseen(const BpfSource *source);

/*
 * Returns lines "name state" of all sources, as in the view "paths", for g_free(). @on: sources
 * that can be traced are traced now.
 */
char *bpf_sources_paths(const char *events, gboolean on);

#endif

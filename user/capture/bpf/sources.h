/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The tracepoints and functions that BPF programs trace, and which of them this kernel has.
 */
#ifndef KMT_CAPTURE_BPF_SOURCES_H
#define KMT_CAPTURE_BPF_SOURCES_H

#include <glib.h>

#include "bpf/kmemtrace_bpf.h"

struct btf;

typedef struct {
	const char *name;     /* of its tracepoint or function, as the module has it */
	const char *program;  /* a tracepoint has others, with "_2" and "_3" */
	const char *groups;   /* of events, as "slab vmalloc"; NULL: always */
	const char *class;    /* of events, if it is not the tracepoint's own */
	guint args;           /* of the tracepoint; 0: it is a function */
	const char *function; /* its name in some kernels, if that differs */
	gboolean optional;    /* no events: names alone */
} BpfSource;

/* By enum kmt_bpf_program. */
extern const BpfSource bpf_sources[KMT_BPF_PROGRAMS];

/* Whether one of @groups ("slab vmalloc") is in @events; TRUE for NULL. */
gboolean bpf_source_is_wanted(const char *groups, const char *events);

/* The function of a source in the kernel of @btf; NULL: it has none. */
const char *bpf_source_function(const BpfSource *source, const struct btf *btf);

/* Why a source can't be traced in the kernel of @btf, for g_free(); NULL: it can. */
char *bpf_source_unseen(const BpfSource *source, const struct btf *btf);

/*
 * Lines "name state" of all sources, as the view "paths" has them, for g_free(). @on: they are
 * traced now, if they can be.
 */
char *bpf_sources_paths(const char *events, gboolean on);

#endif

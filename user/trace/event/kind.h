/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kinds of memory. They are separate accounts: kinds are never added up.
 */
#ifndef KMT_TRACE_EVENT_KIND_H
#define KMT_TRACE_EVENT_KIND_H

enum trace_kind {
	TRACE_SLAB,    /* slab objects and large kmallocs */
	TRACE_PAGE,    /* pages of the page allocator */
	TRACE_PERCPU,  /* per-CPU memory */
	TRACE_VMALLOC, /* addresses of vmalloc space; the memory there is pages */
	TRACE_KINDS,
};

/* The names of kinds, as in the database and in options: "slab" …; NULL for TRACE_KINDS. */
extern const char *const trace_kind_names[TRACE_KINDS + 1];

/* The kind with that name; TRACE_KINDS: there is none. */
enum trace_kind trace_kind_find(const char *name);

#endif

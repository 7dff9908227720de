/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kinds of memory: separate accounts, which are never added up. */
#ifndef KMT_TRACE_EVENT_KIND_H
#define KMT_TRACE_EVENT_KIND_H

enum trace_kind {
	TRACE_SLAB,    /* slab objects and large kmallocs */
	TRACE_PAGE,    /* pages from the page allocator */
	TRACE_PERCPU,  /* per-CPU memory */
	TRACE_VMALLOC, /* addresses of vmalloc space; the memory there is pages */
	TRACE_KINDS,
};

/* Names of kinds, as in the database and in options: "slab" …; NULL for TRACE_KINDS. */
extern const char *const trace_kind_names[TRACE_KINDS + 1];

/* Returns the kind of that name; TRACE_KINDS: none. */
enum trace_kind trace_kind_find(const char *name);

#endif

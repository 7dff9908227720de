/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The sources of events: tracepoints (tracepoint_probes.c) and, where there are none, function
 * calls (function_probes.c). Each belongs to a group. The view "paths" shows their state, also of
 * those that a kernel lacks.
 */
#ifndef KMEMTRACE_SOURCES_H
#define KMEMTRACE_SOURCES_H

#include <linux/types.h>

struct seq_file;

/* Groups of events, as bits of kmt_config.events. */
enum kmt_group {
	KMT_GROUP_SLAB = 0x01,
	KMT_GROUP_PAGE = 0x02,
	KMT_GROUP_PERCPU = 0x04,
	KMT_GROUP_VMALLOC = 0x08,
	KMT_GROUP_FRAG = 0x10,
	KMT_GROUP_BUDDY = 0x20,
	KMT_GROUP_ALL = 0x3f,
	KMT_GROUP_TASK = 0x40, /* names of threads: always on */
};

/* A source, and its state since tracing was last enabled. */
struct kmt_source {
	const char *name;
	enum kmt_group group; /* or several: any of them enables it */
	bool on;
	const char *unseen; /* why all or some events are missed; NULL: none are */
};

/* Writes the line of the view "paths": name, and "on", "off" or "unseen: why". */
void kmt_source_show(struct seq_file *seq, const struct kmt_source *source);

#endif /* KMEMTRACE_SOURCES_H */

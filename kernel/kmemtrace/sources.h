/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The sources of events ("paths"): tracepoints (tracepoint_probes.c) and, where there are none,
 * function calls (function_probes.c). Each belongs to a group, and may be missing in a kernel; the
 * view "paths" says which are.
 */
#ifndef KMEMTRACE_SOURCES_H
#define KMEMTRACE_SOURCES_H

#include <linux/types.h>

struct seq_file;

/* Groups of events, which can be chosen: bits of kmt_config.events. */
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

/* One source, and what became of it when it was last to be switched on. */
struct kmt_source {
	const char *name;
	enum kmt_group group; /* or several: it's wanted with each of them */
	bool on;
	const char *unseen; /* why it misses events, all or some; NULL: it misses none */
};

/* Writes "on", "off" or "unseen: why" behind the name. */
void kmt_source_show(struct seq_file *seq, const struct kmt_source *source);

#endif /* KMEMTRACE_SOURCES_H */

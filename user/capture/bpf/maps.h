/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The maps that the BPF programs and this process both have in memory. This process loaded the
 * programs, or an earlier one pinned them.
 */
#ifndef KMT_CAPTURE_BPF_MAPS_H
#define KMT_CAPTURE_BPF_MAPS_H

#include <glib.h>

#include "bpf/kmemtrace_bpf.h"
#include "capture/bpf/stack_tree.h"

struct bpf_object;

/* Words of the table of stacks before the first stack. */
#define BPF_MAPS_STACKS_FIRST (sizeof(struct kmemtrace_stack_table) / sizeof(guint64))

enum {
	BPF_MAPS_RINGS,
	BPF_MAPS_SUBBUFS,
	BPF_MAPS_STACKS,
	BPF_MAPS_CACHES,
	BPF_MAPS_MODULES,
	BPF_MAPS_FUNCTIONS,
	BPF_MAPS_STATE,
	/* Only the process that loaded the programs needs these: they are not pinned. */
	BPF_MAPS_FILES,
	BPF_MAPS_NODES,
	BPF_MAPS_NODE_SLOTS,
	BPF_MAPS_WHOLES,
	BPF_MAPS_MISSES,
	BPF_MAPS_CHUNK,
	BPF_MAPS_NR,
};

/* What tracing needs from the maps; pointers are shared with the programs. */
typedef struct {
	struct kmt_bpf_ring *rings;   /* by CPU */
	guint8 *subbufs;              /* of CPU 0, CPU 1, … */
	gsize subbuf_bytes;           /* from one to the next */
	guint64 *stacks;              /* the table, as in kmemtrace_abi.h */
	struct kmt_bpf_cache *caches; /* KMT_BPF_CACHES */
	struct kmt_bpf_module *modules;
	struct kmt_bpf_function *functions;
	struct kmt_bpf_file *files;  /* KMT_BPF_FILES if user stacks are recorded */
	StackTreeMaps tree;          /* of stacks that are recognized */
	struct kmt_bpf_miss *misses; /* KMT_BPF_MISSES */
	struct kmt_bpf_state *state;
	guint cpus;       /* CPUs that have sub-buffers */
	guint ring_count; /* also for CPUs that may be added */
	guint64 records;  /* of each sub-buffer */
	gsize record_bytes;
	guint64 subbuf_count;
	struct {
		void *memory;
		gsize bytes;
	} mapped[BPF_MAPS_NR];
} BpfMaps;

/* Fills in the numbers that follow from @config. */
void bpf_maps_configure(BpfMaps *maps, const struct kmt_bpf_config *config, guint ring_count);

/* Sets the sizes of the maps of @object, which is not loaded yet, that depend on @config. */
gboolean bpf_maps_size(const BpfMaps *maps, const struct kmt_bpf_config *config,
		       const struct bpf_object *object);

/* Maps the memory of a single map. FALSE with an errno. */
gboolean bpf_maps_map(BpfMaps *maps, guint at, const struct bpf_object *object);

/* Maps the memory of all maps. FALSE with an errno. */
gboolean bpf_maps_map_all(BpfMaps *maps, const struct kmt_bpf_config *config,
			  const struct bpf_object *object);
void bpf_maps_unmap(BpfMaps *maps);

/* Pins the maps that later processes need. */
gboolean bpf_maps_pin(const struct bpf_object *object, GError **error);

/* Maps the memory of pinned maps, if their types and sizes are those of @config. */
gboolean bpf_maps_open(BpfMaps *maps, const struct kmt_bpf_config *config, GError **error);

#endif

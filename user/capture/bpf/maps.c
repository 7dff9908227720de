// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/bpf/maps.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "capture/bpf/pins.h"
#include "capture/tracer/control_class.h"

#define MAPS_PINNED BPF_MAPS_FILES /* the first map that is not pinned */

/* @pin: its name in the folder of pins, where dots are not allowed. */
static const struct {
	const char *name, *pin;
} names[BPF_MAPS_NR] = {
	[BPF_MAPS_RINGS] = { "rings", "rings" },
	[BPF_MAPS_SUBBUFS] = { "subbufs", "subbufs" },
	[BPF_MAPS_STACKS] = { "stacks", "stacks" },
	[BPF_MAPS_CACHES] = { "caches", "caches" },
	[BPF_MAPS_MODULES] = { "modules", "modules" },
	[BPF_MAPS_FUNCTIONS] = { "functions", "functions" },
	[BPF_MAPS_STATE] = { ".bss", "state" },
	[BPF_MAPS_FILES] = { "files", NULL },
	[BPF_MAPS_NODES] = { "nodes", NULL },
	[BPF_MAPS_NODE_SLOTS] = { "node_slots", NULL },
	[BPF_MAPS_WHOLES] = { "wholes", NULL },
	[BPF_MAPS_MISSES] = { "misses", NULL },
	[BPF_MAPS_CHUNK] = { "chunk", NULL },
};

void bpf_maps_configure(BpfMaps *maps, const struct kmt_bpf_config *config, guint ring_count)
{
	maps->cpus = config->cpus;
	maps->ring_count = ring_count;
	maps->records = config->records;
	maps->subbuf_count = config->subbufs;
	maps->record_bytes = config->record_bytes;
	maps->subbuf_bytes =
		sizeof(struct kmemtrace_subbuf_header) + maps->records * maps->record_bytes;
}

/* Returns the size of a table that only user stacks need: one entry without them. */
static guint32 only_for_users(const struct kmt_bpf_config *config, guint32 entries)
{
	return config->user_stacks ? entries : 1;
}

static struct bpf_map *find_map(const struct bpf_object *object, const char *name)
{
	return bpf_object__find_map_by_name(object, name);
}

gboolean bpf_maps_size(const BpfMaps *maps, const struct kmt_bpf_config *config,
		       const struct bpf_object *object)
{
	return !bpf_map__set_max_entries(find_map(object, "rings"), maps->ring_count) &&
	       !bpf_map__set_value_size(find_map(object, "subbufs"), maps->subbuf_bytes) &&
	       !bpf_map__set_max_entries(find_map(object, "subbufs"),
					 maps->cpus * maps->subbuf_count) &&
	       !bpf_map__set_max_entries(find_map(object, "stacks"), config->stack_words) &&
	       !bpf_map__set_max_entries(find_map(object, "stack_slots"), config->stack_slots) &&
	       !bpf_map__set_max_entries(find_map(object, "nodes"), config->nodes) &&
	       !bpf_map__set_max_entries(find_map(object, "node_slots"), config->node_slots) &&
	       !bpf_map__set_max_entries(find_map(object, "wholes"), config->wholes) &&
	       !bpf_map__set_max_entries(find_map(object, "files"),
					 only_for_users(config, KMT_BPF_FILES)) &&
	       !bpf_map__set_max_entries(find_map(object, "file_slots"),
					 only_for_users(config, KMT_BPF_FILE_SLOTS)) &&
	       !bpf_map__set_initial_value(find_map(object, ".rodata"), config, sizeof(*config));
}

/* ---- memory ---- */

static gsize whole_pages(gsize bytes)
{
	gsize page = sysconf(_SC_PAGESIZE);

	return (bytes + page - 1) / page * page;
}

/* The values of an array are at multiples of eight bytes. */
static gboolean map_memory(BpfMaps *maps, guint at, int fd, guint64 value_size, guint64 entries)
{
	gsize bytes = whole_pages((value_size + 7) / 8 * 8 * entries);
	void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (memory == MAP_FAILED)
		return FALSE;
	maps->mapped[at].memory = memory;
	maps->mapped[at].bytes = bytes;
	return TRUE;
}

gboolean bpf_maps_map(BpfMaps *maps, guint at, const struct bpf_object *object)
{
	const struct bpf_map *map = find_map(object, names[at].name);

	return map_memory(maps, at, bpf_map__fd(map), bpf_map__value_size(map),
			  bpf_map__max_entries(map));
}

void bpf_maps_unmap(BpfMaps *maps)
{
	for (guint i = 0; i < BPF_MAPS_NR; i++) {
		if (maps->mapped[i].memory)
			munmap(maps->mapped[i].memory, maps->mapped[i].bytes);
	}
}

static void set_pointers(BpfMaps *maps, const struct kmt_bpf_config *config)
{
	maps->rings = maps->mapped[BPF_MAPS_RINGS].memory;
	maps->subbufs = maps->mapped[BPF_MAPS_SUBBUFS].memory;
	maps->stacks = maps->mapped[BPF_MAPS_STACKS].memory;
	maps->caches = maps->mapped[BPF_MAPS_CACHES].memory;
	maps->modules = maps->mapped[BPF_MAPS_MODULES].memory;
	maps->functions = maps->mapped[BPF_MAPS_FUNCTIONS].memory;
	maps->files = maps->mapped[BPF_MAPS_FILES].memory;
	maps->state = maps->mapped[BPF_MAPS_STATE].memory;
	maps->tree = (StackTreeMaps){
		.nodes = maps->mapped[BPF_MAPS_NODES].memory,
		.slots = maps->mapped[BPF_MAPS_NODE_SLOTS].memory,
		.wholes = maps->mapped[BPF_MAPS_WHOLES].memory,
		.node_count = config->nodes,
		.slot_count = config->node_slots,
		.whole_count = config->wholes,
	};
	maps->misses = maps->mapped[BPF_MAPS_MISSES].memory;
}

gboolean bpf_maps_map_all(BpfMaps *maps, const struct kmt_bpf_config *config,
			  const struct bpf_object *object)
{
	for (guint i = 0; i < BPF_MAPS_NR; i++) {
		if (!bpf_maps_map(maps, i, object))
			return FALSE;
	}
	set_pointers(maps, config);
	return TRUE;
}

/* ---- pinned ---- */

gboolean bpf_maps_pin(const struct bpf_object *object, GError **error)
{
	for (guint i = 0; i < MAPS_PINNED; i++) {
		if (!pins_put(names[i].pin, bpf_map__fd(find_map(object, names[i].name)), error))
			return FALSE;
	}
	return TRUE;
}

/* Returns the sizes that the pinned map @at must have. */
static void find_sizes(const BpfMaps *maps, const struct kmt_bpf_config *config, guint at,
		       guint64 *value_size, guint64 *entries)
{
	const guint64 sizes[MAPS_PINNED][2] = {
		[BPF_MAPS_RINGS] = { sizeof(struct kmt_bpf_ring), maps->ring_count },
		[BPF_MAPS_SUBBUFS] = { maps->subbuf_bytes,
				       (guint64)maps->cpus * maps->subbuf_count },
		[BPF_MAPS_STACKS] = { sizeof(guint64), config->stack_words },
		[BPF_MAPS_CACHES] = { sizeof(struct kmt_bpf_cache), KMT_BPF_CACHES },
		[BPF_MAPS_MODULES] = { sizeof(struct kmt_bpf_module), KMT_BPF_MODULES },
		[BPF_MAPS_FUNCTIONS] = { sizeof(struct kmt_bpf_function), KMT_BPF_FUNCTIONS },
		[BPF_MAPS_STATE] = { sizeof(struct kmt_bpf_state), 1 },
	};

	*value_size = sizes[at][0];
	*entries = sizes[at][1];
}

static gboolean is_as_expected(int fd, guint64 value_size, guint64 entries)
{
	struct bpf_map_info info = { 0 };
	guint32 len = sizeof(info);

	return !bpf_obj_get_info_by_fd(fd, &info, &len) && info.type == BPF_MAP_TYPE_ARRAY &&
	       info.map_flags & BPF_F_MMAPABLE && info.value_size == value_size &&
	       info.max_entries == entries;
}

static gboolean open_pinned(BpfMaps *maps, const struct kmt_bpf_config *config, guint at,
			    GError **error)
{
	int fd = pins_get(names[at].pin, PINS_MAP);
	guint64 value_size, entries;
	gboolean fine;

	find_sizes(maps, config, at, &value_size, &entries);
	fine = fd >= 0 && is_as_expected(fd, value_size, entries) &&
	       map_memory(maps, at, fd, value_size, entries);
	if (fd >= 0)
		close(fd);
	return fine || pins_fail_content(names[at].pin, error);
}

gboolean bpf_maps_open(BpfMaps *maps, const struct kmt_bpf_config *config, GError **error)
{
	for (guint i = 0; i < MAPS_PINNED; i++) {
		if (!open_pinned(maps, config, i, error))
			return FALSE;
	}
	set_pointers(maps, config);
	return TRUE;
}

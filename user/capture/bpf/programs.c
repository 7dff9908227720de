// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/bpf/programs.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "bpf/by_hot.skel.h"
#include "bpf/by_stack.skel.h"
#include "bpf/kmemtrace.skel.h"
#include "capture/bpf/kernel_config.h"
#include "capture/bpf/learn.h"
#include "capture/bpf/sources.h"
#include "capture/bpf/symbols.h"
#include "capture/tracer/control_class.h"
#include "capture/tracer/rights.h"

/* Without stacks programs are short; by the stack alone, a third one can't know that it must. */
#define TURNS_FEW 2
#define WAIT_US   (G_USEC_PER_SEC / 2) /* longer than any program takes */
/* Memory has holes, so that it reaches farther than its size; vmalloc space begins much farther. */
#define LINEAR_FACTOR     4
#define LINEAR_BYTES_MORE (G_GUINT64_CONSTANT(16) << 30)
#define STACK_SLOT_BYTES  64 /* of the table of stacks, for each place of its hash table */

enum { FIRST, WAYS = KMT_BPF_TURNS }; /* the programs of a tracepoint */

struct BpfPrograms {
	struct bpf_object *object;
	gboolean by_stack; /* contexts are told apart by the stack: threads and others */
	struct kmt_bpf_config config;
	struct kmt_bpf_state *state;             /* shared */
	guint64 missed_before[KMT_BPF_PROGRAMS]; /* by first programs, until all were attached */
	guint64 missed[KMT_BPF_PROGRAMS];        /* by them since, once recording has ended */
	struct bpf_program *programs[KMT_BPF_PROGRAMS][WAYS]; /* NULL: not wanted */
	struct bpf_link *links[KMT_BPF_PROGRAMS][WAYS];
	BpfMaps maps;
	gsize ring_bytes, subbufs_bytes, stacks_bytes, caches_bytes, modules_bytes, functions_bytes;
	guint64 slots_bytes;
};

/* ---- before ---- */

gboolean bpf_programs_check(GError **error)
{
	g_autofree char *mode = rights_lockdown();

	if (!rights_has(RIGHTS_SYS_ADMIN) &&
	    !(rights_has(RIGHTS_BPF) && rights_has(RIGHTS_PERFMON)))
		return control_fail(
			error, CAPTURE_ERROR_NOT_ROOT,
			"BPF programs need root, or CAP_BPF and CAP_PERFMON: try again with sudo");
	if (g_strcmp0(mode, "confidentiality") == 0)
		return control_fail(
			error, CAPTURE_ERROR_NO_TRACER,
			"the kernel is locked down (confidentiality): nobody may trace it; boot without lockdown=confidentiality");
	if (access("/sys/kernel/btf/vmlinux", R_OK))
		return control_fail(
			error, CAPTURE_ERROR_NO_TRACER,
			"this kernel has no BTF (CONFIG_DEBUG_INFO_BTF), which BPF programs need: the module traces it (--source module)");
	return TRUE;
}

/* ---- loading ---- */

static int print_nothing(enum libbpf_print_level level, const char *format, va_list args)
{
	if (level == LIBBPF_WARN && g_getenv("KMEMTRACE_BPF_DEBUG"))
		return vfprintf(stderr, format, args);
	return 0;
}

static guint64 power_of_two(guint64 number)
{
	guint64 power = 1;

	while (power * 2 <= number)
		power *= 2;
	return power;
}

static void configure(BpfPrograms *programs, const BpfSettings *settings, const struct btf *btf,
		      const BpfSymbols *symbols)
{
	struct kmt_bpf_config *config = &programs->config;
	BpfMaps *maps = &programs->maps;

	maps->records = MIN((settings->subbuf_size - sizeof(struct kmemtrace_subbuf_header)) /
				    sizeof(struct kmemtrace_record),
			    KMT_BPF_HEAD_USED);
	maps->subbuf_count = power_of_two(settings->subbufs);
	maps->subbuf_bytes = sizeof(struct kmemtrace_subbuf_header) +
			     maps->records * sizeof(struct kmemtrace_record);
	*config = (struct kmt_bpf_config){
		.turns = programs->by_stack || !settings->stack_depth ? TURNS_FEW : KMT_BPF_TURNS,
		.subbufs = maps->subbuf_count,
		.records = maps->records,
		.overwrite = settings->overwrite,
		.stack_depth = settings->stack_depth,
		.stack_words = settings->stack_bytes / sizeof(guint64),
		.stack_slots = power_of_two(settings->stack_bytes / STACK_SLOT_BYTES),
		.min_size = settings->min_size,
		.slab = bpf_source_is_wanted("slab", settings->events),
		.vmalloc = bpf_source_is_wanted("vmalloc", settings->events),
	};
	kernel_config_fill(config, btf, symbols);
	maps->cpus = config->cpus;
}

static struct bpf_map *find_map(const BpfPrograms *programs, const char *name)
{
	return bpf_object__find_map_by_name(programs->object, name);
}

static struct bpf_program *find_program(const BpfPrograms *programs, const char *name)
{
	return bpf_object__find_program_by_name(programs->object, name);
}

static gboolean size_maps(BpfPrograms *programs)
{
	const struct kmt_bpf_config *config = &programs->config;
	const BpfMaps *maps = &programs->maps;
	int possible = libbpf_num_possible_cpus();
	guint ring_count = programs->maps.ring_count = MAX((int)maps->cpus, possible);

	programs->ring_bytes = (gsize)ring_count * sizeof(struct kmt_bpf_ring);
	programs->subbufs_bytes = maps->subbuf_bytes * maps->cpus * maps->subbuf_count;
	programs->stacks_bytes = config->stack_words * sizeof(guint64);
	programs->caches_bytes = KMT_BPF_CACHES * sizeof(struct kmt_bpf_cache);
	programs->modules_bytes = KMT_BPF_MODULES * sizeof(struct kmt_bpf_module);
	programs->functions_bytes = KMT_BPF_FUNCTIONS * sizeof(struct kmt_bpf_function);
	programs->slots_bytes = config->stack_slots * sizeof(guint64);
	return !bpf_map__set_max_entries(find_map(programs, "rings"), ring_count) &&
	       !bpf_map__set_value_size(find_map(programs, "subbufs"), maps->subbuf_bytes) &&
	       !bpf_map__set_max_entries(find_map(programs, "subbufs"),
					 maps->cpus * maps->subbuf_count) &&
	       !bpf_map__set_max_entries(find_map(programs, "stacks"), config->stack_words) &&
	       !bpf_map__set_max_entries(find_map(programs, "stack_slots"), config->stack_slots) &&
	       !bpf_map__set_initial_value(find_map(programs, ".rodata"), config, sizeof(*config));
}

static gsize whole_pages(gsize bytes)
{
	gsize page = sysconf(_SC_PAGESIZE);

	return (bytes + page - 1) / page * page;
}

static void *map_memory(const struct bpf_map *map, gsize bytes)
{
	void *memory = mmap(NULL, whole_pages(bytes), PROT_READ | PROT_WRITE, MAP_SHARED,
			    bpf_map__fd(map), 0);

	return memory == MAP_FAILED ? NULL : memory;
}

static gboolean map_all(BpfPrograms *programs, GError **error)
{
	BpfMaps *maps = &programs->maps;

	maps->rings = map_memory(find_map(programs, "rings"), programs->ring_bytes);
	maps->subbufs = map_memory(find_map(programs, "subbufs"), programs->subbufs_bytes);
	maps->stacks = map_memory(find_map(programs, "stacks"), programs->stacks_bytes);
	maps->caches = map_memory(find_map(programs, "caches"), programs->caches_bytes);
	maps->modules = map_memory(find_map(programs, "modules"), programs->modules_bytes);
	maps->functions = map_memory(find_map(programs, "functions"), programs->functions_bytes);
	programs->state = map_memory(find_map(programs, ".bss"), sizeof(*programs->state));
	if (maps->rings && maps->subbufs && maps->stacks && maps->caches && maps->modules &&
	    maps->functions && programs->state) {
		programs->state->stack_words =
			sizeof(struct kmemtrace_stack_table) / sizeof(guint64);
		maps->state = programs->state;
		return TRUE;
	}
	return control_fail(error, CAPTURE_ERROR_FAILED, "can't map the buffers: %s",
			    g_strerror(errno));
}

static void unmap(void *memory, gsize bytes)
{
	if (memory)
		munmap(memory, whole_pages(bytes));
}

static void detach_all(BpfPrograms *programs)
{
	for (guint at = KMT_BPF_PROGRAMS * WAYS; at-- > 0;) {
		struct bpf_link **link = &programs->links[at / WAYS][at % WAYS];

		if (*link)
			bpf_link__destroy(*link);
		*link = NULL;
	}
}

void bpf_programs_free(BpfPrograms *programs)
{
	if (!programs)
		return;
	detach_all(programs);
	unmap(programs->maps.rings, programs->ring_bytes);
	unmap(programs->maps.subbufs, programs->subbufs_bytes);
	unmap(programs->maps.stacks, programs->stacks_bytes);
	unmap(programs->maps.caches, programs->caches_bytes);
	unmap(programs->maps.modules, programs->modules_bytes);
	unmap(programs->maps.functions, programs->functions_bytes);
	unmap(programs->state, sizeof(*programs->state));
	bpf_object__close(programs->object);
	g_free(programs);
}

static gboolean fail_load(int code, GError **error)
{
	if (code == EPERM)
		return control_fail(
			error, CAPTURE_ERROR_NOT_ROOT,
			"the kernel refuses BPF programs (%s): they need root, or CAP_BPF and CAP_PERFMON, and no lockdown=confidentiality",
			g_strerror(code));
	if (code == ENOSYS)
		return control_fail(error, CAPTURE_ERROR_NO_TRACER,
				    "this kernel has no BPF (CONFIG_BPF_SYSCALL)");
	if (code == ENOMEM)
		return control_fail(error, CAPTURE_ERROR_FAILED,
				    "the kernel has no memory for the buffers (smaller ones: -m)");
	return control_fail(error, CAPTURE_ERROR_FAILED, "can't load the BPF programs: %s",
			    g_strerror(code));
}

static void choose(BpfPrograms *programs, const char *events, const struct btf *btf)
{
	for (guint i = 0; i < KMT_BPF_PROGRAMS; i++) {
		g_autofree char *why = bpf_source_unseen(&bpf_sources[i], btf);
		gboolean wanted = !why && bpf_source_is_wanted(bpf_sources[i].groups, events);
		g_autofree char *second = g_strconcat(bpf_sources[i].program, "_2", NULL);
		g_autofree char *third = g_strconcat(bpf_sources[i].program, "_3", NULL);
		struct bpf_program *all[WAYS] = {
			find_program(programs, bpf_sources[i].program),
			bpf_sources[i].args ? find_program(programs, second) : NULL,
			bpf_sources[i].args ? find_program(programs, third) : NULL,
		};

		if (wanted && !bpf_sources[i].args)
			bpf_program__set_attach_target(all[FIRST], 0,
						       bpf_source_function(&bpf_sources[i], btf));
		for (guint way = FIRST; way < WAYS; way++) {
			if (wanted && way < programs->config.turns)
				programs->programs[i][way] = all[way];
			else if (all[way])
				bpf_program__set_autoload(all[way], FALSE);
		}
	}
}

static gboolean load(BpfPrograms *programs, const BpfSettings *settings, const BpfMemory *memory,
		     const struct btf *btf, const BpfSymbols *symbols, GError **error)
{
	int ret;

	configure(programs, settings, btf, symbols);
	choose(programs, settings->events, btf);
	ret = size_maps(programs) ? bpf_object__load(programs->object) : -EINVAL;
	if (ret)
		return fail_load(-ret, error);
	if (!map_all(programs, error))
		return FALSE;
	programs->state->vmemmap = memory->vmemmap;
	programs->state->linear_base = memory->linear_base;
	programs->state->linear_bytes =
		(guint64)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE) * LINEAR_FACTOR +
		LINEAR_BYTES_MORE;
	return TRUE;
}

/* Those that know where this kernel counts its contexts, if kallsyms shows that. */
static struct bpf_object *open_object(BpfPrograms *programs, const BpfSymbols *symbols,
				      const struct btf *btf)
{
	size_t size;
	const void *bytes;

	if (bpf_symbols_find(symbols, "pcpu_hot") &&
	    btf__find_by_name_kind(btf, "pcpu_hot", BTF_KIND_VAR) > 0) {
		bytes = kmt_by_hot__elf_bytes(&size);
	} else if (bpf_symbols_find(symbols, "__preempt_count") &&
		   btf__find_by_name_kind(btf, "__preempt_count", BTF_KIND_VAR) > 0) {
		bytes = kmt_kmemtrace__elf_bytes(&size);
	} else {
		programs->by_stack = TRUE;
		bytes = kmt_by_stack__elf_bytes(&size);
	}
	return bpf_object__open_mem(bytes, size, NULL);
}

/* What both loads begin with. */
static gboolean begin_load(BpfPrograms *programs, const BpfSymbols *symbols, struct btf **btf,
			   GError **error)
{
	libbpf_set_print(print_nothing);
	*btf = btf__load_vmlinux_btf();
	if (*btf && (programs->object = open_object(programs, symbols, *btf)))
		return TRUE;
	fail_load(errno, error);
	btf__free(*btf);
	return FALSE;
}

BpfPrograms *bpf_programs_load(const BpfSettings *settings, const BpfMemory *memory, GError **error)
{
	g_autoptr(BpfPrograms) programs = g_new0(BpfPrograms, 1);
	g_autoptr(BpfSymbols) symbols = bpf_symbols_read();
	struct btf *btf;
	gboolean fine;

	if (!begin_load(programs, symbols, &btf, error))
		return NULL;
	fine = load(programs, settings, memory, btf, symbols, error);
	btf__free(btf);
	return fine ? g_steal_pointer(&programs) : NULL;
}

/* The programs that learn.c needs, and no more. */
static gboolean load_to_learn(BpfPrograms *programs, GError **error)
{
	struct bpf_program *peek = find_program(programs, "kmt_peek"), *program;
	struct bpf_program *pages = find_program(programs, "kmt_learn_pages");
	int ret;

	bpf_object__for_each_program(program, programs->object)
		bpf_program__set_autoload(program, program == peek || program == pages);
	ret = bpf_object__load(programs->object);
	if (ret)
		return fail_load(-ret, error);
	programs->state = map_memory(find_map(programs, ".bss"), sizeof(*programs->state));
	return programs->state || fail_load(errno, error);
}

gboolean bpf_programs_learn(BpfMemory *memory, GError **error)
{
	g_autoptr(BpfPrograms) programs = g_new0(BpfPrograms, 1);
	g_autoptr(BpfSymbols) symbols = bpf_symbols_read();
	const struct btf_type *page;
	struct btf *btf;
	gboolean fine;

	if (!begin_load(programs, symbols, &btf, error))
		return FALSE;
	page = btf__type_by_id(btf, btf__find_by_name_kind(btf, "page", BTF_KIND_STRUCT));
	fine = load_to_learn(programs, error) &&
	       learn_memory(symbols, find_program(programs, "kmt_peek"),
			    find_program(programs, "kmt_learn_pages"), &programs->state->learn,
			    page ? page->size : 0, &memory->linear_base, &memory->vmemmap, error);
	btf__free(btf);
	return fine;
}

/* ---- tracing ---- */

static struct bpf_link *attach(struct bpf_program *program, guint i)
{
	return bpf_sources[i].args
		       ? bpf_program__attach_raw_tracepoint(program, bpf_sources[i].name)
		       : bpf_program__attach(program);
}

static guint64 missed_by(const struct bpf_program *program)
{
	struct bpf_prog_info info = { 0 };
	guint32 len = sizeof(info);

	if (!program || bpf_obj_get_info_by_fd(bpf_program__fd(program), &info, &len))
		return 0;
	return info.recursion_misses;
}

/* Of the first programs, by source, without @before if that is not NULL. */
static void count_missed(const BpfPrograms *programs, const guint64 *before, guint64 *missed)
{
	for (guint i = 0; i < KMT_BPF_PROGRAMS; i++)
		missed[i] = missed_by(programs->programs[i][FIRST]) - (before ? before[i] : 0);
}

/*
 * Programs of a tracepoint are called in the order in which they were attached. Nothing is recorded
 * until all are: what one of them misses must find the next one.
 */
gboolean bpf_programs_attach(BpfPrograms *programs, GError **error)
{
	for (guint at = 0; at < KMT_BPF_PROGRAMS * WAYS; at++) {
		/* Those of modules are the last of all, and come first. */
		guint i = KMT_BPF_PROGRAMS - 1 - at / WAYS, way = at % WAYS;

		if (!programs->programs[i][way] || programs->links[i][way])
			continue;
		programs->links[i][way] = attach(programs->programs[i][way], i);
		if (!programs->links[i][way])
			return control_fail(error, CAPTURE_ERROR_FAILED, "can't trace %s: %s",
					    bpf_sources[i].name, g_strerror(errno));
	}
	count_missed(programs, NULL, programs->missed_before);
	__atomic_store_n(&programs->state->enabled, 1, __ATOMIC_SEQ_CST);
	return TRUE;
}

/*
 * Waits until no program runs any more on another CPU: when a map in a map is replaced, the kernel
 * waits for an RCU grace period.
 */
static void wait_for_programs(void)
{
	int inner = bpf_map_create(BPF_MAP_TYPE_ARRAY, NULL, 4, 4, 1, NULL), outer;
	LIBBPF_OPTS(bpf_map_create_opts, options, .inner_map_fd = inner);
	guint32 key = 0;

	outer = bpf_map_create(BPF_MAP_TYPE_ARRAY_OF_MAPS, NULL, 4, 4, 1, &options);
	if (outer < 0 || bpf_map_update_elem(outer, &key, &inner, 0))
		g_usleep(WAIT_US);
	if (outer >= 0)
		close(outer);
	if (inner >= 0)
		close(inner);
}

void bpf_programs_detach(BpfPrograms *programs)
{
	__atomic_store_n(&programs->state->enabled, 0, __ATOMIC_SEQ_CST);
	count_missed(programs, programs->missed_before, programs->missed);
	wait_for_programs();
	detach_all(programs);
}

void bpf_programs_abandon(const BpfPrograms *programs)
{
	__atomic_store_n(&programs->state->enabled, 0, __ATOMIC_SEQ_CST);
}

const BpfMaps *bpf_programs_maps(const BpfPrograms *programs)
{
	return &programs->maps;
}

/* What later programs missed, the first ones missed, too, or they had it. */
guint64 bpf_programs_missed(const BpfPrograms *programs)
{
	guint64 missed[KMT_BPF_PROGRAMS], sum = 0;

	if (programs->state->enabled)
		count_missed(programs, programs->missed_before, missed);
	else
		memcpy(missed, programs->missed, sizeof(missed));
	for (guint i = 0; i < KMT_BPF_PROGRAMS; i++) {
		for (guint cpu = 0; cpu < programs->maps.ring_count; cpu++)
			missed[i] -= MIN(missed[i], programs->maps.rings[cpu].taken[i]);
		sum += missed[i];
	}
	return sum;
}

void bpf_programs_memory(const BpfPrograms *programs, guint64 *buffers, guint64 *stacks,
			 guint64 *names)
{
	*buffers = programs->subbufs_bytes + programs->ring_bytes;
	*stacks = programs->stacks_bytes + programs->slots_bytes;
	*names = programs->caches_bytes + programs->modules_bytes + programs->functions_bytes;
}

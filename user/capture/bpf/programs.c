// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/bpf/programs.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/subuids.h"
#include "bpf/by_hot.skel.h"
#include "bpf/by_stack.skel.h"
#include "bpf/by_stack_direct.skel.h"
#include "bpf/direct.skel.h"
#include "bpf/kmemtrace.skel.h"
#include "bpf/preemptible.skel.h"
#include "capture/bpf/function_check.h"
#include "capture/bpf/grace.h"
#include "capture/bpf/kernel_btf.h"
#include "capture/bpf/kernel_config.h"
#include "capture/bpf/kernel_modules.h"
#include "capture/bpf/learn.h"
#include "capture/bpf/links.h"
#include "capture/bpf/sources.h"
#include "capture/bpf/symbols.h"
#include "capture/bpf/teacher.h"
#include "capture/tracer/control_class.h"
#include "capture/tracer/rights.h"

/* Physical memory has holes, so its addresses go beyond its size. vmalloc space is far above. */
#define LINEAR_FACTOR     4
#define LINEAR_BYTES_MORE (G_GUINT64_CONSTANT(16) << 30)
#define STACK_NODE_BYTES  256 /* of the table of stacks, for each node of the tree of stacks */
#define WHOLE_NODES       4   /* nodes for each whole stack */
#define NODE_SLOTS        4   /* slots of the hash table, for each node */
#define SETTLE_TRIES      50
#define SETTLE_US         2000

#define PIN_MARK    "kmt_mark" /* programs are pinned under their names */
#define PIN_NEWTASK "follow"   /* a link that stays during pauses */

struct BpfPrograms {
	struct bpf_object *object; /* NULL: they were pinned before */
	BpfKept *kept;             /* .own, or that of the pinned session */
	BpfKept own;
	gboolean is_pinned;          /* they are or will be pinned, and stay */
	struct kmt_bpf_state *state; /* shared with the programs */
	BpfFds programs;
	BpfLinks *links; /* NULL: for learning only */
	int mark;
	BpfFilter *filter;
	BpfMaps maps;
	gboolean was_attached;
	Teacher *teacher;         /* NULL: all stacks are unwound */
	GHashTable *module_sizes; /* as kernel_modules_sizes(); NULL: they were pinned before */
};

/* ---- requirements ---- */

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
	if (access(KERNEL_BTF, R_OK))
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

static void set_subuids(struct kmt_bpf_config *config, const GArray *ranges)
{
	for (guint i = 0; ranges && i < ranges->len; i++) {
		const SubuidRange *range = &g_array_index(ranges, SubuidRange, i);

		config->subuids[config->subuid_count++] =
			(struct kmt_bpf_subuids){ range->first, range->last, range->owner };
	}
}

static void configure(BpfPrograms *programs, const BpfSettings *settings, const BpfSymbols *symbols)
{
	struct kmt_bpf_config *config = &programs->kept->config;
	guint64 tree_bytes = settings->is_pinned ? 0 : settings->stack_bytes;
	gsize record_bytes = settings->user_stacks ? sizeof(struct kmemtrace_record_user)
						   : sizeof(struct kmemtrace_record);

	*config = (struct kmt_bpf_config){
		.subbufs = power_of_two(settings->subbufs),
		.records = MIN((settings->subbuf_size - sizeof(struct kmemtrace_subbuf_header)) /
				       record_bytes,
			       KMT_BPF_HEAD_USED),
		.record_bytes = record_bytes,
		.user_stacks = settings->user_stacks,
		.overwrite = settings->overwrite,
		.stack_depth = settings->stack_depth,
		.stack_words = settings->stack_bytes / sizeof(guint64),
		.stack_factor = (guint64)g_random_int() << 32 | g_random_int() | 1,
		.nodes = MAX(power_of_two(tree_bytes / STACK_NODE_BYTES), 2 * KMT_BPF_ROOTS),
		.verify = g_getenv("KMEMTRACE_BPF_VERIFY") != NULL,
		.slab = bpf_source_is_wanted("slab", settings->events),
		.vmalloc = bpf_source_is_wanted("vmalloc", settings->events),
	};
	config->stack_slots = 2 * power_of_two(config->stack_words / KMT_BPF_SLOT_WORDS);
	bpf_filter_configure(config, settings->filter);
	set_subuids(config, settings->subuids);
	config->node_slots = config->nodes * NODE_SLOTS;
	config->wholes = MAX(config->nodes / WHOLE_NODES, 2);
	kernel_config_fill(config, symbols);
	programs->kept->ring_count = MAX((int)config->cpus, libbpf_num_possible_cpus());
	programs->kept->slots_bytes = config->stack_slots * sizeof(guint64);
	bpf_maps_configure(&programs->maps, config, programs->kept->ring_count);
}

/* Not for pinned programs, which have no object. */
static struct bpf_program *find_program(const BpfPrograms *programs, const char *name)
{
	return bpf_object__find_program_by_name(programs->object, name);
}

static BpfPrograms *new_programs(void)
{
	BpfPrograms *programs = g_new0(BpfPrograms, 1);

	programs->kept = &programs->own;
	bpf_fds_clear(&programs->programs);
	programs->mark = -1;
	return programs;
}

void bpf_programs_free(BpfPrograms *programs)
{
	if (!programs)
		return;
	bpf_links_free(programs->links);
	bpf_filter_free(programs->filter);
	teacher_free(programs->teacher);
	g_clear_pointer(&programs->module_sizes, g_hash_table_unref);
	bpf_maps_unmap(&programs->maps);
	if (!programs->object) { /* if there is one, it owns them */
		bpf_fds_close(&programs->programs);
		if (programs->mark >= 0)
			close(programs->mark);
	}
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

/* Sets the function to which the programs of a source will be attached. */
static void target(guint i, struct bpf_program *all[LINKS_WAYS])
{
	const char *function = bpf_source_function(&bpf_sources[i]);

	for (guint way = LINKS_FIRST; way < LINKS_WAYS; way++) {
		if (all[way])
			bpf_program__set_attach_target(all[way], 0, function);
	}
}

/* Returns the BTF id of the function of a source that is wanted; 0: it has none. */
static gint32 find_function(guint i, const char *events)
{
	return bpf_source_is_wanted(bpf_sources[i].groups, events)
		       ? bpf_source_function_id(&bpf_sources[i])
		       : 0;
}

/* Finds the programs of a source. NULL: the source needs fewer of them. */
static void find_programs(const BpfPrograms *programs, guint i, struct bpf_program *all[LINKS_WAYS])
{
	for (guint way = LINKS_FIRST; way < LINKS_WAYS; way++) {
		g_autofree char *name = bpf_links_name(i, way, "");

		all[way] = find_program(programs, name);
	}
}

static gboolean is_traced(const BpfPrograms *programs, guint i, const char *events)
{
	g_autofree char *why = NULL;

	if (!bpf_source_is_wanted(bpf_sources[i].groups, events) ||
	    (bpf_sources[i].instead && programs->kept->config.user_maps))
		return FALSE;
	why = bpf_source_unseen(&bpf_sources[i]);
	return !why;
}

static void choose(BpfPrograms *programs, const BpfSettings *settings)
{
	g_autofree char *events = bpf_sources_wanted(settings->events, settings->user_stacks);

	bpf_program__set_autoload(find_program(programs, "kmt_list_mms"), settings->user_stacks);
	bpf_program__set_autoload(find_program(programs, "kmt_end_pause"), settings->user_stacks);
	programs->kept->config.user_maps = is_traced(programs, KMT_BPF_MAP_REGION, events);
	for (guint i = 0; i < KMT_BPF_PROGRAMS; i++) {
		gboolean wanted = is_traced(programs, i, events);
		struct bpf_program *all[LINKS_WAYS];

		find_programs(programs, i, all);
		programs->kept->functions[i] = find_function(i, events);
		if (wanted && !bpf_sources[i].args)
			target(i, all);
		for (guint way = LINKS_FIRST; way < LINKS_WAYS && !wanted; way++) {
			if (all[way])
				bpf_program__set_autoload(all[way], FALSE);
		}
	}
}

/* Gets the descriptors of the loaded programs. */
static void take_programs(BpfPrograms *programs)
{
	for (guint i = 0; i < KMT_BPF_PROGRAMS; i++) {
		struct bpf_program *all[LINKS_WAYS];

		find_programs(programs, i, all);
		for (guint way = LINKS_FIRST; way < LINKS_WAYS; way++) {
			if (all[way] && bpf_program__autoload(all[way]))
				programs->programs.of[i][way] = bpf_program__fd(all[way]);
		}
	}
	programs->mark = bpf_program__fd(find_program(programs, PIN_MARK));
	programs->kept->is_noted = bpf_object__find_map_by_name(programs->object, "noted") != NULL;
}

static void start_teacher(BpfPrograms *programs, const BpfSymbols *symbols)
{
	const KernelMemory memory = {
		.program = bpf_program__fd(find_program(programs, "kmt_read_chunk")),
		.learn = &programs->state->learn,
		.chunk = programs->maps.mapped[BPF_MAPS_CHUNK].memory,
	};

	programs->module_sizes = kernel_modules_sizes(&memory, symbols);
	if (!programs->is_pinned)
		programs->teacher = teacher_new(&programs->maps, &memory, symbols);
	if (!programs->teacher) /* programs need not search */
		programs->state->taught = KMT_BPF_NOT_TAUGHT;
}

static guint64 count_tree_bytes(const BpfMaps *maps)
{
	return maps->mapped[BPF_MAPS_NODES].bytes + maps->mapped[BPF_MAPS_NODE_SLOTS].bytes +
	       maps->mapped[BPF_MAPS_WHOLES].bytes + maps->mapped[BPF_MAPS_MISSES].bytes;
}

static void prepare_state(BpfPrograms *programs, const BpfMemory *memory)
{
	struct kmt_bpf_state *state = programs->maps.state;

	programs->state = state;
	state->stack_words = BPF_MAPS_STACKS_FIRST;
	state->vmemmap = memory->vmemmap;
	state->linear_base = memory->linear_base;
	state->linear_bytes =
		(guint64)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE) * LINEAR_FACTOR +
		LINEAR_BYTES_MORE;
}

static gboolean load(BpfPrograms *programs, const BpfSettings *settings, const BpfMemory *memory,
		     const BpfSymbols *symbols, GError **error)
{
	int ret;

	configure(programs, settings, symbols);
	choose(programs, settings);
	programs->filter = bpf_filter_new(programs->object, settings->filter, settings->followed);
	if (!programs->filter)
		return fail_load(errno, error);
	ret = bpf_maps_size(&programs->maps, &programs->kept->config, programs->object)
		      ? bpf_object__load(programs->object)
		      : -EINVAL;
	if (ret)
		return fail_load(-ret, error);
	if (!bpf_maps_map_all(&programs->maps, &programs->kept->config, programs->object))
		return control_fail(error, CAPTURE_ERROR_FAILED, "can't map the buffers: %s",
				    g_strerror(errno));
	take_programs(programs);
	programs->kept->tree_bytes = count_tree_bytes(&programs->maps);
	prepare_state(programs, memory);
	start_teacher(programs, symbols);
	return TRUE;
}

static gboolean has_variable(const char *name, const BpfSymbols *symbols)
{
	return bpf_symbols_find(symbols, name) && kernel_btf_find(name, BTF_KIND_VAR);
}

/*
 * Returns whether threads may be preempted at tracepoints: since 7.0, which calls these under SRCU.
 * The test is for the fast kind of SRCU that this needs, which came with 6.19.
 */
static gboolean are_preemptible(void)
{
	return kernel_btf_find("init_srcu_struct_fast", BTF_KIND_FUNC) ||
	       kernel_btf_find("__init_srcu_struct_fast", BTF_KIND_FUNC);
}

/* Opens the programs that know where this kernel has its preempt count, if kallsyms shows that. */
static struct bpf_object *open_object(const BpfSymbols *symbols)
{
	/* Without this path, libbpf searches modules for types, too, which needs CAP_SYS_ADMIN. */
	LIBBPF_OPTS(bpf_object_open_opts, options, .btf_custom_path = KERNEL_BTF);
	gboolean direct = kernel_btf_find("bpf_rdonly_cast", BTF_KIND_FUNC) != 0;
	size_t size;
	const void *bytes;

	if (has_variable("pcpu_hot", symbols)) {
		bytes = kmt_by_hot__elf_bytes(&size);
	} else if (has_variable("__preempt_count", symbols)) {
		bytes = are_preemptible() ? kmt_preemptible__elf_bytes(&size)
			: direct          ? kmt_direct__elf_bytes(&size)
					  : kmt_kmemtrace__elf_bytes(&size);
	} else {
		bytes = direct ? kmt_by_stack_direct__elf_bytes(&size)
			       : kmt_by_stack__elf_bytes(&size);
	}
	return bpf_object__open_mem(bytes, size, &options);
}

/* Begins a load, of either kind. */
static gboolean begin_load(BpfPrograms *programs, const BpfSymbols *symbols, GError **error)
{
	libbpf_set_print(print_nothing);
	if (kernel_btf())
		programs->object = open_object(symbols);
	return programs->object || fail_load(errno, error);
}

BpfPrograms *bpf_programs_load(const BpfSettings *settings, const BpfMemory *memory,
			       const BpfSymbols *symbols, GError **error)
{
	g_autoptr(BpfPrograms) programs = new_programs();

	programs->is_pinned = settings->is_pinned;
	programs->links = bpf_links_new(programs->is_pinned, FALSE);
	return begin_load(programs, symbols, error) &&
			       load(programs, settings, memory, symbols, error)
		       ? g_steal_pointer(&programs)
		       : NULL;
}

/* Loads the programs that learn.c needs, and no others. */
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
	if (!bpf_maps_map(&programs->maps, BPF_MAPS_STATE, programs->object))
		return fail_load(errno, error);
	programs->state = programs->maps.mapped[BPF_MAPS_STATE].memory;
	return TRUE;
}

int bpf_programs_learn(BpfMemory *memory, const BpfSymbols *symbols, GError **error)
{
	g_autoptr(BpfPrograms) programs = new_programs();
	const struct bpf_program *pages;
	const struct btf_type *page;
	int kept;

	if (!begin_load(programs, symbols, error) || !load_to_learn(programs, error))
		return -1;
	page = kernel_btf_struct("page");
	pages = find_program(programs, "kmt_learn_pages");
	if (!learn_memory(symbols, find_program(programs, "kmt_peek"), pages,
			  &programs->state->learn, page ? page->size : 0, &memory->linear_base,
			  &memory->vmemmap, error))
		return -1;
	kept = fcntl(bpf_program__fd(pages), F_DUPFD_CLOEXEC, 0);
	if (kept < 0)
		fail_load(errno, error);
	return kept;
}

/* ---- pinned ---- */

static gboolean pin_programs(const BpfPrograms *programs, GError **error)
{
	for (guint at = 0; at < KMT_BPF_PROGRAMS * LINKS_WAYS; at++) {
		int program = programs->programs.of[at / LINKS_WAYS][at % LINKS_WAYS];
		g_autofree char *name = bpf_links_name(at / LINKS_WAYS, at % LINKS_WAYS, "");

		if (program >= 0 && !pins_put(name, program, error))
			return FALSE;
	}
	return pins_put(PIN_MARK, programs->mark, error);
}

gboolean bpf_programs_pin(BpfPrograms *programs, BpfKept *kept, GError **error)
{
	*kept = *programs->kept;
	programs->kept = kept;
	return bpf_maps_pin(programs->object, error) && bpf_filter_pin(programs->filter, error) &&
	       pin_programs(programs, error);
}

static gboolean open_program(const char *name, int *program, GError **error)
{
	*program = pins_get(name, PINS_PROGRAM);
	return *program >= 0 || control_fail(error, CAPTURE_ERROR_FAILED, "can't use %s/%s: %s",
					     PINS_FOLDER, name, g_strerror(errno));
}

/* Programs that are missing were not wanted, or their function could not be traced. */
static gboolean open_programs(BpfPrograms *programs, GError **error)
{
	for (guint at = 0; at < KMT_BPF_PROGRAMS * LINKS_WAYS; at++) {
		g_autofree char *name = bpf_links_name(at / LINKS_WAYS, at % LINKS_WAYS, "");

		if (pins_has(name) &&
		    !open_program(name, &programs->programs.of[at / LINKS_WAYS][at % LINKS_WAYS],
				  error))
			return FALSE;
	}
	return open_program(PIN_MARK, &programs->mark, error);
}

/* Notes functions that an earlier process could not trace, even if they could be traced now. */
static void note_unseen(const BpfPrograms *programs)
{
	const BpfKept *kept = programs->kept;

	for (guint i = 0; i < KMT_BPF_PROGRAMS; i++) {
		if (kept->is_busy[i])
			function_check_busy(kept->functions[i]);
		else if (kept->functions[i] && programs->programs.of[i][LINKS_FIRST] < 0)
			function_check_late(kept->functions[i]);
	}
}

BpfPrograms *bpf_programs_open(BpfKept *kept, const BpfFilterSettings *filter, GError **error)
{
	g_autoptr(BpfPrograms) programs = new_programs();

	libbpf_set_print(print_nothing);
	programs->is_pinned = TRUE;
	programs->links = bpf_links_new(TRUE, TRUE);
	programs->kept = kept;
	bpf_maps_configure(&programs->maps, &kept->config, kept->ring_count);
	if (!bpf_maps_open(&programs->maps, &kept->config, error) ||
	    !open_programs(programs, error))
		return NULL;
	programs->state = programs->maps.state;
	programs->filter = bpf_filter_open(filter, error);
	note_unseen(programs);
	return programs->filter ? g_steal_pointer(&programs) : NULL;
}

/* ---- tracing ---- */

static guint64 missed_by(int program)
{
	struct bpf_prog_info info = { 0 };
	guint32 len = sizeof(info);

	if (program < 0 || bpf_obj_get_info_by_fd(program, &info, &len))
		return 0;
	return info.recursion_misses;
}

static guint64 taken_of(const BpfPrograms *programs, guint i)
{
	guint64 taken = 0;

	for (guint cpu = 0; cpu < programs->maps.ring_count; cpu++)
		taken += programs->maps.rings[cpu].taken[i];
	return taken;
}

/* Returns how many events programs have missed since @before. */
static BpfMissed count_missed(const BpfPrograms *programs, const BpfMissed *before)
{
	BpfMissed missed;

	for (guint i = 0; i < KMT_BPF_PROGRAMS; i++) {
		/* First: events that come meanwhile may count as lost, but hide no loss. */
		missed.taken[i] = taken_of(programs, i) - before->taken[i];
		for (guint way = LINKS_FIRST; way < LINKS_WAYS; way++)
			missed.by[i][way] =
				missed_by(programs->programs.of[i][way]) - before->by[i][way];
	}
	return missed;
}

/*
 * Counts until two counts in a row are equal, or for a tenth of a second. An event between the
 * reads of a count may count as lost or, in the count before a recording, hide a lost one.
 */
static BpfMissed settle_missed(const BpfPrograms *programs, const BpfMissed *before)
{
	BpfMissed missed = count_missed(programs, before);

	for (guint i = 0; i < SETTLE_TRIES; i++) {
		BpfMissed last = missed;

		missed = count_missed(programs, before);
		if (!memcmp(last.by, missed.by, sizeof(missed.by)))
			break;
		g_usleep(SETTLE_US);
	}
	return missed;
}

gboolean bpf_programs_attach(BpfPrograms *programs, GError **error)
{
	return bpf_filter_start(programs->filter, programs->is_pinned ? PIN_NEWTASK : NULL,
				error) &&
	       bpf_links_attach(programs->links, &programs->programs, programs->kept, error);
}

void bpf_programs_look(const BpfPrograms *programs)
{
	bpf_links_look(programs->links, programs->kept);
}

/* Pinned programs do not, whatever their configuration says. */
static gboolean has_user_stacks(const BpfPrograms *programs)
{
	return programs->object && programs->kept->config.user_stacks;
}

/* Mounts and user namespaces may have been freed unseen, and their addresses reused. */
static void forget_files(const BpfPrograms *programs)
{
	guint count = has_user_stacks(programs) ? MIN(programs->state->files, KMT_BPF_FILES) : 0;

	for (guint i = 0; i < count; i++)
		programs->maps.files[i].is_forgotten = TRUE;
}

/* Records that mappings of processes have changed unseen, unless this is the first time. */
static gboolean end_pause(BpfPrograms *programs, GError **error)
{
	LIBBPF_OPTS(bpf_test_run_opts, options);
	gboolean was_attached = programs->was_attached;
	const struct bpf_program *program;

	programs->was_attached = TRUE;
	if (!was_attached || !has_user_stacks(programs))
		return TRUE;
	program = find_program(programs, "kmt_end_pause");
	return !bpf_prog_test_run_opts(bpf_program__fd(program), &options) ||
	       control_fail(error, CAPTURE_ERROR_FAILED, "can't continue: %s", g_strerror(errno));
}

void bpf_programs_record_names(BpfPrograms *programs, gboolean on)
{
	__atomic_store_n(&programs->state->names_early, on, __ATOMIC_SEQ_CST);
}

/* Events that were missed before tracing last ended still count as missed. */
gboolean bpf_programs_enable(BpfPrograms *programs, GError **error)
{
	BpfKept *kept = programs->kept;

	kept->missed_before = settle_missed(programs, &kept->missed);
	memset(programs->state->calls, 0, sizeof(programs->state->calls));
	programs->state->running = 0;
	forget_files(programs);
	programs->state->resumes++;
	__atomic_store_n(&programs->state->enabled, 1, __ATOMIC_SEQ_CST);
	bpf_programs_record_names(programs, FALSE);
	return end_pause(programs, error);
}

gboolean bpf_programs_are_enabled(const BpfPrograms *programs)
{
	return __atomic_load_n(&programs->state->enabled, __ATOMIC_SEQ_CST) != 0;
}

/* For links that are removed from @pins, the kernel itself waits until they are detached. */
gboolean bpf_programs_detach(BpfPrograms *programs, const Pins *pins, GError **error)
{
	bpf_links_release(programs->links);
	return !pins || pins_drop(pins, LINKS_PIN, error);
}

gboolean bpf_programs_keep_maps(BpfPrograms *programs)
{
	if (!has_user_stacks(programs))
		return FALSE;
	__atomic_store_n(&programs->state->maps_late, 1, __ATOMIC_SEQ_CST);
	__atomic_store_n(&programs->state->enabled, 0, __ATOMIC_SEQ_CST);
	grace_wait();
	programs->kept->missed = settle_missed(programs, &programs->kept->missed_before);
	return TRUE;
}

void bpf_programs_disable(BpfPrograms *programs)
{
	gboolean kept_maps = programs->state->maps_late != 0;

	__atomic_store_n(&programs->state->enabled, 0, __ATOMIC_SEQ_CST);
	__atomic_store_n(&programs->state->maps_late, 0, __ATOMIC_SEQ_CST);
	grace_wait();
	/* Before detaching, which removes programs one by one: the next one may be gone then. */
	if (!kept_maps)
		programs->kept->missed = settle_missed(programs, &programs->kept->missed_before);
	if (!programs->is_pinned)
		bpf_programs_detach(programs, NULL, NULL);
}

void bpf_programs_leave(const BpfPrograms *programs, BpfFollowed *followed)
{
	bpf_filter_leave(programs->filter, followed);
}

void bpf_programs_abandon(const BpfPrograms *programs)
{
	__atomic_store_n(&programs->state->enabled, 0, __ATOMIC_SEQ_CST);
}

static GArray *read_mms(int fd)
{
	GArray *mms = g_array_new(FALSE, FALSE, sizeof(struct kmt_bpf_mm));
	struct kmt_bpf_mm some[256];
	ssize_t len;

	/* The kernel writes whole entries, and no more than are requested. */
	while ((len = read(fd, some, sizeof(some))) > 0)
		g_array_append_vals(mms, some, len / sizeof(*some));
	return mms;
}

GArray *bpf_programs_mms(const BpfPrograms *programs)
{
	struct bpf_link *link;
	GArray *mms;
	int fd;

	if (!has_user_stacks(programs))
		return NULL;
	link = bpf_program__attach_iter(find_program(programs, "kmt_list_mms"), NULL);
	fd = link ? bpf_iter_create(bpf_link__fd(link)) : -1;
	mms = fd >= 0 ? read_mms(fd) : NULL;
	if (fd >= 0)
		close(fd);
	bpf_link__destroy(link);
	return mms;
}

BpfMarks *bpf_programs_marks(const BpfPrograms *programs)
{
	return bpf_marks_new(programs->mark, &programs->state->mark, !programs->is_pinned);
}

GHashTable *bpf_programs_module_sizes(const BpfPrograms *programs)
{
	return programs->module_sizes;
}

const BpfMaps *bpf_programs_maps(const BpfPrograms *programs)
{
	return &programs->maps;
}

/*
 * Returns how many events of the source @i no program recorded. Each program records events that
 * the previous ones miss, except those that it misses itself. Without notes, it can be wrong about
 * the events for which the previous ones ran.
 */
static guint64 count_lost(const BpfPrograms *programs, const BpfMissed *missed, guint i)
{
	guint64 first = missed->by[i][LINKS_FIRST];
	guint64 lost = first - MIN(first, missed->taken[i]);

	for (guint way = LINKS_FIRST + 1; way < LINKS_WAYS && programs->kept->is_noted; way++) {
		if (programs->programs.of[i][way] >= 0)
			lost = MIN(lost, missed->by[i][way]);
	}
	return lost;
}

guint64 bpf_programs_missed(const BpfPrograms *programs)
{
	BpfMissed missed = programs->state->enabled
				   ? count_missed(programs, &programs->kept->missed_before)
				   : programs->kept->missed;
	guint64 sum = 0;

	for (guint i = 0; i < KMT_BPF_PROGRAMS; i++)
		sum += count_lost(programs, &missed, i);
	return sum;
}

void bpf_programs_recalled(const BpfPrograms *programs, guint64 *recalled, guint64 *known,
			   guint64 *compared, guint64 *differed)
{
	*recalled = 0;
	for (guint cpu = 0; cpu < programs->maps.ring_count; cpu++)
		*recalled += programs->maps.rings[cpu].recalled;
	*known = programs->teacher ? teacher_count(programs->teacher) : 0;
	*compared = programs->state->compared;
	*differed = programs->state->differed;
}

void bpf_programs_memory(const BpfPrograms *programs, guint64 *buffers, guint64 *stacks,
			 guint64 *filters, guint64 *names)
{
	const BpfMaps *maps = &programs->maps;

	*buffers = maps->mapped[BPF_MAPS_SUBBUFS].bytes + maps->mapped[BPF_MAPS_RINGS].bytes;
	*stacks = maps->mapped[BPF_MAPS_STACKS].bytes + programs->kept->slots_bytes +
		  programs->kept->tree_bytes;
	*filters = bpf_filter_bytes(programs->filter);
	*names = maps->mapped[BPF_MAPS_CACHES].bytes + maps->mapped[BPF_MAPS_MODULES].bytes +
		 maps->mapped[BPF_MAPS_FUNCTIONS].bytes + maps->mapped[BPF_MAPS_FILES].bytes;
}

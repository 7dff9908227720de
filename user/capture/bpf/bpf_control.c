// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/bpf/bpf_control.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "base/monotonic.h"
#include "capture/bpf/programs.h"
#include "capture/bpf/sources.h"
#include "capture/bpf/stream.h"
#include "capture/bpf/views.h"
#include "capture/tracer/control_class.h"
#include "kmemtrace_abi.h"

#define SUBBUF_SIZE_MAX (4 << 20) /* of a value of a map, up to 6.1 */
#define FLUSH_MARGIN_NS 1000000   /* a program has the time of its event before its place */
#define STACK_BYTES_MIN (64 << 10)

/* Settings, with their first values. Those that are missing can't be done. */
static const struct {
	const char *name;
	guint64 first, low, high;
} numbers[] = {
	{ "subbuf_size", 131072, 4096, SUBBUF_SIZE_MAX },
	{ "subbufs", 32, 2, 65536 },
	{ "stack_depth", 64, 0, KMEMTRACE_STACK_DEPTH_MAX },
	{ "stack_bytes", 8 << 20, STACK_BYTES_MIN, 1 << 30 },
	{ "overwrite", 0, 0, 1 },
	{ "filter_size", 0, 0, G_MAXUINT32 },
};

typedef struct {
	Control base;
	guint64 values[G_N_ELEMENTS(numbers)];
	char *events;
	BpfMemory memory;
	char *modules;         /* lines of those that were there when tracing began */
	BpfPrograms *programs; /* NULL: empty */
	BpfRings *rings;
	guint64 stack_words; /* of complete entries */
	guint64 flushed_ns;  /* before which all records can be read; 0: never flushed */
} BpfControl;

static BpfControl *bpf_of(const Control *control)
{
	return (BpfControl *)control;
}

static int find_number(const char *name)
{
	for (guint i = 0; i < G_N_ELEMENTS(numbers); i++) {
		if (!strcmp(numbers[i].name, name))
			return (int)i;
	}
	return -1;
}

static guint64 value_of(const BpfControl *bpf, const char *name)
{
	return bpf->values[find_number(name)];
}

/* ---- on and off ---- */

static gboolean is_running(const BpfControl *bpf)
{
	return bpf->rings && g_atomic_int_get(&bpf->rings->running);
}

static void write_stack_header(const BpfMaps *maps, guint64 session)
{
	const struct kmemtrace_stack_table table = {
		.magic = KMEMTRACE_STACK_MAGIC,
		.abi_version = KMEMTRACE_ABI_VERSION,
		.header_len = sizeof(table),
		.session = session,
	};

	memcpy(maps->stacks, &table, sizeof(table));
}

static gboolean set_up(BpfControl *bpf, GError **error)
{
	const BpfSettings settings = {
		.events = bpf->events,
		.subbuf_size = value_of(bpf, "subbuf_size"),
		.subbufs = value_of(bpf, "subbufs"),
		.stack_depth = value_of(bpf, "stack_depth"),
		.stack_bytes = value_of(bpf, "stack_bytes"),
		.min_size = value_of(bpf, "filter_size"),
		.overwrite = value_of(bpf, "overwrite") != 0,
	};
	guint64 session = monotonic_ns();

	bpf->programs = bpf_programs_load(&settings, &bpf->memory, error);
	if (!bpf->programs)
		return FALSE;
	bpf->rings = bpf_rings_new(bpf_programs_maps(bpf->programs), session, settings.overwrite);
	write_stack_header(bpf_programs_maps(bpf->programs), session);
	bpf->stack_words = sizeof(struct kmemtrace_stack_table) / sizeof(guint64);
	return TRUE;
}

static void reset(BpfControl *bpf)
{
	g_clear_pointer(&bpf->rings, bpf_rings_free);
	g_clear_pointer(&bpf->programs, bpf_programs_free);
	g_clear_pointer(&bpf->modules, g_free);
	bpf->flushed_ns = 0;
}

static gboolean enable(BpfControl *bpf, GError **error)
{
	if (is_running(bpf))
		return TRUE;
	if (!bpf->programs && !set_up(bpf, error))
		return FALSE;
	g_atomic_int_set(&bpf->rings->running, TRUE);
	if (bpf_programs_attach(bpf->programs, error)) {
		/* Those that come and go meanwhile are in the programs' list. */
		if (!bpf->modules)
			bpf->modules = bpf_view_modules_now();
		return TRUE;
	}
	reset(bpf);
	return FALSE;
}

/* The last sub-buffers are completed, as of the module. */
static void disable(BpfControl *bpf)
{
	if (!is_running(bpf))
		return;
	bpf_programs_detach(bpf->programs);
	bpf_rings_flush(bpf->rings, FALSE);
	g_atomic_int_set(&bpf->rings->running, FALSE);
}

/* ---- settings ---- */

static int set_number(BpfControl *bpf, int at, const char *text)
{
	guint64 value;

	if (bpf->programs)
		return EBUSY;
	if (!g_ascii_string_to_unsigned(text, 10, numbers[at].low, numbers[at].high, &value, NULL))
		return EINVAL;
	bpf->values[at] = value;
	return 0;
}

static gboolean bpf_write(const Control *control, const char *name, const char *line,
			  GError **error)
{
	BpfControl *bpf = bpf_of(control);
	g_autofree char *text = g_strchomp(g_strdup(line));
	int at = find_number(name), code = 0;

	if (at >= 0) {
		code = set_number(bpf, at, text);
	} else if (!strcmp(name, "events")) {
		g_free(bpf->events);
		bpf->events = g_strdup(text);
	} else if (!strcmp(name, "enable") && !strcmp(text, "1")) {
		return enable(bpf, error);
	} else if (!strcmp(name, "enable")) {
		disable(bpf);
	} else if (!strcmp(name, "reset")) {
		reset(bpf);
	} else {
		code = ENOENT;
	}
	return !code || control_fail_write(control, name, line, code, error);
}

static int bpf_flush(const Control *control)
{
	BpfControl *bpf = bpf_of(control);
	guint64 before_ns = monotonic_ns() - FLUSH_MARGIN_NS;
	int code = is_running(bpf) ? bpf_rings_flush(bpf->rings, TRUE) : ENODEV;

	if (!code)
		bpf->flushed_ns = before_ns;
	return code;
}

static void bpf_disable(const Control *control)
{
	const BpfControl *bpf = bpf_of(control);

	if (bpf->programs)
		bpf_programs_abandon(bpf->programs);
}

/* ---- views ---- */

static char *number_text(guint64 number)
{
	return g_strdup_printf("%" G_GUINT64_FORMAT "\n", number);
}

/* NULL: there is no such setting or view. */
static char *text_of(const BpfControl *bpf, const char *name)
{
	const BpfMaps *maps = bpf->programs ? bpf_programs_maps(bpf->programs) : NULL;
	int at = find_number(name);

	if (at >= 0)
		return number_text(bpf->values[at]);
	if (!strcmp(name, "enable"))
		return number_text(is_running(bpf));
	if (!strcmp(name, CONTROL_FLUSH))
		return number_text(bpf->flushed_ns);
	if (!strcmp(name, "events"))
		return g_strconcat(bpf->events, "\n", NULL);
	if (!strcmp(name, "abi"))
		return bpf_view_abi(bpf->memory.linear_base);
	if (!strcmp(name, "paths"))
		return bpf_sources_paths(bpf->events, bpf->programs != NULL);
	if (!strcmp(name, "stats"))
		return bpf_view_stats(bpf->programs, bpf->rings);
	if (!strcmp(name, "caches"))
		return bpf_view_caches(maps);
	if (!strcmp(name, "modules"))
		return bpf_view_modules(maps, bpf->modules);
	if (!strcmp(name, "module_functions"))
		return bpf_view_module_functions(maps);
	return strcmp(name, "tasks") ? NULL : bpf_view_tasks();
}

static gboolean bpf_has(const Control *control, const char *name)
{
	static const char *const others[] = {
		"enable", "reset", CONTROL_FLUSH, "events",           "abi", "paths", "stats",
		"caches", "tasks", "modules",     "module_functions", NULL
	};

	(void)control;
	return find_number(name) >= 0 || g_strv_contains(others, name);
}

static int memory_file(const void *bytes, gsize len)
{
	int fd = memfd_create("kmemtrace", MFD_CLOEXEC);

	if (fd >= 0 && (write(fd, bytes, len) != (ssize_t)len || lseek(fd, 0, SEEK_SET))) {
		close(fd);
		return -1;
	}
	return fd;
}

static int bpf_open(const Control *control, const char *name)
{
	g_autofree char *text = text_of(bpf_of(control), name);

	if (text)
		return memory_file(text, strlen(text));
	errno = ENOENT;
	return -1;
}

static char *bpf_read(const Control *control, const char *name, GError **error)
{
	char *text = text_of(bpf_of(control), name);

	if (!text)
		control_fail(error, CAPTURE_ERROR_FAILED, "the BPF source has no view %s", name);
	return text;
}

static char *bpf_path(const Control *control, const char *name)
{
	(void)control;
	return g_strconcat("bpf/", name, NULL);
}

/* ---- stacks ---- */

/* An entry whose first word is 0 is being written, or had no room. */
static guint64 count_complete(BpfControl *bpf)
{
	const BpfMaps *maps = bpf_programs_maps(bpf->programs);
	guint64 words = value_of(bpf, "stack_bytes") / sizeof(guint64);
	guint64 used = MIN(__atomic_load_n(&maps->state->stack_words, __ATOMIC_ACQUIRE), words);

	while (bpf->stack_words < used) {
		guint64 head = __atomic_load_n(&maps->stacks[bpf->stack_words], __ATOMIC_ACQUIRE);

		if (!head)
			break;
		bpf->stack_words += 1 + (head >> 32 & 0xffff);
	}
	return MIN(bpf->stack_words, used) * sizeof(guint64);
}

static gssize bpf_read_stacks(const Control *control, void *bytes, gsize len, guint64 offset)
{
	BpfControl *bpf = bpf_of(control);
	guint64 complete = bpf->programs ? count_complete(bpf) : 0;

	if (offset >= complete)
		return 0;
	len = MIN(len, complete - offset);
	memcpy(bytes, (const char *)bpf_programs_maps(bpf->programs)->stacks + offset, len);
	return (gssize)len;
}

/* ---- streams ---- */

static GArray *bpf_cpus(const Control *control)
{
	const BpfControl *bpf = bpf_of(control);
	guint count = bpf->programs ? bpf_programs_maps(bpf->programs)->cpus : 0;
	GArray *cpus = g_array_new(FALSE, FALSE, sizeof(guint));

	for (guint cpu = 0; cpu < count; cpu++)
		g_array_append_val(cpus, cpu);
	return cpus;
}

static ControlStream *bpf_open_stream(const Control *control, guint cpu)
{
	const BpfControl *bpf = bpf_of(control);

	if (bpf->rings)
		return bpf_stream_open(bpf->rings, cpu);
	errno = ENODEV;
	return NULL;
}

static void bpf_close(Control *control)
{
	BpfControl *bpf = bpf_of(control);

	reset(bpf);
	g_free(bpf->events);
	g_free(bpf->modules);
	g_free(bpf);
}

Control *bpf_control_open(GError **error)
{
	static const ControlClass class = {
		.name = "bpf",
		.path = bpf_path,
		.has = bpf_has,
		.open = bpf_open,
		.write = bpf_write,
		.flush = bpf_flush,
		.read = bpf_read,
		.read_stacks = bpf_read_stacks,
		.disable = bpf_disable,
		.cpus = bpf_cpus,
		.open_stream = bpf_open_stream,
		.close = bpf_close,
	};
	BpfMemory memory;
	BpfControl *bpf;

	if (!bpf_programs_check(error) || !bpf_programs_learn(&memory, error))
		return NULL;
	bpf = g_new0(BpfControl, 1);
	bpf->base.class = &class;
	bpf->memory = memory;
	bpf->events = g_strdup("slab page");
	for (guint i = 0; i < G_N_ELEMENTS(numbers); i++)
		bpf->values[i] = numbers[i].first;
	return &bpf->base;
}

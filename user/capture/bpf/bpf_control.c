// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/bpf/bpf_control.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "base/message.h"
#include "base/monotonic.h"
#include "base/seed.h"
#include "base/subuids.h"
#include "capture/bpf/module_views.h"
#include "capture/bpf/pins.h"
#include "capture/bpf/programs.h"
#include "capture/bpf/session.h"
#include "capture/bpf/sources.h"
#include "capture/bpf/stream.h"
#include "capture/bpf/symbols.h"
#include "capture/bpf/views.h"
#include "capture/tracer/control_class.h"
#include "kmemtrace_abi.h"

#define SUBBUF_SIZE_MAX (4 << 20) /* limit of a map value up to 6.1 */
#define FLUSH_MARGIN_NS 1000000   /* a program reads the time before it reserves a record */
#define STACK_BYTES_MIN (64 << 10)

/* Settings and their defaults. Settings that are missing here aren't supported. */
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
	{ "filter_cgroup", 0, 0, G_MAXUINT64 },
	{ "user_stacks", 0, 0, 1 },
	{ "sample", 1, 1, G_GUINT64_CONSTANT(1) << 31 }, /* a power of two */
};

typedef struct {
	Control base;
	guint64 values[G_N_ELEMENTS(numbers)];
	char *events;
	BpfFilterSettings filter; /* its numbers are in .values */
	BpfFollowed followed;     /* for the next session */
	GArray *subuids;          /* of SubuidRange; NULL: none */
	BpfMemory memory;
	BpfSymbols *symbols;   /* until the programs are loaded; NULL: not read */
	int learned;           /* descriptor from bpf_programs_learn(), or -1 */
	char *modules;         /* lines of the modules that were loaded when tracing began */
	char *tasks;           /* the same for threads; unless pinned, only until it is read */
	guint64 off_ns;        /* if not pinned: when tracing last ended; 0: it has not */
	BpfPrograms *programs; /* NULL: empty */
	BpfRings *rings;
	BpfMarks *marks;     /* NULL: tracing is off */
	guint64 stack_words; /* of complete entries */
	guint64 flushed_ns;  /* all records before that time can be read; 0: never flushed */
	/* For programs that are or will be pinned: */
	Pins *pins;          /* NULL: tracing ends with this process */
	Session session;     /* without memory: empty */
	gboolean is_locked;  /* by this process */
	gboolean is_partial; /* the pins are the remains of a start that was killed */
	gboolean discards;   /* remove pins that can't be used */
	GError *unusable;    /* why the pins can't be used, or NULL */
} BpfControl;

G_STATIC_ASSERT(G_N_ELEMENTS(numbers) <= SESSION_NUMBERS);

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

static BpfFilterSettings filter_of(const BpfControl *bpf)
{
	return (BpfFilterSettings){
		.pids = bpf->filter.pids,
		.cache = bpf->filter.cache,
		.cgroup = value_of(bpf, "filter_cgroup"),
		.min_size = value_of(bpf, "filter_size"),
		.sample = value_of(bpf, "sample"),
	};
}

/* Pins the loaded programs, and all that later processes must know about them. */
static gboolean pin(BpfControl *bpf, guint64 session, GError **error)
{
	const BpfMaps *maps = bpf_programs_maps(bpf->programs);
	SessionHead *head;

	if (!session_make(&bpf->session, maps, error))
		return FALSE;
	head = bpf->session.head;
	memcpy(head->numbers, bpf->values, sizeof(bpf->values));
	g_strlcpy(head->events, bpf->events, SESSION_TEXT);
	g_strlcpy(head->pids, bpf->filter.pids ?: "", SESSION_TEXT);
	g_strlcpy(head->cache, bpf->filter.cache ?: "", SESSION_TEXT);
	head->linear_base = bpf->memory.linear_base;
	head->vmemmap = bpf->memory.vmemmap;
	for (guint i = 0; i < maps->cpus; i++)
		bpf->session.readers[i].session = session;
	bpf->rings = bpf_rings_continue(maps, bpf->session.readers, bpf->session.flushed,
					value_of(bpf, "overwrite") != 0);
	return bpf_programs_pin(bpf->programs, &head->kept, error);
}

static void close_learned(BpfControl *bpf)
{
	if (bpf->learned >= 0)
		close(bpf->learned);
	bpf->learned = -1;
}

static gboolean make_folder(BpfControl *bpf, GError **error)
{
	bpf->is_locked = FALSE;
	if (!pins_make(bpf->pins, error))
		return FALSE;
	bpf->is_locked = TRUE;
	close_learned(bpf);
	bpf->learned = bpf_programs_learn(&bpf->memory, bpf->symbols, error);
	return bpf->learned >= 0;
}

static gboolean set_up(BpfControl *bpf, GError **error)
{
	const BpfFilterSettings filter = filter_of(bpf);
	const BpfSettings settings = {
		.events = bpf->events,
		.subbuf_size = value_of(bpf, "subbuf_size"),
		.subbufs = value_of(bpf, "subbufs"),
		.stack_depth = value_of(bpf, "stack_depth"),
		.stack_bytes = value_of(bpf, "stack_bytes"),
		.overwrite = value_of(bpf, "overwrite") != 0,
		.user_stacks = value_of(bpf, "user_stacks") != 0,
		.is_pinned = bpf->pins != NULL,
		.filter = &filter,
		.followed = &bpf->followed,
		.subuids = bpf->subuids,
	};
	guint64 session = monotonic_ns();

	if (bpf->pins && settings.user_stacks)
		return control_fail(
			error, CAPTURE_ERROR_FAILED,
			"BPF programs need a recorder for user stacks: use record, or --source module");
	if (!bpf->symbols)
		bpf->symbols = bpf_symbols_read();
	if (bpf->pins && !make_folder(bpf, error))
		return FALSE;
	bpf->programs = bpf_programs_load(&settings, &bpf->memory, bpf->symbols, error);
	g_clear_pointer(&bpf->symbols, bpf_symbols_free);
	if (!bpf->programs)
		return FALSE;
	write_stack_header(bpf_programs_maps(bpf->programs), session);
	bpf->stack_words = BPF_MAPS_STACKS_FIRST;
	if (bpf->pins)
		return pin(bpf, session, error);
	bpf->rings = bpf_rings_new(bpf_programs_maps(bpf->programs), session, settings.overwrite);
	return TRUE;
}

/* Frees the state of this process. */
static void release(BpfControl *bpf)
{
	g_clear_pointer(&bpf->marks, bpf_marks_free);
	g_clear_pointer(&bpf->rings, bpf_rings_free);
	g_clear_pointer(&bpf->programs, bpf_programs_free);
	g_clear_pointer(&bpf->modules, g_free);
	g_clear_pointer(&bpf->tasks, g_free);
	session_close(&bpf->session);
	g_clear_error(&bpf->unusable);
	bpf->is_partial = FALSE;
	bpf->flushed_ns = bpf->off_ns = 0;
}

/* Removes the session first: without it, nobody uses the rest any more. */
static gboolean reset(BpfControl *bpf, gboolean follows, GError **error)
{
	if (!follows)
		bpf_followed_clear(&bpf->followed);
	else if (bpf->programs)
		bpf_programs_leave(bpf->programs, &bpf->followed);
	release(bpf);
	if (!bpf->pins)
		return TRUE;
	return pins_drop(bpf->pins, SESSION_NAME, error) && pins_drop_all(bpf->pins, error);
}

/*
 * Notes modules that were loaded or unloaded during a pause, when programs may not have seen it.
 * Modules that are loaded or unloaded after programs are attached and before this call may be noted
 * twice, with the same name.
 */
static void renew_modules(BpfControl *bpf)
{
	g_autofree char *now = bpf_view_modules_now(bpf_programs_module_sizes(bpf->programs));
	guint64 off_ns = bpf->pins ? bpf->session.head->pauses.off_ns : bpf->off_ns;

	if (off_ns)
		bpf_view_note_modules(bpf_programs_maps(bpf->programs), bpf->modules, now, off_ns,
				      monotonic_ns());
}

/*
 * Notes the modules and threads that exist now. Later ones are in the programs' lists, and in
 * events. Threads may be renamed while they are listed, so names are recorded from now on, before
 * all other events.
 */
static gboolean note_names(BpfControl *bpf, GError **error)
{
	bpf_programs_record_names(bpf->programs, TRUE);
	bpf->modules = bpf_view_modules_now(bpf_programs_module_sizes(bpf->programs));
	bpf->tasks = bpf_view_tasks();
	return !bpf->pins || session_put_texts(bpf->modules, bpf->tasks, error);
}

/* Returns the lines of @text, as keys. */
static GHashTable *lines_of(const char *text)
{
	GHashTable *lines = g_hash_table_new_full(seed_text, g_str_equal, g_free, NULL);
	g_auto(GStrv) all = g_strsplit(text, "\n", -1);

	for (guint i = 0; all[i]; i++)
		g_hash_table_add(lines, g_strdup(all[i]));
	return lines;
}

/*
 * Records the names that threads got during a pause, as events at its end. @before: the names at
 * its beginning; NULL: unknown.
 */
static void record_names(BpfControl *bpf, const char *before, const char *now)
{
	g_autoptr(GHashTable) known = lines_of(before ?: "");
	g_auto(GStrv) lines = g_strsplit(now, "\n", -1);

	for (guint i = 0; lines[i]; i++) {
		guint32 tid, tgid;

		if (!g_hash_table_contains(known, lines[i]) &&
		    sscanf(lines[i], "%u %u", &tid, &tgid) == 2)
			bpf_rings_put_name(bpf->rings, tid, tgid, bpf_view_task_name);
	}
}

/*
 * Notes the names of threads when a pause ends. If all earlier events have been read, they are in
 * other files, and so are the names of that time.
 */
static gboolean renew_names(BpfControl *bpf, GError **error)
{
	g_autofree char *before = NULL, *now = NULL;
	gboolean are_read;

	if (!bpf->pins || !bpf->session.head->pauses.off_ns)
		return TRUE;
	before = session_take_stopped();
	are_read = bpf_rings_are_read(bpf->rings);
	bpf_programs_record_names(bpf->programs, TRUE);
	now = bpf_view_tasks();
	if (are_read) {
		g_free(bpf->tasks);
		bpf->tasks = g_strdup(now);
		if (!session_put_texts(bpf->modules, bpf->tasks, error))
			return FALSE;
	}
	record_names(bpf, before, now);
	return TRUE;
}

static gboolean attach(BpfControl *bpf, GError **error)
{
	guint64 now;

	if (!bpf_programs_attach(bpf->programs, error))
		return FALSE;
	bpf_followed_clear(&bpf->followed); /* the filter follows them now */
	if (bpf->modules)
		renew_modules(bpf);
	now = monotonic_ns();
	bpf_rings_begin(bpf->rings, bpf_programs_missed(bpf->programs), now);
	g_atomic_int_set(&bpf->rings->running, TRUE);
	if (!(bpf->modules ? renew_names(bpf, error) : note_names(bpf, error)) ||
	    !bpf_programs_enable(bpf->programs, error)) {
		bpf_programs_record_names(bpf->programs, FALSE);
		g_atomic_int_set(&bpf->rings->running, FALSE);
		return FALSE;
	}
	if (bpf->pins) { /* a process killed before this has not started: see finish_stop() */
		bpf->session.head->is_running = TRUE;
		bpf_pauses_end(&bpf->session.head->pauses, now);
		bpf->session.head->is_complete = TRUE;
	}
	bpf->marks = bpf_programs_marks(bpf->programs);
	return TRUE;
}

/* If this fails, the pins of an earlier process keep their events. */
static gboolean enable(BpfControl *bpf, GError **error)
{
	gboolean is_new = !bpf->programs;

	if (is_running(bpf))
		return TRUE;
	if ((!is_new || set_up(bpf, error)) && attach(bpf, error))
		return TRUE;
	if (is_new && (!bpf->pins || bpf->is_locked))
		reset(bpf, FALSE, NULL);
	return FALSE;
}

static void begin_pause(BpfControl *bpf)
{
	if (bpf->pins)
		bpf_pauses_begin(&bpf->session.head->pauses, monotonic_ns());
	else
		bpf->off_ns = monotonic_ns();
}

/* Completes the last sub-buffers, as the module does. */
static void end_rings(BpfControl *bpf)
{
	bpf_rings_end(bpf->rings);
	g_atomic_int_set(&bpf->rings->running, FALSE);
	if (bpf->pins)
		bpf->session.head->is_running = FALSE;
}

/*
 * Pinned links stay, so that tracing can resume soon; bpf_close() removes them. The pause is noted
 * first, since this process may be killed.
 */
static void disable(BpfControl *bpf)
{
	g_autofree char *tasks = NULL;

	if (!is_running(bpf))
		return;
	g_clear_pointer(&bpf->marks, bpf_marks_free);
	begin_pause(bpf);
	if (bpf->pins) /* threads renamed from now on have events, or get them at resume */
		bpf_programs_record_names(bpf->programs, TRUE);
	bpf_programs_disable(bpf->programs);
	if (bpf->pins) { /* after that: listing the threads allocates, which overwrites events */
		tasks = bpf_view_tasks();
		session_put_stopped(tasks);
		bpf_programs_record_names(bpf->programs, FALSE);
	}
	end_rings(bpf);
}

/* As kmt_keep_maps() of the module. Returns 0 or an errno. */
static int keep_maps(const BpfControl *bpf)
{
	if (!is_running(bpf) || !value_of(bpf, "overwrite"))
		return EINVAL;
	return bpf_programs_keep_maps(bpf->programs) ? 0 : EINVAL;
}

/* ---- existing pins ---- */

static gboolean check_values(const BpfControl *bpf)
{
	for (guint i = 0; i < G_N_ELEMENTS(numbers); i++) {
		if (bpf->values[i] < numbers[i].low || bpf->values[i] > numbers[i].high)
			return FALSE;
	}
	return TRUE;
}

static gboolean take_session(BpfControl *bpf, GError **error)
{
	const SessionHead *head = bpf->session.head;
	BpfFilterSettings filter;

	memcpy(bpf->values, head->numbers, sizeof(bpf->values));
	g_free(bpf->events);
	bpf->events = g_strdup(head->events);
	bpf_filter_settings_clear(&bpf->filter);
	bpf->filter.pids = g_strdup(head->pids);
	bpf->filter.cache = g_strdup(head->cache);
	bpf->memory = (BpfMemory){ head->linear_base, head->vmemmap };
	if (!check_values(bpf))
		return pins_fail_content(SESSION_NAME, error);
	filter = filter_of(bpf);
	bpf->programs = bpf_programs_open(&bpf->session.head->kept, &filter, error);
	if (!bpf->programs || !session_get_texts(&bpf->modules, &bpf->tasks, error))
		return FALSE;
	bpf->stack_words = BPF_MAPS_STACKS_FIRST;
	bpf->rings = bpf_rings_continue(bpf_programs_maps(bpf->programs), bpf->session.readers,
					bpf->session.flushed, value_of(bpf, "overwrite") != 0);
	g_atomic_int_set(&bpf->rings->running,
			 head->is_running && bpf_programs_are_enabled(bpf->programs));
	if (is_running(bpf))
		bpf->marks = bpf_programs_marks(bpf->programs);
	return TRUE;
}

/* Reads the existing pins. If they can't be used, that is an error only when they are needed. */
static void read_pinned(BpfControl *bpf)
{
	GError *error = NULL;

	release(bpf);
	if (!pins_are_there(bpf->pins))
		return;
	bpf->is_partial = !pins_has(SESSION_NAME);
	if (bpf->is_partial)
		return;
	if (!session_open(&bpf->session, &error)) {
		bpf->unusable = error;
		return;
	}
	bpf->is_partial = !bpf->session.head->is_complete;
	if (bpf->is_partial || take_session(bpf, &error))
		return;
	release(bpf);
	bpf->unusable = error;
}

static gboolean fail_unusable(const BpfControl *bpf, GError **error)
{
	g_propagate_error(error, g_error_copy(bpf->unusable));
	return FALSE;
}

/*
 * A process that stopped or resumed the programs may have been killed between changing the programs
 * and the session. If the two disagree, stops the programs. Events that were recorded since the
 * pause began do no harm.
 */
static void finish_stop(BpfControl *bpf)
{
	SessionHead *head = bpf->session.head;

	if (!head)
		return;
	bpf_programs_record_names(bpf->programs, FALSE);
	if (!head->is_running == !bpf_programs_are_enabled(bpf->programs))
		return;
	message("pinned programs that a killed process left half stopped are stopped");
	if (!head->pauses.off_ns)
		begin_pause(bpf);
	bpf_programs_disable(bpf->programs);
	end_rings(bpf);
}

/* Once the lock is held, no other process can complete partial pins. */
static gboolean bpf_lock(Control *control, gboolean *locked, GError **error)
{
	BpfControl *bpf = bpf_of(control);

	*locked = !bpf->pins || pins_lock(bpf->pins);
	if (!bpf->pins || !*locked)
		return TRUE;
	bpf->is_locked = pins_are_there(bpf->pins);
	read_pinned(bpf);
	if (bpf->unusable && !bpf->discards)
		return fail_unusable(bpf, error);
	if (!bpf->unusable && !bpf->is_partial) {
		finish_stop(bpf);
		return TRUE;
	}
	message("%s", bpf->unusable ? "what was pinned, and can't be used, is removed"
				    : "the remains of a start that was killed are removed");
	return reset(bpf, FALSE, error);
}

static pid_t bpf_lock_holder(const Control *control)
{
	const BpfControl *bpf = bpf_of(control);

	return bpf->pins ? pins_lock_holder(bpf->pins) : 0;
}

/* ---- settings ---- */

static int set_number(BpfControl *bpf, int at, const char *text)
{
	guint64 value;

	if (bpf->programs)
		return EBUSY;
	if (!g_ascii_string_to_unsigned(text, 10, numbers[at].low, numbers[at].high, &value, NULL))
		return EINVAL;
	if (!strcmp(numbers[at].name, "sample") && value & (value - 1))
		return EINVAL;
	bpf->values[at] = value;
	return 0;
}

static int set_subuids(BpfControl *bpf, const char *text)
{
	GArray *ranges = subuids_from_text(text);

	if (!ranges)
		return EINVAL;
	if (ranges->len > KMEMTRACE_SUBUIDS_MAX) {
		g_array_unref(ranges);
		return E2BIG;
	}
	g_clear_pointer(&bpf->subuids, g_array_unref);
	bpf->subuids = ranges;
	return 0;
}

/* ENOENT: there is no such setting. */
static int set_text(BpfControl *bpf, const char *name, const char *text)
{
	gboolean events = !strcmp(name, "events"), pids = !strcmp(name, "filter_pids");
	gboolean subuids = !strcmp(name, "subuids");

	if (!events && !pids && !subuids && strcmp(name, "filter_cache") != 0)
		return ENOENT;
	if (bpf->programs)
		return EBUSY;
	if (subuids)
		return set_subuids(bpf, text);
	if (pids)
		bpf_followed_clear(&bpf->followed);
	if (!events)
		return pids ? bpf_filter_set_pids(&bpf->filter, text)
			    : bpf_filter_set_cache(&bpf->filter, text);
	g_free(bpf->events);
	bpf->events = g_strdup(text);
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
	} else if (!strcmp(name, "enable") && !strcmp(text, "1")) {
		return enable(bpf, error);
	} else if (!strcmp(name, "enable") && !strcmp(text, G_STRINGIFY(KMEMTRACE_ENABLE_MAPS))) {
		code = keep_maps(bpf);
	} else if (!strcmp(name, "enable")) {
		disable(bpf);
	} else if (!strcmp(name, "mark")) {
		code = bpf->marks ? bpf_marks_put(bpf->marks, text, strlen(text), gettid())
				  : ENODEV;
	} else if (!strcmp(name, "reset")) {
		return reset(bpf, g_ascii_strtoull(text, NULL, 10) == KMEMTRACE_RESET_FOLLOWS,
			     error);
	} else {
		code = set_text(bpf, name, text);
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

static char *paths_of(const BpfControl *bpf)
{
	g_autofree char *events =
		bpf_sources_wanted(bpf->events, value_of(bpf, "user_stacks") != 0);

	g_autofree char *sources = NULL;

	if (bpf->programs)
		bpf_programs_look(bpf->programs);
	sources = bpf_sources_paths(events, bpf->programs != NULL);
	return g_strconcat(sources, bpf->programs ? bpf_view_modules_path(bpf->programs) : "",
			   NULL);
}

/*
 * Names from the start of tracing come first: of two names of a thread, the first one counts. If
 * events were overwritten, renames may be among them, so these names are left out. A recorder gets
 * them only once, since its later files begin with other events.
 */
static char *tasks_of(BpfControl *bpf)
{
	g_autofree char *now = bpf_view_tasks();
	gboolean is_whole = bpf->rings && !bpf_rings_have_overwritten(bpf->rings);
	char *text = g_strconcat(bpf->tasks && is_whole ? bpf->tasks : "", now, NULL);

	if (!bpf->pins)
		g_clear_pointer(&bpf->tasks, g_free);
	return text;
}

/* NULL: there is no such setting or view. */
static char *text_of(BpfControl *bpf, const char *name)
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
	if (!strcmp(name, "filter_pids"))
		return g_strconcat(bpf->filter.pids ?: "", "\n", NULL);
	if (!strcmp(name, "filter_cache"))
		return g_strconcat(bpf->filter.cache ?: "", "\n", NULL);
	if (!strcmp(name, "subuids"))
		return bpf->subuids ? subuids_to_text(bpf->subuids, KMEMTRACE_SUBUIDS_MAX)
				    : g_strdup("\n");
	if (!strcmp(name, "abi"))
		return bpf_view_abi(bpf->memory.linear_base, value_of(bpf, "user_stacks") != 0,
				    bpf->session.head ? &bpf->session.head->pauses : NULL);
	if (!strcmp(name, "paths"))
		return paths_of(bpf);
	if (!strcmp(name, "stats"))
		return bpf_view_stats(bpf->programs, bpf->rings);
	if (!strcmp(name, "caches"))
		return bpf_view_caches(maps);
	if (!strcmp(name, "modules"))
		return bpf_view_modules(maps, bpf->modules);
	if (!strcmp(name, "module_functions"))
		return bpf_view_module_functions(maps);
	if (!strcmp(name, "files"))
		return bpf_view_files(maps);
	if (!strcmp(name, "mms"))
		return bpf_view_mms(bpf->programs);
	return strcmp(name, "tasks") ? NULL : tasks_of(bpf);
}

static gboolean bpf_has(const Control *control, const char *name)
{
	static const char *const others[] = {
		"mark",    "enable",      "reset",        CONTROL_FLUSH,
		"events",  "filter_pids", "filter_cache", "abi",
		"paths",   "stats",       "caches",       "tasks",
		"files",   "mms",         "modules",      "module_functions",
		"subuids", NULL
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
	BpfControl *bpf = bpf_of(control);
	char *text = bpf->unusable ? NULL : text_of(bpf, name);

	if (bpf->unusable)
		fail_unusable(bpf, error);
	else if (!text)
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
	guint64 words = maps->mapped[BPF_MAPS_STACKS].bytes / sizeof(guint64);
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

	if (bpf->pins && bpf->is_locked && bpf->programs && !is_running(bpf))
		bpf_programs_detach(bpf->programs, bpf->pins, NULL);
	release(bpf);
	bpf_followed_clear(&bpf->followed);
	pins_free(bpf->pins);
	bpf_symbols_free(bpf->symbols);
	close_learned(bpf);
	g_clear_pointer(&bpf->subuids, g_array_unref);
	g_free(bpf->events);
	bpf_filter_settings_clear(&bpf->filter);
	g_free(bpf);
}

static BpfControl *new_control(void)
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
		.lock = bpf_lock,
		.lock_holder = bpf_lock_holder,
		.cpus = bpf_cpus,
		.open_stream = bpf_open_stream,
		.close = bpf_close,
	};
	BpfControl *bpf = g_new0(BpfControl, 1);

	bpf->base.class = &class;
	bpf->followed = BPF_FOLLOWED_NONE;
	bpf->learned = -1;
	bpf->events = g_strdup("slab page");
	for (guint i = 0; i < G_N_ELEMENTS(numbers); i++)
		bpf->values[i] = numbers[i].first;
	return bpf;
}

Control *bpf_control_open(GError **error)
{
	g_autoptr(BpfSymbols) symbols = NULL;
	BpfMemory memory;
	BpfControl *bpf;
	int learned;

	if (!bpf_programs_check(error))
		return NULL;
	symbols = bpf_symbols_read();
	learned = bpf_programs_learn(&memory, symbols, error);
	if (learned < 0)
		return NULL;
	bpf = new_control();
	bpf->memory = memory;
	bpf->learned = learned;
	bpf->symbols = g_steal_pointer(&symbols);
	return &bpf->base;
}

Control *bpf_control_open_pinned(gboolean discards, GError **error)
{
	g_autoptr(Pins) pins = pins_new();
	BpfControl *bpf;

	if (!bpf_programs_check(error) || !pins_open(pins, error))
		return NULL;
	bpf = new_control();
	bpf->pins = g_steal_pointer(&pins);
	bpf->discards = discards;
	read_pinned(bpf);
	return &bpf->base;
}

gboolean bpf_control_is_pinned(void)
{
	return pins_are_meant();
}

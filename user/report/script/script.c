// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/script/script.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/pairing/marks.h"
#include "analysis/pairing/tasks.h"
#include "analysis/snapshot.h"
#include "analysis/spaces/address_spaces.h"
#include "base/escape.h"
#include "base/message.h"
#include "base/seed.h"
#include "base/tokenize.h"
#include "report/print/eventnames.h"
#include "report/script/address.h"
#include "report/script/selected.h"
#include "store/load/usernames.h"
#include "symbols/lines.h"
#include "symbols/moduletimes.h"
#include "symbols/symbols.h"
#include "trace/event/merge.h"

typedef struct {
	const ScriptOptions *options;
	FILE *out;
	struct trace_reader *reader;
	struct trace_merge *merge;
	Symbols *symbols[2]; /* by enum kmemtrace_phase; NULL: missing in the trace */
	ModuleTimes *module_times;
	Lines *lines;       /* NULL: not requested */
	guint era;          /* of the modules, at the printed event */
	GHashTable *stacks; /* kernel stack id to GArray of guint64, innermost first */
	Tasks *tasks;
	AddressSpaces *spaces; /* NULL: no user stacks, or not requested */
	UserNames *user_names; /* likewise */
	Marks marks;
	AddressEvents *address;   /* NULL: all events */
	SelectedEvents *selected; /* likewise */
	EventNames *names;
	gboolean may_lack_names; /* before first_ns */
	guint64 first_ns;        /* time 0 of the database */
	guint64 start_ns;        /* time 0 of printed times */
} Script;

static void script_clear(Script *script)
{
	trace_merge_close(script->merge);
	trace_reader_close(script->reader);
	lines_free(script->lines);
	symbols_free(script->symbols[0]);
	symbols_free(script->symbols[1]);
	moduletimes_free(script->module_times);
	g_clear_pointer(&script->stacks, g_hash_table_unref);
	tasks_free(script->tasks);
	usernames_free(script->user_names);
	address_spaces_free(script->spaces);
	address_events_free(script->address);
	selected_events_free(script->selected);
	eventnames_free(script->names);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Script, script_clear)

static gboolean fail_trace(const struct trace_error *err, GError **error)
{
	return store_fail(error, "%s", err->text);
}

/* ---- names ---- */

static int on_stack(void *data, uint32_t id, const uint64_t *addrs, unsigned int depth)
{
	GArray *stack = g_array_sized_new(FALSE, FALSE, sizeof(guint64), depth);

	g_array_append_vals(stack, addrs, depth);
	g_hash_table_replace(data, GUINT_TO_POINTER(id), stack);
	return 0;
}

/* Reads a text. *@text, for free(), is NULL if the trace lacks it. */
static gboolean read_text(Script *script, const char *name, enum kmemtrace_phase phase, char **text,
			  GError **error)
{
	struct trace_error err = { "" };
	size_t len;
	int ret;

	*text = NULL;
	ret = trace_reader_snapshot(script->reader, name, phase, text, &len, NULL, &err);
	return ret && ret != -ENOENT ? fail_trace(&err, error) : TRUE;
}

static gboolean load_symbols_of(Script *script, enum kmemtrace_phase phase, GError **error)
{
	char *kallsyms = NULL, *modules = NULL;
	gboolean fine = read_text(script, "kallsyms", phase, &kallsyms, error) &&
			read_text(script, "modules", phase, &modules, error);

	if (fine && kallsyms)
		script->symbols[phase] = symbols_new(kallsyms, modules);
	free(kallsyms);
	free(modules);
	return fine;
}

/* A trace that can't be read fails when its events are. */
static gboolean load_bpf_programs(Script *script, GError **error)
{
	Symbols *start = script->symbols[KMEMTRACE_PHASE_START];
	struct trace_error err;
	char *programs = NULL, *later = NULL;
	gboolean fine =
		read_text(script, "bpf_programs", KMEMTRACE_PHASE_START, &programs, error) &&
		read_text(script, "bpf_programs", KMEMTRACE_PHASE_END, &later, error);
	guint64 first_ns;

	if (fine && programs && start &&
	    trace_merge_first_time(script->reader, &first_ns, &err) > 0)
		symbols_set_programs(start, programs, later, first_ns);
	free(later);
	free(programs);
	return fine;
}

static gboolean load_symbols(Script *script, GError **error)
{
	return load_symbols_of(script, KMEMTRACE_PHASE_START, error) &&
	       load_symbols_of(script, KMEMTRACE_PHASE_END, error) &&
	       load_bpf_programs(script, error);
}

/* Returns the address of _stext; 0: unknown. */
static guint64 kernel_start(const Script *script)
{
	const Symbols *any =
		script->symbols[KMEMTRACE_PHASE_START] ?: script->symbols[KMEMTRACE_PHASE_END];

	return any ? symbols_kernel_start(any) : 0;
}

static gboolean load_module_times(Script *script, GError **error)
{
	char *text = NULL, *functions = NULL;
	gboolean fine;

	fine = read_text(script, "module_times", KMEMTRACE_PHASE_END, &text, error) &&
	       read_text(script, "module_functions", KMEMTRACE_PHASE_END, &functions, error);
	if (fine)
		script->module_times = moduletimes_new(text, functions);
	free(text);
	free(functions);
	return fine;
}

/* Reads the value of @key in the text host; NULL: none. */
static gboolean read_host(Script *script, const char *key, char **value, GError **error)
{
	char *text, *rest, *line;
	TextLine host;

	*value = NULL;
	if (!read_text(script, "host", KMEMTRACE_PHASE_START, &text, error))
		return FALSE;
	rest = text;
	while (rest && !*value && (line = tokenize_line(&rest))) {
		if (snapshot_parse_text(line, &host) == LINE_FINE && !strcmp(host.key, key))
			*value = g_strdup(host.value);
	}
	free(text);
	return TRUE;
}

/* Finds out whether BPF programs have overwritten events. */
static gboolean load_mode(Script *script, GError **error)
{
	g_autofree char *source = NULL;
	char *text;

	if (!read_host(script, "source", &source, error) ||
	    !read_text(script, "overwrite", KMEMTRACE_PHASE_START, &text, error))
		return FALSE;
	script->may_lack_names = !g_strcmp0(source, "bpf") && text && text[0] == '1';
	free(text);
	return TRUE;
}

static void take_tasks(Script *script, char *text)
{
	char *rest = text, *line;
	NameLine name;

	while ((line = tokenize_line(&rest))) {
		if (snapshot_parse_name(line, &name) == LINE_FINE)
			tasks_add_default(script->tasks, name.id, name.number, name.name);
	}
	free(text);
}

static gboolean load_tasks(Script *script, GError **error)
{
	script->tasks = tasks_new();
	if (!load_mode(script, error))
		return FALSE;
	for (size_t i = 0; i < trace_reader_file_count(script->reader); i++) {
		struct trace_error err = { "" };
		char *text;
		int ret = trace_reader_file_snapshot(script->reader, i, "tasks",
						     KMEMTRACE_PHASE_START, &text, &err);

		if (ret && ret != -ENOENT)
			return fail_trace(&err, error);
		if (!ret)
			take_tasks(script, text);
	}
	return TRUE;
}

static gboolean read_ids(Script *script, BuildIds *ids, GError **error)
{
	for (guint phase = KMEMTRACE_PHASE_START; phase <= KMEMTRACE_PHASE_END; phase++) {
		char *text;

		if (!read_text(script, "build_ids", phase, &text, error))
			return FALSE;
		if (text)
			buildids_add_text(ids, text);
		free(text);
	}
	return TRUE;
}

static gboolean load_lines(Script *script, GError **error)
{
	g_autoptr(BuildIds) ids = buildids_new();
	g_autofree char *release = NULL;

	if (!script->options->lines)
		return TRUE;
	if (!read_host(script, "release", &release, error) || !read_ids(script, ids, error))
		return FALSE;
	script->lines = lines_new(&script->options->places, release, kernel_start(script),
				  g_steal_pointer(&ids));
	return lines_check(script->lines, error);
}

static gboolean load_event_names(Script *script, GError **error)
{
	char *abi = NULL, *caches = NULL;
	gboolean fine;

	fine = read_text(script, "abi", KMEMTRACE_PHASE_START, &abi, error) &&
	       read_text(script, "caches", KMEMTRACE_PHASE_END, &caches, error);
	if (fine)
		script->names = eventnames_new(abi, caches);
	free(abi);
	free(caches);
	return fine;
}

static gboolean load_address(Script *script, GError **error)
{
	char *abi;

	if (!script->options->address)
		return TRUE;
	if (!read_text(script, "abi", KMEMTRACE_PHASE_START, &abi, error))
		return FALSE;
	script->address = address_events_new(*script->options->address, abi);
	free(abi);
	return TRUE;
}

static gboolean load_selected(Script *script, GError **error)
{
	if (script->options->selected)
		script->selected = selected_events_new(script->options->selected, error);
	return script->selected || !script->options->selected;
}

static void free_stack(gpointer stack)
{
	g_array_unref(stack);
}

static gboolean load_spaces(Script *script, GError **error)
{
	struct trace_error err = { "" };

	if (!script->options->stacks)
		return TRUE;
	script->spaces = address_spaces_read(script->reader, &err);
	if (script->spaces)
		script->user_names = usernames_new(script->spaces);
	return err.text[0] ? fail_trace(&err, error) : TRUE;
}

static gboolean load_names(Script *script, GError **error)
{
	struct trace_error err = { "" };

	script->stacks = g_hash_table_new_full(seed_number, NULL, NULL, free_stack);
	if (script->options->stacks &&
	    trace_reader_stacks(script->reader, on_stack, script->stacks, &err))
		return fail_trace(&err, error);
	return load_symbols(script, error) && load_module_times(script, error) &&
	       load_tasks(script, error) && load_lines(script, error) &&
	       load_spaces(script, error) && load_event_names(script, error) &&
	       load_address(script, error) && load_selected(script, error);
}

/* ---- lines ---- */

static gboolean resolve(Script *script, guint64 addr, ModuleTime *module, Symbol *symbol)
{
	guint number = moduletimes_at(script->module_times, addr, script->era, NULL);

	*module = (ModuleTime){ NULL };
	if (number)
		*module = moduletimes_get(script->module_times, number);
	return moduletimes_symbol(script->module_times, number,
				  script->symbols[KMEMTRACE_PHASE_END],
				  script->symbols[KMEMTRACE_PHASE_START], addr, symbol);
}

/* The caller frees. */
static char *addr_text(guint64 addr, const ModuleTime *module, const Symbol *symbol)
{
	if (addr == TRACE_STACK_CUT)
		return g_strdup(TRACE_STACK_CUT_NAME);
	if (symbol)
		return g_strdup_printf("%s+0x%" G_GINT64_MODIFIER "x%s%s%s", symbol->name,
				       symbol->offset, symbol->module ? " [" : "",
				       symbol->module ? symbol->module : "",
				       symbol->module ? "]" : "");
	if (module->name)
		return g_strdup_printf("[%s]+0x%" G_GINT64_MODIFIER "x", module->name,
				       addr - module->base);
	return g_strdup_printf("0x%" G_GINT64_MODIFIER "x", addr);
}

static void print_addr(Script *script, guint64 addr)
{
	g_autofree char *text = NULL;
	ModuleTime module;
	Symbol symbol;

	text = addr_text(addr, &module, resolve(script, addr, &module, &symbol) ? &symbol : NULL);
	escape_print(text, script->out);
}

/* Prints a frame of a stack: one line, or several with inlined functions. */
static void print_frame(Script *script, guint64 addr)
{
	g_autofree char *name = NULL, *text = NULL;
	g_auto(GStrv) frames = NULL;
	ModuleTime module;
	Symbol symbol;
	gboolean known = resolve(script, addr, &module, &symbol);

	name = addr_text(addr, &module, known ? &symbol : NULL);
	text = lines_describe(known ? lines_find(script->lines, &symbol, addr) : NULL, name);
	frames = g_strsplit(text, " < ", -1);
	for (guint i = 0; frames[i]; i++) {
		fputs("\n        ", script->out);
		escape_print(frames[i], script->out);
	}
}

/* ---- fields ---- */

static void print_hex(Script *script, const char *name, guint64 value)
{
	fprintf(script->out, " %s=0x%" G_GINT64_MODIFIER "x", name, value);
}

static void print_number(Script *script, const char *name, guint32 value)
{
	fprintf(script->out, " %s=%u", name, value);
}

static void print_migratetype(Script *script, const char *name, guint32 type)
{
	fprintf(script->out, " %s=", name);
	eventnames_print_migratetype(script->names, type, script->out);
}

static void print_gfp(Script *script, guint32 gfp)
{
	fputs(" gfp=", script->out);
	eventnames_print_gfp(script->names, gfp, script->out);
}

static void print_cache(Script *script, guint16 cache)
{
	if (!cache)
		return;
	fputs(" cache=", script->out);
	eventnames_print_cache(script->names, cache, script->out);
}

static void print_outside(Script *script, guint32 sides)
{
	if (sides & KMEMTRACE_MOVE_FROM_OUTSIDE)
		fputs(" from_outside", script->out);
	if (sides & KMEMTRACE_MOVE_TO_OUTSIDE)
		fputs(" to_outside", script->out);
}

static void print_mapping(Script *script, const struct trace_event *event)
{
	print_hex(script, "addr", event->addr);
	print_number(script, "pages", event->bytes_req);
	print_hex(script, "offset", event->call_site);
	print_number(script, "file", event->bytes_alloc);
}

/* Prints fields that only one event has. */
static void print_special(Script *script, const struct trace_event *event, enum trace_field field)
{
	switch (field) {
	case TRACE_FIELD_OUTSIDE:
		print_outside(script, event->gfp);
		break;
	case TRACE_FIELD_BLOCK:
		print_number(script, "block_order", event->bytes_req);
		print_migratetype(script, "block_migratetype", event->bytes_alloc);
		break;
	case TRACE_FIELD_REFILL:
		fputs(event->bytes_req ? " refill" : "", script->out);
		break;
	case TRACE_FIELD_MAPPING:
		print_mapping(script, event);
		break;
	case TRACE_FIELD_PARENT:
		print_number(script, "parent", event->bytes_req);
		print_number(script, "shared", event->bytes_alloc);
		break;
	case TRACE_FIELD_MM:
		if (event->mm)
			print_number(script, "mm", event->mm);
		break;
	case TRACE_FIELD_ORIGINAL:
		print_number(script, "original", event->bytes_alloc);
		break;
	case TRACE_FIELD_COMM:
		fputs(" comm=", script->out);
		escape_print(event->comm, script->out);
		break;
	default:
		break;
	}
}

static void print_field(Script *script, const struct trace_event *event, enum trace_field field)
{
	switch (field) {
	case TRACE_FIELD_PTR:
		print_hex(script, "ptr", event->addr);
		break;
	case TRACE_FIELD_PFN:
		print_hex(script, "pfn", event->addr);
		break;
	case TRACE_FIELD_ADDR:
		print_hex(script, "addr", event->addr);
		break;
	case TRACE_FIELD_TARGET:
		print_hex(script, "to", trace_event_target(event));
		break;
	case TRACE_FIELD_ORDER:
		print_number(script, "order", event->order);
		break;
	case TRACE_FIELD_BYTES_REQ:
		print_number(script, "bytes_req", event->bytes_req);
		break;
	case TRACE_FIELD_BYTES_ALLOC:
		print_number(script, "bytes_alloc", event->bytes_alloc);
		break;
	case TRACE_FIELD_BYTES_ALL_CPUS:
		print_number(script, "bytes_all_cpus", event->bytes_alloc);
		break;
	case TRACE_FIELD_MIGRATETYPE:
		print_migratetype(script, "migratetype", event->migratetype);
		break;
	case TRACE_FIELD_GFP_IF_DONE:
		if (!event->addr)
			break;
		/* fall through */
	case TRACE_FIELD_GFP:
		print_gfp(script, event->gfp);
		break;
	case TRACE_FIELD_CACHE:
		print_cache(script, event->cache);
		break;
	case TRACE_FIELD_TGID:
		print_number(script, "tgid", event->tgid);
		break;
	case TRACE_FIELD_CALL_SITE:
		fputs(" call_site=", script->out);
		print_addr(script, event->call_site);
		break;
	default:
		print_special(script, event, field);
	}
}

static void print_fields(Script *script, const struct trace_event *event)
{
	const guint8 *fields = trace_event_types[event->event].fields;

	if (trace_event_action(event->event) == TRACE_ALLOC && !event->addr)
		fputs(" FAILED", script->out);
	for (guint i = 0; i < sizeof(trace_event_types[0].fields) && fields[i]; i++)
		print_field(script, event, (enum trace_field)fields[i]);
}

/* ---- stacks ---- */

static void print_stack(Script *script, guint32 id)
{
	const GArray *stack = g_hash_table_lookup(script->stacks, GUINT_TO_POINTER(id));

	for (guint i = 0; stack && i < stack->len; i++) {
		guint64 addr = g_array_index(stack, guint64, i);

		if (script->lines) {
			print_frame(script, addr);
			continue;
		}
		fputs("\n        ", script->out);
		print_addr(script, addr);
	}
}

static void print_user_stack(Script *script, const struct trace_event *event)
{
	const GArray *stack =
		g_hash_table_lookup(script->stacks, GUINT_TO_POINTER(event->user_stack_id));
	UserFrame frames[TRACE_STACK_MAX];
	guint depth;

	if (!script->spaces || !stack)
		return;
	depth = usernames_frames(script->user_names,
				 address_spaces_moment(script->spaces, event->tgid, event->time_ns),
				 event->time_ns, (const guint64 *)(gpointer)stack->data,
				 MIN(stack->len, G_N_ELEMENTS(frames)), frames);
	for (guint i = 0; i < depth; i++) {
		UserName name = usernames_find(script->user_names, &frames[i]);
		g_autofree char *text = usernames_text(&name);

		fputs("\n        user ", script->out);
		escape_print(text, script->out);
	}
}

/* Prints a time. If the oldest events are missing, some are before time 0. */
static void print_time(const Script *script, guint64 time_ns)
{
	gboolean before = time_ns < script->start_ns;
	guint64 ns = before ? script->start_ns - time_ns : time_ns - script->start_ns;

	fprintf(script->out, "%s%" G_GUINT64_FORMAT ".%09" G_GUINT64_FORMAT, before ? "-" : "",
		ns / 1000000000, ns % 1000000000);
}

/* Prints the start of each line. */
static void print_head(Script *script, guint32 tid, guint32 cpu, char context, guint64 time_ns,
		       guint event)
{
	Task task = tasks_get(script->tasks, tasks_current(script->tasks, tid));
	g_autofree char *comm = NULL;

	if (task.comm && !escape_is_plain(task.comm))
		comm = escape_text(task.comm);
	fprintf(script->out, "%16s-%-7u [%03u] %c ",
		comm        ? comm
		: task.comm ? task.comm
			    : "?",
		tid, cpu, context);
	print_time(script, time_ns);
	fprintf(script->out, ": %s:", trace_event_name(event));
}

static void print_mark(gpointer data, const Mark *mark)
{
	Script *script = data;

	print_head(script, mark->tid, mark->cpu, '.', mark->time_ns, KMEMTRACE_EVENT_MARK);
	escape_print_line(" ", mark->text, script->out);
}

/* Must be called for each event: events outside the interval also change the state. */
static gboolean is_wanted(Script *script, const struct trace_event *event)
{
	gint64 time_ns = (gint64)(event->time_ns - script->first_ns);

	return (!script->address || address_events_has(script->address, event)) &&
	       (!script->selected || selected_events_has(script->selected, event, time_ns)) &&
	       (!script->options->window ||
		(time_ns >= script->options->from_ns && time_ns < script->options->to_ns));
}

/* Returns TRUE if it was printed. */
static gboolean print_event(Script *script, const struct trace_event *event)
{
	static const char context[] = { '.', 's', 'h', '?' };

	enum trace_action action = trace_event_action(event->event);

	/* For the reason see load. */
	if (action == TRACE_NAME && !(script->may_lack_names && event->time_ns < script->first_ns))
		tasks_rename(script->tasks, event->tid, event->tgid, event->comm);
	if (!is_wanted(script, event))
		return FALSE;
	if (action == TRACE_MARKED) {
		marks_take(&script->marks, event, print_mark, script);
		return TRUE;
	}
	marks_end(&script->marks, print_mark, script);
	script->era = moduletimes_era(script->module_times, event->time_ns);
	print_head(script, event->tid, event->cpu, context[event->context & 3], event->time_ns,
		   event->event);
	print_fields(script, event);
	if (script->options->stacks)
		print_stack(script, event->stack_id);
	if (script->options->stacks && event->user_stack_id)
		print_user_stack(script, event);
	fputc('\n', script->out);
	return TRUE;
}

/* Accepts a complete trace without events, but not a cut one. */
static gboolean check_any(Script *script, gboolean started, gboolean any, GError **error)
{
	const char *path;
	uint64_t offset;

	if (!any && script->address)
		return store_fail(error, "no event of the trace is about 0x%" G_GINT64_MODIFIER "x",
				  *script->options->address);
	if (!any && started)
		message("no event passes the filters");
	if (any || started || !trace_reader_cut(script->reader, &path, &offset))
		return TRUE;
	return store_fail(
		error,
		"%s: cut at byte %" G_GUINT64_FORMAT
		", before its first event: its recorder did not finish, or is still writing",
		path, (guint64)offset);
}

gboolean script_print(const char *kmt_path, const ScriptOptions *options, FILE *out, GError **error)
{
	g_auto(Script) script = { .options = options, .out = out };
	struct trace_error err = { "" };
	struct trace_event event;
	gboolean any = FALSE, started = FALSE;
	int ret;

	if (trace_reader_open(kmt_path, &script.reader, &err))
		return fail_trace(&err, error);
	if (!load_names(&script, error))
		return FALSE;
	if (trace_merge_open(script.reader, &script.merge, &err))
		return fail_trace(&err, error);
	while ((ret = trace_merge_next(script.merge, &event, &err)) > 0 && !ferror(out)) {
		if (!started)
			script.first_ns = trace_merge_start(script.merge, event.time_ns);
		if (options->relative)
			script.start_ns = script.first_ns;
		started = TRUE;
		any |= print_event(&script, &event);
	}
	marks_end(&script.marks, print_mark, &script);
	if (ret < 0)
		return fail_trace(&err, error);
	return (!script.selected || selected_events_done(script.selected, error)) &&
	       check_any(&script, started, any, error);
}

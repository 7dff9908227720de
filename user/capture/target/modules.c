// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/target/modules.h"

#include <fcntl.h>
#include <string.h>

#include "capture/target/bpf_code.h"
#include "capture/target/buildids.h"
#include "capture/target/kallsyms.h"
#include "capture/target/snapshot.h"
#include "capture/target/text.h"

typedef struct {
	char *name;
	char *build_id; /* NULL if none */
	guint64 base;
	gboolean present, was_present; /* at the last check, and the one before */
} Module;

struct Modules {
	const Control *control;
	GPtrArray *all;        /* of Module, in order of appearance */
	gboolean changed;      /* a module was loaded or unloaded since the start */
	BpfCode *bpf;          /* of the starts of all files */
	char *programs;        /* of BPF, after some were removed, in the file; or NULL */
	char *first_times;     /* the tracer's list at the start, or NULL */
	char *times;           /* the tracer's list in the file, or NULL */
	gsize functions_bytes; /* of the text of functions in the file */
};

static void module_free(gpointer data)
{
	Module *module = data;

	g_free(module->name);
	g_free(module->build_id);
	g_free(module);
}

void modules_free(Modules *modules)
{
	if (!modules)
		return;
	g_ptr_array_unref(modules->all);
	bpfcode_free(modules->bpf);
	g_free(modules->programs);
	g_free(modules->first_times);
	g_free(modules->times);
	g_free(modules);
}

/* Returns the last module seen at that address. */
static Module *find_module(const Modules *modules, const char *name, guint64 base)
{
	for (guint i = modules->all->len; i-- > 0;) {
		Module *module = g_ptr_array_index(modules->all, i);

		if (module->base == base && strcmp(module->name, name) == 0)
			return module;
	}
	return NULL;
}

/* "name size references users state address". Loading a module may still fail. */
static gboolean is_live(char *const *words)
{
	return g_strv_length((char **)words) >= 6 && strcmp(words[4], "Live") == 0;
}

/* Notes a module. If it was loaded again at the same address, it may be another build. */
static Module *note_module(Modules *modules, const char *name, guint64 base)
{
	Module *module = find_module(modules, name, base);
	g_autofree char *build_id = NULL;

	if (module && module->was_present)
		return module;
	build_id = buildids_of_module(name);
	if (module && g_strcmp0(module->build_id, build_id) == 0)
		return module;
	module = g_new0(Module, 1);
	module->name = g_strdup(name);
	module->build_id = g_steal_pointer(&build_id);
	module->base = base;
	g_ptr_array_add(modules->all, module);
	return module;
}

static void note_present(Modules *modules, const char *text)
{
	g_auto(GStrv) lines = g_strsplit(text, "\n", -1);

	for (guint i = 0; lines[i]; i++) {
		g_auto(GStrv) words = g_strsplit(lines[i], " ", -1);

		if (is_live(words))
			note_module(modules, words[0], g_ascii_strtoull(words[5], NULL, 16))
				->present = TRUE;
	}
}

/* Reads the sysfs files of loaded modules, which disappear with them. @anew: reads them again. */
static void look(Modules *modules, gboolean anew)
{
	g_autofree char *text = NULL;

	if (!g_file_get_contents("/proc/modules", &text, NULL, NULL))
		return;
	for (guint i = 0; i < modules->all->len; i++) {
		Module *module = g_ptr_array_index(modules->all, i);

		module->was_present = module->present && !anew;
		module->present = FALSE;
	}
	note_present(modules, text);
	for (guint i = 0; i < modules->all->len; i++) {
		const Module *module = g_ptr_array_index(modules->all, i);

		modules->changed |= module->present != module->was_present;
	}
}

/*
 * Returns TRUE if the tracer's list has a module that was loaded or unloaded. Periodic checks may
 * have missed it, since it may be back at the same address. Modules loaded before the tracer have
 * zeros.
 */
static gboolean is_told_changed(const Modules *modules)
{
	g_auto(GStrv) before = g_strsplit(modules->first_times ?: "", "\n", -1);
	g_auto(GStrv) lines = g_strsplit(modules->times ?: "", "\n", -1);

	for (guint i = 0; lines[i]; i++) {
		if (*lines[i] && !g_str_has_prefix(lines[i], "0 0 ") &&
		    !g_strv_contains((const char *const *)before, lines[i]))
			return TRUE;
	}
	return FALSE;
}

/* ---- texts ---- */

static void take_symbol(const char *line, gpointer data)
{
	text_append(data, line, strlen(line));
}

/* Leaves out BPF programs, which may have taken the place of others. */
static void take_symbol_but_bpf(const char *line, gpointer data)
{
	if (!g_str_has_suffix(line, "\t[bpf]\n"))
		take_symbol(line, data);
}

static gboolean write_symbols(struct trace_writer *writer, enum kmemtrace_phase phase,
			      GError **error)
{
	Text *text = text_begin(writer, "kallsyms", phase);
	KallsymsFunc take = bpfcode_is_known() ? take_symbol : take_symbol_but_bpf;
	gboolean fine = kallsyms_each(take, text, error);

	return text_end(text, fine ? error : NULL) && fine;
}

static gboolean write_modules(struct trace_writer *writer, enum kmemtrace_phase phase,
			      GError **error)
{
	Text *text = text_begin(writer, "modules", phase);

	if (text_append_file(text, open("/proc/modules", O_RDONLY | O_CLOEXEC)))
		return text_end(text, error);
	text_drop(text);
	return TRUE;
}

static gboolean write_bpf_programs(struct trace_writer *writer, enum kmemtrace_phase phase,
				   GError **error)
{
	g_autofree char *text = bpfcode_text();

	return (phase == KMEMTRACE_PHASE_START && !*text) ||
	       snapshot_write_text(writer, "bpf_programs", phase, text, strlen(text), error);
}

/* Writes what tells which names of the start are still right. */
static gboolean write_end_symbols(struct trace_writer *writer, GError **error)
{
	return write_symbols(writer, KMEMTRACE_PHASE_END, error) &&
	       write_bpf_programs(writer, KMEMTRACE_PHASE_END, error);
}

/* Writes the build ids of the kernel and of all modules seen, including unloaded ones. */
static gboolean write_build_ids(const Modules *modules, struct trace_writer *writer,
				enum kmemtrace_phase phase, GError **error)
{
	g_autofree char *kernel = buildids_of_kernel();
	g_autoptr(GString) text = g_string_new(NULL);

	if (kernel)
		g_string_append_printf(text, "vmlinux %s\n", kernel);
	for (guint i = 0; i < modules->all->len; i++) {
		const Module *module = g_ptr_array_index(modules->all, i);

		if (module->build_id)
			g_string_append_printf(text, "%s %s\n", module->name, module->build_id);
	}
	return !text->len ||
	       snapshot_write_text(writer, "build_ids", phase, text->str, text->len, error);
}

/*
 * Writes the tracer's list of modules, and the functions of unloaded code. The last text of a name
 * in a file counts: if the recorder is killed, the file has the last state. Without @whole, the
 * list is written only if it has changed, and the functions, which may be many, only if they have
 * grown by half.
 */
static gboolean write_times(Modules *modules, struct trace_writer *writer, gboolean whole,
			    GError **error)
{
	g_autofree char *times = control_read(modules->control, "modules", NULL);
	g_autofree char *functions = NULL;
	gsize bytes;

	if (!times || (!whole && g_strcmp0(times, modules->times) == 0))
		return TRUE;
	if (!snapshot_write_text(writer, "module_times", KMEMTRACE_PHASE_END, times, strlen(times),
				 error))
		return FALSE;
	g_free(modules->times);
	modules->times = g_steal_pointer(&times);
	functions = control_read(modules->control, "module_functions", NULL);
	bytes = functions ? strlen(functions) : 0;
	if (!bytes || (!whole && bytes < modules->functions_bytes + modules->functions_bytes / 2))
		return TRUE;
	modules->functions_bytes = bytes;
	return snapshot_write_text(writer, "module_functions", KMEMTRACE_PHASE_END, functions,
				   bytes, error);
}

gboolean modules_write(Modules *modules, struct trace_writer *writer, GError **error)
{
	gboolean fine;

	bpfcode_note(modules->bpf); /* one may be removed, or loaded, before the symbols are read */
	fine = write_symbols(writer, KMEMTRACE_PHASE_START, error) &&
	       write_bpf_programs(writer, KMEMTRACE_PHASE_START, error) &&
	       write_modules(writer, KMEMTRACE_PHASE_START, error) &&
	       write_build_ids(modules, writer, KMEMTRACE_PHASE_START, error);
	bpfcode_note(modules->bpf);
	g_clear_pointer(&modules->programs, g_free);
	return fine;
}

Modules *modules_start(const Control *control, struct trace_writer *writer, GError **error)
{
	g_autoptr(Modules) modules = g_new0(Modules, 1);

	modules->control = control;
	modules->all = g_ptr_array_new_with_free_func(module_free);
	modules->first_times = control_read(control, "modules", NULL);
	modules->bpf = bpfcode_new();
	look(modules, FALSE);
	modules->changed = FALSE;
	return modules_write(modules, writer, error) ? g_steal_pointer(&modules) : NULL;
}

/* If the recorder is killed, the file tells which programs were still there. */
static gboolean look_at_bpf(Modules *modules, struct trace_writer *writer, GError **error)
{
	g_autofree char *text = bpfcode_is_gone(modules->bpf) ? bpfcode_text() : NULL;

	if (!text || !g_strcmp0(text, modules->programs))
		return TRUE;
	g_free(modules->programs);
	modules->programs = g_steal_pointer(&text);
	return snapshot_write_text(writer, "bpf_programs", KMEMTRACE_PHASE_END, modules->programs,
				   strlen(modules->programs), error);
}

gboolean modules_look(Modules *modules, struct trace_writer *writer, GError **error)
{
	look(modules, FALSE);
	return write_times(modules, writer, FALSE, error) && look_at_bpf(modules, writer, error);
}

gboolean modules_end(Modules *modules, struct trace_writer *writer, GError **error)
{
	gboolean fine = write_times(modules, writer, TRUE, error);

	modules->changed |= is_told_changed(modules);
	look(modules, modules->changed);
	fine = fine && write_modules(writer, KMEMTRACE_PHASE_END, error) &&
	       (!(modules->changed || bpfcode_is_gone(modules->bpf)) ||
		write_end_symbols(writer, error)) &&
	       (!modules->changed || write_build_ids(modules, writer, KMEMTRACE_PHASE_END, error));
	modules->functions_bytes = 0;
	g_clear_pointer(&modules->times, g_free);
	return fine;
}

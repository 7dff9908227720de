// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/modules.h"

#include <string.h>

#include "capture/buildids.h"
#include "capture/kallsyms.h"
#include "capture/snapshot.h"
#include "capture/text.h"

typedef struct {
	char *name;
	char *line;		/* of /proc/modules, with its end */
	char *build_id;		/* NULL: it tells none */
	guint64 base;
	guint64 last;		/* address of its last function; 0: it has none */
	GString *symbols;	/* lines of kallsyms */
	gboolean present;
	gboolean is_new;	/* its symbols were not read yet */
} Module;

struct Modules {
	GPtrArray *all;		/* of Module, in the order in which they were seen */
	gboolean changed;	/* one came or went since the start */
};

static void module_free(gpointer data)
{
	Module *module = data;

	g_string_free(module->symbols, TRUE);
	g_free(module->name);
	g_free(module->line);
	g_free(module->build_id);
	g_free(module);
}

void modules_free(Modules *modules)
{
	if (!modules)
		return;
	g_ptr_array_unref(modules->all);
	g_free(modules);
}

static Module *find_module(const Modules *modules, const char *name, guint64 base)
{
	for (guint i = 0; i < modules->all->len; i++) {
		Module *module = g_ptr_array_index(modules->all, i);

		if (module->base == base && strcmp(module->name, name) == 0)
			return module;
	}
	return NULL;
}

/* "name size references users state address". One that is being loaded has not all its symbols. */
static gboolean is_live(char *const *words)
{
	return g_strv_length((char **)words) >= 6 && strcmp(words[4], "Live") == 0;
}

/* TRUE if there is one that was not known. */
static gboolean note_present(Modules *modules, const char *text)
{
	g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
	gboolean found = FALSE;

	for (guint i = 0; lines[i]; i++) {
		g_auto(GStrv) words = g_strsplit(lines[i], " ", -1);
		Module *module;
		guint64 base;

		if (!is_live(words))
			continue;
		base = g_ascii_strtoull(words[5], NULL, 16);
		module = find_module(modules, words[0], base);
		if (!module) {
			module = g_new0(Module, 1);
			module->name = g_strdup(words[0]);
			module->line = g_strconcat(lines[i], "\n", NULL);
			module->build_id = buildids_of_module(words[0]);
			module->base = base;
			module->symbols = g_string_new(NULL);
			module->is_new = TRUE;
			g_ptr_array_add(modules->all, module);
			found = TRUE;
		}
		module->present = TRUE;
	}
	return found;
}

/* TRUE if one that was not known has come. */
static gboolean look(Modules *modules)
{
	g_autofree char *text = NULL;
	guint before = 0, after = 0;
	gboolean found;

	if (!g_file_get_contents("/proc/modules", &text, NULL, NULL))
		return FALSE;
	for (guint i = 0; i < modules->all->len; i++) {
		Module *module = g_ptr_array_index(modules->all, i);

		before += module->present;
		module->present = FALSE;
	}
	found = note_present(modules, text);
	for (guint i = 0; i < modules->all->len; i++)
		after += ((Module *)g_ptr_array_index(modules->all, i))->present;
	if (found || before != after)
		modules->changed = TRUE;
	return found;
}

typedef struct {
	Modules *modules;
	Text *all;	/* NULL: symbols of new modules alone */
} Reading;

static Module *new_module(const Reading *reading, const char *name)
{
	for (guint i = reading->modules->all->len; i-- > 0;) {
		Module *module = g_ptr_array_index(reading->modules->all, i);

		if (module->is_new && strcmp(module->name, name) == 0)
			return module;
	}
	return NULL;
}

static void take_symbol(const char *line, guint64 addr, const char *name, gpointer data)
{
	Reading *reading = data;
	Module *module = name ? new_module(reading, name) : NULL;

	if (reading->all)
		text_append(reading->all, line, strlen(line));
	if (!module)
		return;
	g_string_append(module->symbols, line);
	module->last = MAX(module->last, addr);
}

/* Reads the symbols, of new modules for themselves, and all into @all if it is not NULL. */
static gboolean read_symbols(Modules *modules, Text *all, GError **error)
{
	Reading reading = { .modules = modules, .all = all };

	if (!kallsyms_each(take_symbol, &reading, error))
		return FALSE;
	for (guint i = 0; i < modules->all->len; i++)
		((Module *)g_ptr_array_index(modules->all, i))->is_new = FALSE;
	return TRUE;
}

/* /proc/modules as it is now, and the lines of those that are @gone. */
static gboolean write_modules(const GPtrArray *gone, struct trace_writer *writer,
			      enum kmemtrace_phase phase, GError **error)
{
	Text *text = text_begin(writer, "modules", phase);

	if (!text_append_file(text, "/proc/modules")) {
		text_drop(text);
		return TRUE;
	}
	for (guint i = 0; gone && i < gone->len; i++) {
		const Module *module = g_ptr_array_index(gone, i);

		text_append(text, module->line, strlen(module->line));
	}
	return text_end(text, error);
}

/* Those of the kernel and of all modules that were seen, also of those that are gone. */
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

/* The functions as they are now, and those of modules that are @gone. */
static gboolean write_symbols(Modules *modules, const GPtrArray *gone, struct trace_writer *writer,
			      enum kmemtrace_phase phase, GError **error)
{
	Text *text = text_begin(writer, "kallsyms", phase);
	gboolean fine = read_symbols(modules, text, error);

	for (guint i = 0; gone && i < gone->len; i++) {
		const Module *module = g_ptr_array_index(gone, i);

		text_append(text, module->symbols->str, module->symbols->len);
	}
	return text_end(text, fine ? error : NULL) && fine;
}

gboolean modules_write(Modules *modules, struct trace_writer *writer, GError **error)
{
	return write_symbols(modules, NULL, writer, KMEMTRACE_PHASE_START, error) &&
	       write_modules(NULL, writer, KMEMTRACE_PHASE_START, error) &&
	       write_build_ids(modules, writer, KMEMTRACE_PHASE_START, error);
}

Modules *modules_start(struct trace_writer *writer, GError **error)
{
	g_autoptr(Modules) modules = g_new0(Modules, 1);

	modules->all = g_ptr_array_new_with_free_func(module_free);
	look(modules);
	modules->changed = FALSE;
	return modules_write(modules, writer, error) ? g_steal_pointer(&modules) : NULL;
}

gboolean modules_look(Modules *modules, GError **error)
{
	return !look(modules) || read_symbols(modules, NULL, error);
}

/* TRUE if the functions of one that was seen later, or is there, lie where those of @gone lay. */
static gboolean is_covered(const Modules *modules, guint index)
{
	const Module *gone = g_ptr_array_index(modules->all, index);

	for (guint i = 0; i < modules->all->len; i++) {
		const Module *other = g_ptr_array_index(modules->all, i);

		if (i == index || !other->last || (!other->present && i < index))
			continue;
		if (other->base <= gone->last && gone->base <= other->last)
			return TRUE;
	}
	return FALSE;
}

/* Modules that are gone and whose addresses mean nothing else now. */
static GPtrArray *gone_modules(const Modules *modules)
{
	GPtrArray *gone = g_ptr_array_new();

	for (guint i = 0; i < modules->all->len; i++) {
		Module *module = g_ptr_array_index(modules->all, i);

		if (!module->present && module->last && !is_covered(modules, i))
			g_ptr_array_add(gone, module);
	}
	return gone;
}

gboolean modules_end(Modules *modules, struct trace_writer *writer, GError **error)
{
	g_autoptr(GPtrArray) gone = NULL;

	look(modules);
	gone = gone_modules(modules);
	return write_modules(gone, writer, KMEMTRACE_PHASE_END, error) &&
	       (!modules->changed ||
		(write_symbols(modules, gone, writer, KMEMTRACE_PHASE_END, error) &&
		 write_build_ids(modules, writer, KMEMTRACE_PHASE_END, error)));
}

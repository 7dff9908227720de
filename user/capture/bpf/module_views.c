// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/bpf/module_views.h"

#include <string.h>

#include "base/monotonic.h"
#include "base/seed.h"

static void add_module(GString *text, guint64 load_ns, guint64 unload_ns, guint64 base,
		       guint64 size, const char *name)
{
	g_string_append_printf(text,
			       "%" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT " 0x%" G_GINT64_MODIFIER
			       "x 0x%" G_GINT64_MODIFIER "x %.*s\n",
			       load_ns, unload_ns, base, size, (int)KMT_BPF_MODULE_NAME, name);
}

/* A line of /proc/modules. */
typedef struct {
	guint64 base, size;
	char *name;
} ModuleNow;

static void clear_module(gpointer data)
{
	g_free(((ModuleNow *)data)->name);
}

static int compare_bases(gconstpointer a, gconstpointer b)
{
	const ModuleNow *one = a, *other = b;

	return (one->base > other->base) - (one->base < other->base);
}

static GArray *read_modules(void)
{
	GArray *all = g_array_new(FALSE, FALSE, sizeof(ModuleNow));
	g_autofree char *text = NULL;
	g_auto(GStrv) lines = NULL;

	g_array_set_clear_func(all, clear_module);
	if (g_file_get_contents("/proc/modules", &text, NULL, NULL))
		lines = g_strsplit(text, "\n", -1);
	for (guint i = 0; lines && lines[i]; i++) {
		g_auto(GStrv) words = g_strsplit(lines[i], " ", -1);
		ModuleNow module;

		if (g_strv_length(words) < 6)
			continue;
		module.base = g_ascii_strtoull(words[5], NULL, 16);
		module.size = g_ascii_strtoull(words[1], NULL, 10);
		module.name = g_strdup(words[0]);
		g_array_append_val(all, module);
	}
	g_array_sort(all, compare_bases);
	return all;
}

/* The code of a module ends at the base of the next one at the latest. */
char *bpf_view_modules_now(GHashTable *sizes)
{
	g_autoptr(GArray) all = read_modules();
	GString *text = g_string_new(NULL);

	for (guint i = 0; i < all->len; i++) {
		const ModuleNow *module = &g_array_index(all, ModuleNow, i);
		gpointer base = GSIZE_TO_POINTER(module->base);
		gpointer known = sizes ? g_hash_table_lookup(sizes, base) : NULL;
		guint64 size = known ? GPOINTER_TO_UINT(known) : module->size;

		if (!module->base) /* it had only init code */
			size = 0;
		else if (i + 1 < all->len)
			size = MIN(size, module[1].base - module->base);
		add_module(text, 0, 0, module->base, size, module->name);
	}
	return g_string_free(text, FALSE);
}

/* Returns the number of entries, up to the first incomplete one. */
static guint count_modules(const BpfMaps *maps)
{
	guint count = MIN(maps->state->modules, KMT_BPF_MODULES);

	for (guint i = 0; i < count; i++) {
		if (!__atomic_load_n(&maps->modules[i].time_ns, __ATOMIC_ACQUIRE))
			return i;
	}
	return count;
}

const char *bpf_view_modules_path(const BpfPrograms *programs)
{
	const struct kmt_bpf_state *state = bpf_programs_maps(programs)->state;

	if (state->modules > KMT_BPF_MODULES)
		return "modules unseen: more modules were loaded or unloaded than are kept\n";
	if (state->functions > KMT_BPF_FUNCTIONS)
		return "modules unseen: more functions of unloaded modules and of init code than are kept\n";
	return "";
}

/* Modules that had only init code have no base. */
static gboolean is_same(gconstpointer a, gconstpointer b)
{
	const struct kmt_bpf_module *one = a, *other = b;

	return one->base == other->base && !strncmp(one->name, other->name, sizeof(one->name));
}

static guint hash_module(gconstpointer module)
{
	return seed_text(((const struct kmt_bpf_module *)module)->name);
}

/* Returns whether the first entry for @module says that it was loaded. */
static gboolean is_loaded_later(const BpfMaps *maps, const struct kmt_bpf_module *module)
{
	guint count = count_modules(maps);

	for (guint i = 0; i < count; i++) {
		if (is_same(&maps->modules[i], module))
			return !maps->modules[i].is_unloaded;
	}
	return FALSE;
}

/* Returns when @module was unloaded, by the entries from @from on; 0: it was not. */
static guint64 find_unload(const BpfMaps *maps, guint from, const struct kmt_bpf_module *module)
{
	guint count = count_modules(maps);

	for (guint i = from; i < count; i++) {
		if (is_same(&maps->modules[i], module))
			return maps->modules[i].is_unloaded ? maps->modules[i].time_ns : 0;
	}
	return 0;
}

/* Returns when the module that entry @at unloads was loaded; 0: before tracing. */
static guint64 find_load(const BpfMaps *maps, guint at)
{
	for (guint i = at; i-- > 0;) {
		if (is_same(&maps->modules[i], &maps->modules[at]))
			return maps->modules[i].is_unloaded ? 0 : maps->modules[i].time_ns;
	}
	return 0;
}

/* Parses a line of the view "modules": the base, size and name of a module. */
static gboolean parse_line(const char *line, struct kmt_bpf_module *module)
{
	g_auto(GStrv) words = g_strsplit(line, " ", -1);

	*module = (struct kmt_bpf_module){ 0 };
	if (g_strv_length(words) < 5)
		return FALSE;
	module->base = g_ascii_strtoull(words[2], NULL, 16);
	module->size = g_ascii_strtoull(words[3], NULL, 16);
	g_strlcpy(module->name, words[4], sizeof(module->name));
	return TRUE;
}

static void add_to(GHashTable *modules, const struct kmt_bpf_module *module)
{
	g_hash_table_add(modules, g_memdup2(module, sizeof(*module)));
}

/* Adds the modules of @text to the set. */
static void take_lines(GHashTable *modules, const char *text)
{
	g_auto(GStrv) lines = g_strsplit(text ?: "", "\n", -1);
	struct kmt_bpf_module module;

	for (guint i = 0; lines[i]; i++) {
		if (parse_line(lines[i], &module))
			add_to(modules, &module);
	}
}

/* Returns a set of struct kmt_bpf_module. */
static GHashTable *new_modules(void)
{
	return g_hash_table_new_full(hash_module, is_same, g_free, NULL);
}

/* Returns the modules that are known to be loaded. */
static GHashTable *known_modules(const BpfMaps *maps, const char *before)
{
	GHashTable *known = new_modules();
	guint count = count_modules(maps);

	take_lines(known, before);
	for (guint i = 0; i < count; i++) {
		const struct kmt_bpf_module *module = &maps->modules[i];

		if (module->is_unloaded)
			g_hash_table_remove(known, module);
		else
			add_to(known, module);
	}
	return known;
}

/* What is known of the time after the list was full. */
typedef struct {
	guint64 time_ns; /* 0: it is not full */
	GHashTable *now; /* the modules that are loaded now */
} FullList;

static FullList full_list(const BpfMaps *maps)
{
	guint count = count_modules(maps);
	FullList full = { .now = new_modules() };
	g_autofree char *now = NULL;

	if (count && maps->state->modules > KMT_BPF_MODULES) {
		full.time_ns = maps->modules[count - 1].time_ns;
		now = bpf_view_modules_now(NULL);
		take_lines(full.now, now);
	}
	return full;
}

/*
 * As find_unload(). A module that was unloaded after the list was full gives its name to none that
 * came later.
 */
static guint64 find_end(const BpfMaps *maps, guint from, const struct kmt_bpf_module *module,
			const FullList *full)
{
	guint64 end_ns = find_unload(maps, from, module);

	return end_ns || g_hash_table_contains(full->now, module) ? end_ns : full->time_ns;
}

/* Adds the modules that were loaded after the list was full, from then on. */
static void add_later(GString *text, const BpfMaps *maps, const char *before, const FullList *full)
{
	g_autoptr(GHashTable) known = known_modules(maps, before);
	GHashTableIter iter;
	gpointer key;

	g_hash_table_iter_init(&iter, full->now);
	while (g_hash_table_iter_next(&iter, &key, NULL)) {
		const struct kmt_bpf_module *module = key;

		if (!g_hash_table_contains(known, module))
			add_module(text, full->time_ns, 0, module->base, module->size,
				   module->name);
	}
}

char *bpf_view_modules(const BpfMaps *maps, const char *before)
{
	GString *text = g_string_new(NULL);
	g_auto(GStrv) lines = g_strsplit(before ?: "", "\n", -1);
	guint count = maps ? count_modules(maps) : 0;
	FullList full = { 0 };

	if (!maps)
		return g_string_free(text, FALSE);
	full = full_list(maps);
	for (guint i = 0; lines[i]; i++) {
		struct kmt_bpf_module module;

		if (parse_line(lines[i], &module) && !is_loaded_later(maps, &module))
			add_module(text, 0, find_end(maps, 0, &module, &full), module.base,
				   module.size, module.name);
	}
	for (guint i = 0; i < count; i++) {
		const struct kmt_bpf_module *module = &maps->modules[i];

		if (!module->is_unloaded)
			add_module(text, module->time_ns, find_end(maps, i + 1, module, &full),
				   module->base, module->size, module->name);
	}
	add_later(text, maps, before, &full);
	g_hash_table_unref(full.now);
	return g_string_free(text, FALSE);
}

/* Adds the functions at @base that were noted with @module. There may be others among them. */
static void add_functions(GString *text, const BpfMaps *maps, const struct kmt_bpf_module *module,
			  guint64 base, guint64 size)
{
	for (guint i = 0; i < module->count; i++) {
		const struct kmt_bpf_function *function = &maps->functions[module->first + i];

		if (function->addr - base < size)
			g_string_append_printf(text, "%016" G_GINT64_MODIFIER "x %c %.*s\n",
					       (guint64)function->addr, function->type,
					       (int)KMT_BPF_FUNCTION_NAME, function->name);
	}
}

/* Adds the functions of the module that entry @at unloads. */
static void add_unloaded(GString *text, const BpfMaps *maps, guint at)
{
	const struct kmt_bpf_module *module = &maps->modules[at];

	g_string_append(text, "text ");
	add_module(text, find_load(maps, at), module->time_ns, module->base, module->size,
		   module->name);
	add_functions(text, maps, module, module->base, module->size);
}

/* Adds the functions of the init code of the module that entry @at loads. It may still run. */
static void add_init(GString *text, const BpfMaps *maps, guint at)
{
	const struct kmt_bpf_module *module = &maps->modules[at];
	guint64 end_ns = module->init_end_ns ?: monotonic_ns();

	if (!module->count)
		return;
	g_string_append(text, "init ");
	add_module(text, module->time_ns, end_ns, module->init_base, module->init_size,
		   module->name);
	add_functions(text, maps, module, module->init_base, module->init_size);
}

char *bpf_view_module_functions(const BpfMaps *maps)
{
	GString *text = g_string_new(NULL);
	guint count = maps ? count_modules(maps) : 0;

	for (guint i = 0; i < count; i++) {
		const struct kmt_bpf_module *module = &maps->modules[i];

		/* Without one of its functions, the one before it would extend to the next one. */
		if ((guint64)module->first + module->count > KMT_BPF_FUNCTIONS)
			continue;
		if (module->is_unloaded)
			add_unloaded(text, maps, i);
		else
			add_init(text, maps, i);
	}
	return g_string_free(text, FALSE);
}

/* ---- modules that were loaded or unloaded in a pause ---- */

/* Adds an entry as the programs do. Without room, the view lacks it, as it does theirs. */
static void put_module(const BpfMaps *maps, const struct kmt_bpf_module *module, guint64 ns,
		       gboolean is_unloaded)
{
	guint at = __atomic_fetch_add(&maps->state->modules, 1, __ATOMIC_SEQ_CST);
	struct kmt_bpf_module *entry;

	if (at >= KMT_BPF_MODULES)
		return;
	entry = &maps->modules[at];
	entry->base = module->base;
	entry->size = module->size;
	entry->is_unloaded = is_unloaded;
	entry->init_base = entry->init_size = entry->init_end_ns = 0;
	entry->first = entry->count = 0;
	memcpy(entry->name, module->name, sizeof(entry->name));
	__atomic_store_n(&entry->time_ns, ns, __ATOMIC_RELEASE);
}

/* Notes the modules of @from that are not in @in. */
static void put_others(const BpfMaps *maps, GHashTable *from, GHashTable *in, guint64 ns,
		       gboolean is_unloaded)
{
	GHashTableIter iter;
	gpointer key;

	g_hash_table_iter_init(&iter, from);
	while (g_hash_table_iter_next(&iter, &key, NULL)) {
		const struct kmt_bpf_module *module = key;

		if (!g_hash_table_contains(in, module))
			put_module(maps, module, ns, is_unloaded);
	}
}

void bpf_view_note_modules(const BpfMaps *maps, const char *before, const char *now, guint64 off_ns,
			   guint64 on_ns)
{
	g_autoptr(GHashTable) known = known_modules(maps, before);
	g_autoptr(GHashTable) loaded = new_modules();

	take_lines(loaded, now);
	put_others(maps, known, loaded, off_ns, TRUE);
	put_others(maps, loaded, known, on_ns, FALSE);
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include "symbols/moduletimes.h"

#include <string.h>

#include "base/compare.h"
#include "base/seed.h"
#include "base/sorted.h"
#include "base/units.h"
#include "symbols/moduleindex.h"

#define ERAS_MAX    65536 /* later ones count as the last */
#define MODULES_MAX 16384 /* more are not from a tracer */

struct ModuleTimes {
	GArray *modules;    /* of ModuleTime, in the order of the text */
	GHashTable *names;  /* a set: their names */
	GHashTable *listed; /* module_key() to the first such module of the list + 1 */
	GArray *borders;    /* of guint64: starts of eras except the first, ascending */
	ModuleIndex *index;
	guint64 low, high; /* all modules are in this range */
	guint64 skipped;
};

static gboolean parse_number(const char *word, guint base, guint64 *value)
{
	if (base == 16 && !g_str_has_prefix(word, "0x"))
		return FALSE;
	return g_ascii_string_to_unsigned(base == 16 ? word + 2 : word, base, 0, G_MAXUINT64, value,
					  NULL);
}

/* Parses "load_ns unload_ns base size name"; the caller owns the name. */
static gboolean parse_module(const char *line, ModuleTime *module)
{
	g_auto(GStrv) words = g_strsplit_set(line, " \t", 5);

	*module = (ModuleTime){ NULL };
	if (g_strv_length(words) != 5 || !parse_number(words[0], 10, &module->load_ns) ||
	    !parse_number(words[1], 10, &module->unload_ns) ||
	    MAX(module->load_ns, module->unload_ns) >= UNITS_TIME_END ||
	    !parse_number(words[2], 16, &module->base) ||
	    !parse_number(words[3], 16, &module->size) || !*g_strstrip(words[4]) ||
	    strlen(words[4]) > SYMBOLS_MODULE_MAX || module->size > G_MAXUINT64 - module->base)
		return FALSE;
	module->name = g_strdup(words[4]);
	return TRUE;
}

static void add_module(ModuleTimes *times, const ModuleTime *module)
{
	g_array_append_vals(times->modules, module, 1);
	g_hash_table_add(times->names, (gpointer)module->name);
	times->low = MIN(times->low, module->base);
	times->high = MAX(times->high, module->base + module->size);
}

/* Returns what a module of the list has in common with that of its functions; for g_free(). */
static char *module_key(const ModuleTime *module)
{
	return g_strdup_printf("%" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT " %s", module->base,
			       module->load_ns, module->name);
}

static gboolean add_line(ModuleTimes *times, const char *line)
{
	g_autofree char *key = NULL;
	ModuleTime module;

	if (times->modules->len == MODULES_MAX || !parse_module(line, &module))
		return FALSE;
	add_module(times, &module);
	key = module_key(&module);
	if (!g_hash_table_contains(times->listed, key))
		g_hash_table_insert(times->listed, g_steal_pointer(&key),
				    GUINT_TO_POINTER(times->modules->len));
	return TRUE;
}

static void clear_module(gpointer data)
{
	ModuleTime *module = data;

	g_free((char *)module->name);
	symbols_free((Symbols *)module->functions);
}

static const ModuleTime *module_at(const ModuleTimes *times, guint index)
{
	return &g_array_index(times->modules, ModuleTime, index);
}

/* ---- functions of removed code ---- */

#define INIT       "init "
#define TEXT       "text "
#define BLOCKS_MAX (2 * MODULES_MAX) /* likewise; each is searched in the list */

/* Returns the line after the one at @text, or the end of @text. */
static const char *next_line(const char *text)
{
	const char *end = strchr(text, '\n');

	return end ? end + 1 : text + strlen(text);
}

/*
 * Returns the first line, from the one at @text on, that begins the functions of a module, or the
 * end of @text.
 */
static const char *find_head(const char *text)
{
	while (*text && !g_str_has_prefix(text, INIT) && !g_str_has_prefix(text, TEXT))
		text = next_line(text);
	return text;
}

/* Returns the module of the list that equals @gone; NULL: none. */
static ModuleTime *find_listed(const ModuleTimes *times, const ModuleTime *gone)
{
	g_autofree char *key = module_key(gone);
	guint number = GPOINTER_TO_UINT(g_hash_table_lookup(times->listed, key));

	return number ? &g_array_index(times->modules, ModuleTime, number - 1) : NULL;
}

/* Takes over the functions of @gone, and its name. */
static void add_gone(ModuleTimes *times, ModuleTime *gone)
{
	ModuleTime *listed = gone->is_init ? NULL : find_listed(times, gone);

	if (listed && !listed->functions) {
		listed->functions = g_steal_pointer(&gone->functions);
		clear_module(gone);
	} else if (gone->is_init && gone->unload_ns && times->modules->len < MODULES_MAX) {
		add_module(times, gone);
	} else { /* of no module of the list, repeated, without an end, or too many */
		times->skipped++;
		clear_module(gone);
	}
}

/* Adds a head and the lines after it. */
static void add_block(ModuleTimes *times, const char *block, gsize len)
{
	g_autofree char *head = g_strndup(block, len);
	char *functions = strchr(head, '\n');
	ModuleTime gone;
	Symbols *symbols;

	if (functions)
		*functions++ = 0;
	if (!parse_module(head + strlen(INIT), &gone)) {
		times->skipped++;
		return;
	}
	symbols = symbols_new(functions, NULL);
	times->skipped += symbols_skipped_lines(symbols);
	gone.is_init = g_str_has_prefix(head, INIT);
	gone.functions = symbols;
	add_gone(times, &gone);
}

static void add_functions(ModuleTimes *times, const char *text)
{
	const char *head = find_head(text), *next;

	times->skipped += head != text;
	for (guint i = 0; *head && i < BLOCKS_MAX; i++, head = next) {
		next = find_head(next_line(head));
		add_block(times, head, next - head);
	}
	times->skipped += *head != 0;
}

gboolean moduletimes_resolve(const ModuleTimes *times, guint number, guint64 addr, Symbol *out)
{
	const ModuleTime *module = module_at(times, number - 1);

	if (!module->functions || !symbols_resolve(module->functions, addr, out))
		return FALSE;
	out->module = module->name;
	return TRUE;
}

gboolean moduletimes_symbol(const ModuleTimes *times, guint number, const Symbols *end,
			    const Symbols *start, guint64 addr, Symbol *out)
{
	const char *module = number ? module_at(times, number - 1)->name : NULL;

	if (number && moduletimes_resolve(times, number, addr, out))
		return TRUE;
	return symbols_resolve_both(end, start, addr, module, out) &&
	       (module || !out->module || !g_hash_table_contains(times->names, out->module));
}

/* ---- eras ---- */

static gint compare_bases(gconstpointer a, gconstpointer b)
{
	const ModuleTime *x = *(const ModuleTime *const *)a, *y = *(const ModuleTime *const *)b;

	return COMPARE(x->base, y->base);
}

/* Returns pointers to the non-empty modules, ascending. */
static GPtrArray *sort_by_base(const ModuleTimes *times)
{
	GPtrArray *sorted = g_ptr_array_new();

	for (guint i = 0; i < times->modules->len; i++) {
		const ModuleTime *module = module_at(times, i);

		if (module->size)
			g_ptr_array_add(sorted, (gpointer)module);
	}
	g_ptr_array_sort(sorted, compare_bases);
	return sorted;
}

static void add_border(ModuleTimes *times, guint64 time_ns)
{
	if (time_ns)
		g_array_append_val(times->borders, time_ns);
}

/*
 * Adds the times at which modules are loaded: there may have been other code before, such as init
 * functions. Likewise the times from which a module that was unloaded does not count any more. Of
 * modules with shared addresses and of init code, the times at which they are freed count, too.
 */
static void add_borders(ModuleTimes *times)
{
	g_autoptr(GPtrArray) sorted = sort_by_base(times);
	guint64 end = 0; /* of the previous ones */

	for (guint i = 0; i < sorted->len; i++) {
		const ModuleTime *module = g_ptr_array_index(sorted, i);
		const ModuleTime *next =
			i + 1 < sorted->len ? g_ptr_array_index(sorted, i + 1) : NULL;

		add_border(times, module->load_ns);
		if (module->is_init || module->base < end ||
		    (next && next->base < module->base + module->size))
			add_border(times, module->unload_ns);
		if (module->unload_ns && !module->is_init)
			add_border(times, module->unload_ns + MODULE_GRACE_NS);
		end = MAX(end, module->base + module->size);
	}
	sorted_make(times->borders);
	g_array_set_size(times->borders, MIN(times->borders->len, ERAS_MAX - 1));
}

static ModuleIndex *make_index(const ModuleTimes *times)
{
	guint count = times->modules->len;
	g_autofree IndexedModule *modules = g_new(IndexedModule, count);

	for (guint i = 0; i < count; i++) {
		const ModuleTime *module = module_at(times, i);

		modules[i] = (IndexedModule){
			.base = module->base,
			.size = module->size,
			.load_ns = module->load_ns,
			.unload_ns = module->unload_ns,
			.strict = module->is_init,
		};
	}
	return moduleindex_new(modules, count);
}

ModuleTimes *moduletimes_new(const char *text, const char *functions)
{
	ModuleTimes *times = g_new0(ModuleTimes, 1);
	g_auto(GStrv) lines = g_strsplit(text ? text : "", "\n", -1);

	times->modules = g_array_new(FALSE, FALSE, sizeof(ModuleTime));
	times->names = g_hash_table_new(seed_text, g_str_equal);
	times->listed = g_hash_table_new_full(seed_text, g_str_equal, g_free, NULL);
	g_array_set_clear_func(times->modules, clear_module);
	times->borders = g_array_new(FALSE, FALSE, sizeof(guint64));
	times->low = G_MAXUINT64;
	for (guint i = 0; lines[i]; i++) {
		if (*lines[i] && !add_line(times, lines[i]))
			times->skipped++;
	}
	if (functions)
		add_functions(times, functions);
	add_borders(times);
	times->index = make_index(times);
	return times;
}

void moduletimes_free(ModuleTimes *times)
{
	if (!times)
		return;
	moduleindex_free(times->index);
	g_hash_table_unref(times->listed);
	g_hash_table_unref(times->names);
	g_array_unref(times->modules);
	g_array_unref(times->borders);
	g_free(times);
}

guint moduletimes_eras(const ModuleTimes *times)
{
	return times->borders->len + 1;
}

guint moduletimes_era(const ModuleTimes *times, guint64 time_ns)
{
	return sorted_count(times->borders->data, times->borders->len, sizeof(guint64), 0, time_ns);
}

/*
 * Returns the module. One that shares its addresses is loaded for all of an era or none of it. If
 * none is loaded, it is the last one that was just unloaded, since a thread may still be returning
 * from it. That is not so for init code, whose times are those of a call.
 */
guint moduletimes_at(const ModuleTimes *times, guint64 addr, guint era, ModuleEras *same)
{
	guint64 start_ns = era ? g_array_index(times->borders, guint64, era - 1) : 0;
	ModuleSpan span = { 0, G_MAXUINT64 };
	guint number;

	if (addr <= times->low || addr > times->high)
		return 0;
	number = moduleindex_at(times->index, addr - 1, start_ns, &span);
	if (same && span.since_ns)
		same->first = MAX(same->first, moduletimes_era(times, span.since_ns - 1) + 1);
	if (same && span.until_ns != G_MAXUINT64)
		same->end = MIN(same->end, moduletimes_era(times, span.until_ns - 1) + 1);
	return number;
}

guint moduletimes_count(const ModuleTimes *times)
{
	return times->modules->len;
}

ModuleTime moduletimes_get(const ModuleTimes *times, guint number)
{
	return *module_at(times, number - 1);
}

guint64 moduletimes_skipped_lines(const ModuleTimes *times)
{
	return times->skipped;
}

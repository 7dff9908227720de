// SPDX-License-Identifier: GPL-2.0-or-later
#include "top/names.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "analysis/snapshot.h"
#include "base/tokenize.h"
#include "capture/target/kallsyms.h"
#include "symbols/symbols.h"

#define STACK_ID_UNIT 8 /* bytes of the table */

struct TopNames {
	const Control *control;
	Symbols *symbols;
	char *modules;      /* the text that the symbols were made from */
	GHashTable *caches; /* id to interned name */
};

static void append_line(const char *line, gpointer data)
{
	g_string_append(data, line);
}

/* Takes over @modules. */
static gboolean load_symbols(TopNames *names, char *modules, GError **error)
{
	g_autoptr(GString) text = g_string_new(NULL);

	g_free(names->modules);
	names->modules = modules;
	if (!kallsyms_each(append_line, text, error))
		return FALSE;
	if (names->symbols)
		symbols_free(names->symbols);
	names->symbols = symbols_new(text->str, modules);
	return TRUE;
}

/*
 * Returns the text of /proc/modules with constant use counts, since these change all the time. For
 * g_free().
 */
static char *read_modules(void)
{
	g_autofree char *text = NULL;
	g_auto(GStrv) lines = NULL;
	GString *kept = g_string_new(NULL);

	if (!g_file_get_contents("/proc/modules", &text, NULL, NULL))
		return g_string_free(kept, FALSE);
	lines = g_strsplit(text, "\n", -1);
	for (guint i = 0; lines[i]; i++) {
		g_auto(GStrv) words = g_strsplit(lines[i], " ", -1);

		if (g_strv_length(words) >= 6 && g_str_equal(words[4], "Live"))
			g_string_append_printf(kept, "%s %s 0 - Live %s\n", words[0], words[1],
					       words[5]);
	}
	return g_string_free(kept, FALSE);
}

TopNames *top_names_new(const Control *control, GError **error)
{
	g_autoptr(TopNames) names = g_new0(TopNames, 1);

	names->control = control;
	names->caches = g_hash_table_new(NULL, NULL);
	return load_symbols(names, read_modules(), error) ? g_steal_pointer(&names) : NULL;
}

void top_names_free(TopNames *names)
{
	if (!names)
		return;
	if (names->symbols)
		symbols_free(names->symbols);
	g_hash_table_unref(names->caches);
	g_free(names->modules);
	g_free(names);
}

gboolean top_names_look(TopNames *names, gboolean *changed, GError **error)
{
	g_autofree char *modules = read_modules();

	*changed = !g_str_equal(modules, names->modules);
	return !*changed || load_symbols(names, g_steal_pointer(&modules), error);
}

/* ---- functions ---- */

static PairBacking backing_of(const Symbols *symbols, guint64 addr, gboolean *page_allocator)
{
	Symbol symbol;

	*page_allocator = FALSE;
	if (!symbols_resolve(symbols, addr, &symbol))
		return PAIR_BACKING_NONE;
	*page_allocator = symbols_is_page_allocator(symbol.name, symbol.module);
	if (symbols_is_slab_backing(symbol.name, symbol.module))
		return PAIR_BACKING_SLAB;
	return symbols_is_percpu_backing(symbol.name, symbol.module) ? PAIR_BACKING_PERCPU
								     : PAIR_BACKING_NONE;
}

/*
 * Finds the backing by the allocators' frames alone: further out may be a slab that waits for
 * reclaim.
 */
static PairBacking find_backing(const Symbols *symbols, guint64 call_site, const guint64 *addrs,
				guint depth)
{
	gboolean is_inside = TRUE;
	PairBacking backing = PAIR_BACKING_NONE;

	if (call_site)
		backing = backing_of(symbols, call_site, &is_inside);
	is_inside = TRUE;
	for (guint i = 0; i < depth && !backing && is_inside; i++)
		backing = backing_of(symbols, addrs[i], &is_inside);
	return backing;
}

static gboolean is_allocator(const Symbols *symbols, guint64 addr, gboolean of_pages)
{
	Symbol symbol;

	if (!symbols_resolve(symbols, addr, &symbol))
		return symbols_is_trampoline(symbols, addr);
	return of_pages ? symbols_is_page_allocator(symbol.name, symbol.module)
			: symbols_is_allocator(symbol.name, symbol.module);
}

static gboolean replaces_returns(const Symbols *symbols, guint64 addr)
{
	Symbol symbol;

	return symbols_resolve(symbols, addr, &symbol) && symbols_replaces_returns(symbol.name);
}

static guint64 find_caller(const Symbols *symbols, guint64 call_site, const guint64 *addrs,
			   guint depth, gboolean of_pages)
{
	guint first = depth;

	for (guint i = depth; i-- > 0;) {
		if (addrs[i] == call_site)
			first = i;
	}
	/* A call site that another tracer replaced is unknown, if the stack does not have it. */
	if (call_site && !(first == depth && depth && replaces_returns(symbols, call_site)) &&
	    !is_allocator(symbols, call_site, of_pages))
		return call_site;
	for (guint i = first == depth ? 0 : first; i < depth; i++) {
		if (!is_allocator(symbols, addrs[i], of_pages))
			return addrs[i];
	}
	return call_site;
}

void top_names_resolve(const Symbols *symbols, guint64 call_site, const guint64 *addrs, guint depth,
		       gboolean of_pages, TopName *name)
{
	guint64 caller = find_caller(symbols, call_site, addrs, depth, of_pages);
	g_autofree char *text = NULL;
	Symbol symbol;

	name->backing = find_backing(symbols, call_site, addrs, depth);
	name->unresolved = !symbols_resolve(symbols, caller, &symbol);
	if (!name->unresolved) {
		name->caller = g_intern_string(symbol.name);
		name->module = g_intern_string(symbol.module);
		return;
	}
	text = caller ? g_strdup_printf("0x%" G_GINT64_MODIFIER "x", caller)
		      : g_strdup("(unknown)");
	name->caller = g_intern_string(text);
	name->module = g_intern_string("(unknown)");
}

/* Reads the stack @id to @addrs, which has room for any. Returns its depth; 0: unknown. */
static guint read_stack(const TopNames *names, guint32 id, guint64 *addrs)
{
	off_t at = (off_t)id * STACK_ID_UNIT;
	struct kmemtrace_stack head;
	ssize_t bytes;

	if (!id || control_read_stacks(names->control, &head, sizeof(head), at) != sizeof(head) ||
	    !head.hash || head.depth > KMEMTRACE_STACK_DEPTH_MAX)
		return 0;
	bytes = head.depth * sizeof(*addrs);
	return control_read_stacks(names->control, addrs, bytes, at + sizeof(head)) == bytes
		       ? head.depth
		       : 0;
}

/* ---- caches ---- */

static const char *look_up_cache(const TopNames *names, guint id)
{
	return g_hash_table_lookup(names->caches, GUINT_TO_POINTER(id));
}

static void read_caches(TopNames *names)
{
	g_autofree char *text = control_read(names->control, "caches", NULL);
	char *rest = text, *line;
	NameLine cache;

	while (text && (line = tokenize_line(&rest))) {
		if (snapshot_parse_name(line, &cache) == LINE_FINE)
			g_hash_table_insert(names->caches, GUINT_TO_POINTER((guint)cache.id),
					    (gpointer)g_intern_string(cache.name));
	}
}

/* Returns the name of the cache, or only the size if a kmalloc() names no cache; NULL: none. */
static const char *name_cache(TopNames *names, const TopOrigin *origin)
{
	g_autofree char *text = NULL;
	const char *known;

	if (origin->event == KMEMTRACE_EVENT_KMALLOC && !origin->cache) {
		text = g_strdup_printf("kmalloc of %u", origin->bytes_alloc);
		return g_intern_string(text);
	}
	if (trace_event_kind(origin->event) != TRACE_SLAB)
		return NULL;
	known = look_up_cache(names, origin->cache);
	if (!known) {
		read_caches(names);
		known = look_up_cache(names, origin->cache);
	}
	return known ? known : g_intern_string("(unknown)");
}

void top_names_find(gpointer data, const TopOrigin *origin, TopName *name)
{
	guint64 addrs[KMEMTRACE_STACK_DEPTH_MAX];
	TopNames *names = data;
	guint depth = read_stack(names, origin->stack_id, addrs);

	name->cache = name_cache(names, origin);
	top_names_resolve(names->symbols, origin->call_site, addrs, depth,
			  trace_event_kind(origin->event) == TRACE_PAGE, name);
}

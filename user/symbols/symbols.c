// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A sorted array of the kernel's functions, with binary search.
 *
 * Symbols have no size in kallsyms: a function extends to the next symbol, but not beyond the end
 * of its text section. That is _etext for the kernel, and in /proc/modules for a module; without
 * it, data behind the last function would count as part of it.
 *
 * Invariant after symbols_new(): addresses ascend and are unique, each start is below its end.
 */
#include "symbols/symbols.h"

#include <string.h>

#include "base/compare.h"
#include "base/seed.h"
#include "base/sorted.h"
#include "base/tokenize.h"

#define SYMBOL_BYTES_MAX (1U << 20)        /* longer than any function */
#define MADE_BYTES_MAX   4096              /* of generated BPF code: an empty page may follow */
#define BPF_TRAMPOLINE   "bpf_trampoline_" /* and a number */
#define SYMBOLS_MAX      (1U << 20)        /* several times as many as in a kernel */
#define NAME_BYTES       511               /* KSYM_NAME_LEN is 512 */

typedef struct {
	guint64 start;
	guint64 end;        /* exclusive; equal to start: an end marker, not a function */
	const char *name;   /* in Symbols.text */
	const char *module; /* in Symbols.text; NULL: the kernel */
	guint order;        /* of lines, for a stable sort */
	guint8 rank;        /* the entry with the lowest rank at an address is kept */
} Entry;

/* Ranks. An end marker wins over a function: only names of other sections are at that address. */
enum { RANK_END, RANK_GLOBAL, RANK_LOCAL, RANK_LABEL };

typedef struct {
	guint64 base;
	guint64 size; /* bytes, from base on */
	gboolean is_live;
} Extent;

struct Symbols {
	char *text;           /* kallsyms, split into words */
	GArray *entries;      /* of Entry, ascending by start */
	GHashTable *modules;  /* name to Extent */
	guint64 kernel_start; /* address of _stext; 0: unknown */
	guint64 skipped;
};

static gboolean parse_hex(const char *word, guint64 *value)
{
	char *end;

	if (!word || !g_ascii_isxdigit(*word))
		return FALSE;
	*value = g_ascii_strtoull(word, &end, 16);
	return !*end;
}

static gboolean is_text(const char *type)
{
	return type[0] && !type[1] && strchr("tTwWi", type[0]);
}

/*
 * Returns whether it marks the start of code or data, even within a function: "$x", "$d.12" on
 * arm64.
 */
static gboolean is_mapping_symbol(const char *name)
{
	return name[0] == '$' && (name[1] == 'x' || name[1] == 'd') && (!name[2] || name[2] == '.');
}

/* Returns whether it is a name of the linker script, or the padding before a function. */
static gboolean is_label(const char *name)
{
	static const char *const labels[] = { "_text", "_stext", "_sinittext", NULL };
	static const char *const beginnings[] = { "__pfx_", "__cfi_", ".L" };
	static const char *const ends[] = { "_text_start", "_text_end" };

	for (guint i = 0; i < G_N_ELEMENTS(beginnings); i++) {
		if (g_str_has_prefix(name, beginnings[i]))
			return TRUE;
	}
	for (guint i = 0; i < G_N_ELEMENTS(ends); i++) {
		if (g_str_has_suffix(name, ends[i]))
			return TRUE;
	}
	return g_strv_contains(labels, name);
}

static guint8 rank_of(const char *type, const char *name)
{
	if (!strcmp(name, "_etext") || !strcmp(name, "_einittext"))
		return RANK_END;
	if (is_label(name))
		return RANK_LABEL;
	return *type == 't' || *type == 'i' ? RANK_LOCAL : RANK_GLOBAL;
}

/* Removes the brackets of "[name]" in place; NULL for another form. */
static char *strip_brackets(char *word)
{
	gsize len = strlen(word);

	if (len < 3 || word[0] != '[' || word[len - 1] != ']')
		return NULL;
	word[len - 1] = 0;
	return word + 1;
}

/* Ignores an address of 0, hidden by kptr_restrict. */
static gboolean add_line(Symbols *symbols, char *line)
{
	char *addr = tokenize_word(&line), *type = tokenize_word(&line);
	char *name = tokenize_word(&line), *module = tokenize_word(&line);
	Entry entry = { .order = symbols->entries->len };

	if (!parse_hex(addr, &entry.start) || !type || !name)
		return FALSE;
	if (module) {
		module = strip_brackets(module);
		if (!module)
			return FALSE;
	}
	if (strlen(name) > NAME_BYTES || (module && strlen(module) > SYMBOLS_MODULE_MAX))
		return FALSE;
	if (!is_text(type) || !entry.start || is_mapping_symbol(name))
		return TRUE;
	if (symbols->entries->len >= SYMBOLS_MAX)
		return FALSE;
	if (!module && !strcmp(name, "_stext"))
		symbols->kernel_start = entry.start;
	entry.name = name;
	entry.module = module;
	entry.rank = rank_of(type, name);
	g_array_append_val(symbols->entries, entry);
	return TRUE;
}

static void add_kallsyms(Symbols *symbols)
{
	char *text = symbols->text, *line;

	while ((line = tokenize_line(&text))) {
		if (*line && !add_line(symbols, line))
			symbols->skipped++;
	}
}

/* Adds a line "name size references users state address"; the address may be hidden. */
static gboolean add_module(Symbols *symbols, char *line)
{
	g_autofree Extent *extent = g_new0(Extent, 1);
	char *words[6];

	for (guint i = 0; i < G_N_ELEMENTS(words); i++) {
		words[i] = tokenize_word(&line);
		if (!words[i])
			return FALSE;
	}
	if (!g_ascii_string_to_unsigned(words[1], 10, 1, G_MAXINT64, &extent->size, NULL) ||
	    !g_str_has_prefix(words[5], "0x") || !parse_hex(words[5] + 2, &extent->base))
		return FALSE;
	extent->is_live = !strcmp(words[4], "Live");
	if (extent->base && extent->base <= G_MAXUINT64 - extent->size)
		g_hash_table_replace(symbols->modules, g_strdup(words[0]),
				     g_steal_pointer(&extent));
	return TRUE;
}

static void add_modules(Symbols *symbols, const char *modules)
{
	g_autofree char *copy = g_strdup(modules);
	char *text = copy, *line;

	while ((line = tokenize_line(&text))) {
		if (*line && !add_module(symbols, line))
			symbols->skipped++;
	}
}

static int compare_extents(const void *a, const void *b)
{
	const Extent *x = *(const Extent *const *)a, *y = *(const Extent *const *)b;

	return COMPARE(x->base, y->base);
}

/* The sizes in /proc/modules include data elsewhere: code ends at the next module at the latest. */
static void clip_extents(Symbols *symbols)
{
	g_autoptr(GPtrArray) sorted = g_ptr_array_new();
	GHashTableIter iter;
	gpointer extent;

	g_hash_table_iter_init(&iter, symbols->modules);
	while (g_hash_table_iter_next(&iter, NULL, &extent))
		g_ptr_array_add(sorted, extent);
	g_ptr_array_sort(sorted, compare_extents);
	for (guint i = 0; i + 1 < sorted->len; i++) {
		Extent *one = g_ptr_array_index(sorted, i);
		const Extent *next = g_ptr_array_index(sorted, i + 1);

		one->size = MIN(one->size, next->base - one->base);
	}
}

/* Returns the module of a symbol. NULL: the kernel, or its address is unknown. */
static const Extent *extent_of(const Symbols *symbols, const Entry *entry)
{
	return entry->module ? g_hash_table_lookup(symbols->modules, entry->module) : NULL;
}

static gboolean extent_has(const Extent *extent, guint64 addr)
{
	return addr >= extent->base && addr - extent->base < extent->size;
}

/*
 * Returns whether a symbol is outside of its module's code: that of an init function that has
 * returned. While ftrace is in use, the kernel keeps these symbols after the code is freed and
 * other code is there.
 */
static gboolean is_outside(const Symbols *symbols, const Entry *entry)
{
	const Extent *extent = extent_of(symbols, entry);

	return extent && extent->is_live && !extent_has(extent, entry->start);
}

static void drop_outside(Symbols *symbols)
{
	guint kept = 0;

	for (guint i = 0; i < symbols->entries->len; i++) {
		const Entry *entry = &g_array_index(symbols->entries, Entry, i);

		if (!is_outside(symbols, entry))
			g_array_index(symbols->entries, Entry, kept++) = *entry;
	}
	g_array_set_size(symbols->entries, kept);
}

static int compare_entries(const void *a, const void *b)
{
	const Entry *x = a, *y = b;

	return COMPARE(x->start, y->start) ?: x->rank - y->rank ?: COMPARE(x->order, y->order);
}

static void sort_entries(GArray *entries)
{
	guint kept = 0;

	g_array_sort(entries, compare_entries);
	for (guint i = 0; i < entries->len; i++) {
		Entry *entry = &g_array_index(entries, Entry, i);

		if (!kept || g_array_index(entries, Entry, kept - 1).start != entry->start)
			g_array_index(entries, Entry, kept++) = *entry;
	}
	g_array_set_size(entries, kept);
}

/* Returns the end of the module with a symbol. Those of init code extend to the next symbol. */
static guint64 module_limit(const Symbols *symbols, const Entry *entry)
{
	const Extent *extent = extent_of(symbols, entry);

	return extent && extent_has(extent, entry->start) ? extent->base + extent->size
							  : G_MAXUINT64;
}

/* Returns whether the kernel generates such code: for BPF, or for ftrace and kprobes. */
static gboolean is_generated(const char *module)
{
	return module && (g_str_equal(module, "bpf") || g_str_has_prefix(module, "__builtin__"));
}

/*
 * Returns the maximum length of a symbol. Generated code is anywhere between modules. The code
 * after it may have belonged to a module and been freed, such as its init functions. A BPF
 * trampoline may even be at their addresses, since it is generated anew whenever a program is
 * attached or detached. No name is better than a wrong one.
 */
static guint64 most_bytes(const Entry *entry)
{
	if (!is_generated(entry->module))
		return SYMBOL_BYTES_MAX;
	return g_str_has_prefix(entry->name, BPF_TRAMPOLINE) ? 0 : MADE_BYTES_MAX;
}

static void set_ends(Symbols *symbols)
{
	guint64 next = G_MAXUINT64;

	for (guint i = symbols->entries->len; i-- > 0;) {
		Entry *entry = &g_array_index(symbols->entries, Entry, i);
		guint64 end = MIN(next, module_limit(symbols, entry));

		if (end - entry->start > most_bytes(entry))
			end = entry->start + most_bytes(entry);
		entry->end = entry->rank == RANK_END ? entry->start : end;
		next = entry->start;
	}
}

Symbols *symbols_new(const char *kallsyms, const char *modules)
{
	Symbols *symbols = g_new0(Symbols, 1);

	symbols->text = g_strdup(kallsyms ? kallsyms : "");
	symbols->entries = g_array_new(FALSE, FALSE, sizeof(Entry));
	symbols->modules = g_hash_table_new_full(seed_text, g_str_equal, g_free, g_free);
	add_kallsyms(symbols);
	if (modules)
		add_modules(symbols, modules);
	clip_extents(symbols);
	drop_outside(symbols);
	sort_entries(symbols->entries);
	set_ends(symbols);
	return symbols;
}

void symbols_free(Symbols *symbols)
{
	if (!symbols)
		return;
	g_hash_table_unref(symbols->modules);
	g_array_unref(symbols->entries);
	g_free(symbols->text);
	g_free(symbols);
}

/* Returns the last entry that starts at or before @addr. */
static const Entry *find_entry(const Symbols *symbols, guint64 addr)
{
	guint count = SORTED_COUNT(symbols->entries, Entry, start, addr);

	return count ? &g_array_index(symbols->entries, Entry, count - 1) : NULL;
}

gboolean symbols_replaces_returns(const char *name)
{
	return g_str_equal(name, "return_to_handler") ||
	       g_str_equal(name, "arch_rethook_trampoline") ||
	       g_str_equal(name, "__kretprobe_trampoline");
}

gboolean symbols_resolve(const Symbols *symbols, guint64 addr, Symbol *out)
{
	const Entry *entry = addr ? find_entry(symbols, addr) : NULL;

	if (entry && entry->start == addr &&
	    !(addr < entry->end && symbols_replaces_returns(entry->name)))
		entry = find_entry(symbols, addr - 1);
	if (!entry || addr - 1 >= entry->end)
		return FALSE;
	*out = (Symbol){
		.name = entry->name,
		.module = entry->module,
		.start = entry->start,
		.offset = addr - entry->start,
	};
	return TRUE;
}

static gboolean is_same(guint64 start, const char *name, const Symbol *other)
{
	return start == other->start && g_str_equal(name, other->name);
}

/* Returns whether @symbols has a function at the same address with the same name. */
static gboolean has_same(const Symbols *symbols, const Symbol *symbol)
{
	const Entry *entry = find_entry(symbols, symbol->start);

	return entry && is_same(entry->start, entry->name, symbol);
}

gboolean symbols_resolve_both(const Symbols *end, const Symbols *start, guint64 addr,
			      const char *module, Symbol *out)
{
	Symbol late, early;
	gboolean is_late = end && symbols_resolve(end, addr, &late);
	gboolean is_early = start && symbols_resolve(start, addr, &early);

	/* The start knows the lengths of programs. */
	if (is_early && is_generated(early.module) && end && !has_same(end, &early))
		return FALSE;
	if (is_late && is_generated(late.module) && start &&
	    !(is_early && is_same(early.start, early.name, &late)))
		return FALSE;
	if (is_late && (!module || !g_strcmp0(late.module, module)))
		*out = late;
	else if (is_early && (!module || !g_strcmp0(early.module, module)))
		*out = early;
	else
		return FALSE;
	return TRUE;
}

gboolean symbols_is_trampoline(const Symbols *symbols, guint64 addr)
{
	const Entry *entry = symbols && addr ? find_entry(symbols, addr - 1) : NULL;

	return entry && is_generated(entry->module) && addr - entry->start <= MADE_BYTES_MAX &&
	       g_str_has_prefix(entry->name, BPF_TRAMPOLINE);
}

/* A function of a BPF program. */
typedef struct {
	guint64 load_ns, start, bytes;
} Program;

/* Parses a line "load_ns address bytes". */
static gboolean parse_program(char *line, Program *program)
{
	char *load = tokenize_word(&line), *addr = tokenize_word(&line);
	char *len = tokenize_word(&line);

	return len &&
	       g_ascii_string_to_unsigned(load, 10, 0, G_MAXUINT64, &program->load_ns, NULL) &&
	       g_str_has_prefix(addr, "0x") && parse_hex(addr + 2, &program->start) &&
	       g_ascii_string_to_unsigned(len, 10, 0, SYMBOL_BYTES_MAX, &program->bytes, NULL);
}

/* Sets the length of the function, or forgets it if it is not @known all the time. */
static void take_program(Symbols *symbols, const Program *program, gboolean known)
{
	guint count = SORTED_COUNT(symbols->entries, Entry, start, program->start);
	Entry *entry = count ? &g_array_index(symbols->entries, Entry, count - 1) : NULL;

	if (!entry || entry->start != program->start || !is_generated(entry->module))
		return;
	entry->end = entry->start;
	if (known)
		entry->end += MIN(program->bytes, G_MAXUINT64 - entry->start);
	if (count < symbols->entries->len)
		entry->end = MIN(entry->end, entry[1].start);
}

/* Returns the load times in @programs by address; NULL for NULL. */
static GHashTable *load_times(const char *programs)
{
	GHashTable *times =
		programs ? g_hash_table_new_full(seed_int64, g_int64_equal, g_free, g_free) : NULL;
	g_autofree char *copy = g_strdup(programs);
	char *text = copy, *line;
	Program program;

	while (programs && (line = tokenize_line(&text))) {
		if (parse_program(line, &program))
			g_hash_table_replace(times,
					     g_memdup2(&program.start, sizeof(program.start)),
					     g_memdup2(&program.load_ns, sizeof(program.load_ns)));
	}
	return times;
}

guint64 symbols_set_programs(Symbols *symbols, const char *programs, const char *later,
			     guint64 time_ns)
{
	g_autoptr(GHashTable) left = load_times(later);
	g_autofree char *copy = g_strdup(programs);
	char *text = copy, *line;
	guint64 invalid = 0;
	Program program;

	while ((line = tokenize_line(&text))) {
		const guint64 *load_ns;

		if (!*line)
			continue;
		if (!parse_program(line, &program)) {
			invalid++;
			continue;
		}
		load_ns = left ? g_hash_table_lookup(left, &program.start) : &program.load_ns;
		take_program(symbols, &program,
			     program.load_ns <= time_ns && load_ns && *load_ns == program.load_ns);
	}
	return invalid;
}

guint64 symbols_kernel_start(const Symbols *symbols)
{
	return symbols->kernel_start;
}

guint64 symbols_skipped_lines(const Symbols *symbols)
{
	return symbols->skipped;
}

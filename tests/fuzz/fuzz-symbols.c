// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Fuzzes the lookup of names for addresses: an input is the texts "kallsyms", "modules",
 * "module_times", "module_functions", "bpf_programs" and "kallsyms" of the end, in this order with
 * zeros between them. A name must come
 * from the text and be correct: the nearest function below, and the module that was loaded there.
 */
#include <glib.h>
#include <string.h>

#include "fuzz.h"
#include "symbols/moduletimes.h"
#include "symbols/symbols.h"

#define FUNCTION_BYTES_MAX	(1U << 20)
#define ADDRS_MAX		200	/* addresses of a text that are looked up */
#define ERAS_MAX		65536
#define SECOND			1000000000

/* All hexadecimal numbers in the text, which are mostly meaningful addresses. */
static GArray *find_addrs(const char *text)
{
	GArray *addrs = g_array_new(FALSE, FALSE, sizeof(guint64));

	while (*text && addrs->len < ADDRS_MAX) {
		char *end;
		guint64 addr = g_ascii_strtoull(text, &end, 16);

		if (end != text)
			g_array_append_val(addrs, addr);
		text = end != text ? end : text + 1;
	}
	return addrs;
}

static void check_name(const char *text, const char *name)
{
	REQUIRE(*name && strstr(text, name));
	symbols_is_allocator(name, NULL);
	symbols_is_slab_backing(name, NULL);
	symbols_is_percpu_backing(name, NULL);
}

static void resolve(const Symbols *symbols, const char *kallsyms, guint64 addr)
{
	Symbol symbol, first;

	if (!symbols_resolve(symbols, addr, &symbol))
		return;
	/* At its first byte, if it is a trampoline. */
	REQUIRE(symbol.start && symbol.start <= addr && symbol.offset == addr - symbol.start);
	REQUIRE(symbol.offset <= FUNCTION_BYTES_MAX);
	check_name(kallsyms, symbol.name);
	if (symbol.module)
		check_name(kallsyms, symbol.module);
	/* Every address from its first byte on belongs to the same function. */
	REQUIRE(symbols_resolve(symbols, symbol.start + 1, &first));
	REQUIRE(first.start == symbol.start && first.name == symbol.name && first.offset == 1);
}

static void fuzz_symbols(const char *kallsyms, const char *modules)
{
	g_autoptr(Symbols) symbols = symbols_new(kallsyms, modules);
	g_autoptr(GArray) addrs = find_addrs(kallsyms);

	for (guint i = 0; i < addrs->len; i++) {
		guint64 addr = g_array_index(addrs, guint64, i);

		for (guint offset = 0; offset < 3; offset++)
			resolve(symbols, kallsyms, addr + offset);
		resolve(symbols, kallsyms, addr + 0x1000);
		resolve(symbols, kallsyms, addr + FUNCTION_BYTES_MAX);
		resolve(symbols, kallsyms, addr + FUNCTION_BYTES_MAX + 1);
	}
	REQUIRE(!symbols_resolve(symbols, 0, &(Symbol){ NULL }));
}

/* ---- modules that are loaded and unloaded ---- */

static gboolean holds(const ModuleTime *module, guint64 addr)
{
	return addr - 1 >= module->base && addr - 1 - module->base < module->size;
}

static gboolean is_there(const ModuleTime *module, guint64 time_ns)
{
	return module->load_ns <= time_ns && (!module->unload_ns || module->unload_ns > time_ns);
}

/* A thread may still return to a module that was unloaded less than a second ago. */
static gboolean is_just_gone(const ModuleTime *module, guint64 time_ns)
{
	return !module->is_init && module->load_ns <= time_ns && module->unload_ns &&
	       time_ns < module->unload_ns + SECOND;
}

/*
 * The answer is a module that was loaded at @addr, or just unloaded; if any was there at the time,
 * one of those.
 */
static void look_up(const ModuleTimes *times, guint64 addr, guint64 time_ns)
{
	guint found = moduletimes_at(times, addr, moduletimes_era(times, time_ns), NULL);
	Symbol symbol;
	gboolean any = FALSE, now = FALSE;

	for (guint i = 1; addr && i <= moduletimes_count(times); i++) {
		ModuleTime module = moduletimes_get(times, i);

		any |= holds(&module, addr) &&
		       (is_there(&module, time_ns) || is_just_gone(&module, time_ns));
		now |= holds(&module, addr) && is_there(&module, time_ns);
	}
	REQUIRE(found <= moduletimes_count(times));
	REQUIRE(!found || any || moduletimes_eras(times) == ERAS_MAX);
	REQUIRE(found || !now || moduletimes_eras(times) == ERAS_MAX);
	if (found) {
		ModuleTime module = moduletimes_get(times, found);

		REQUIRE(holds(&module, addr));
		REQUIRE(!now || is_there(&module, time_ns) || moduletimes_eras(times) == ERAS_MAX);
		if (moduletimes_resolve(times, found, addr, &symbol))
			REQUIRE(*symbol.name && symbol.module == module.name);
	}
}

static void fuzz_module_times(const char *text, const char *functions)
{
	g_autoptr(ModuleTimes) times = moduletimes_new(text, functions);
	guint count = MIN(moduletimes_count(times), 24);

	REQUIRE(moduletimes_eras(times) >= 1 && moduletimes_eras(times) <= ERAS_MAX);
	REQUIRE(moduletimes_era(times, 0) < moduletimes_eras(times));
	REQUIRE(moduletimes_era(times, G_MAXUINT64) == moduletimes_eras(times) - 1);
	for (guint i = 1; i <= count; i++) {
		ModuleTime module = moduletimes_get(times, i);

		REQUIRE(*module.name && module.size <= G_MAXUINT64 - module.base);
		for (guint j = 1; j <= count; j++) {
			ModuleTime other = moduletimes_get(times, j);

			look_up(times, module.base, other.load_ns);
			look_up(times, module.base + 1, other.load_ns);
			look_up(times, module.base + module.size, other.unload_ns);
			look_up(times, module.base + module.size + 1, other.unload_ns);
		}
	}
	look_up(times, 0, 0);
	look_up(times, G_MAXUINT64, G_MAXUINT64);
}

static gboolean is_same(const Symbol *a, const Symbol *b)
{
	return a->start == b->start && !strcmp(a->name, b->name);
}

/*
 * The function in the last line has no name beyond its length, or at all if it was loaded after
 * @time_ns. Only lines as recorders write them.
 */
static void check_last_program(const Symbols *symbols, const char *programs, guint64 time_ns)
{
	g_auto(GStrv) lines = g_strsplit(programs, "\n", -1);
	guint count = g_strv_length(lines);
	const char *line = count > 1 ? lines[count - 2] : "";
	g_autofree char *same = NULL;
	unsigned long load_ns, start, bytes;
	Symbol symbol;

	if (sscanf(line, "%lu 0x%lx %lu", &load_ns, &start, &bytes) != 3 || bytes > FUNCTION_BYTES_MAX)
		return;
	same = g_strdup_printf("%lu 0x%lx %lu", load_ns, start, bytes);
	if (strcmp(same, line) || *lines[count - 1] || start > G_MAXUINT64 - 2 * FUNCTION_BYTES_MAX)
		return;
	if (symbols_resolve(symbols, start + 1, &symbol) && symbol.start == start)
		REQUIRE(g_strcmp0(symbol.module, "bpf") || (load_ns <= time_ns && bytes));
	if (symbols_resolve(symbols, start + bytes + 1, &symbol))
		REQUIRE(symbol.start != start || g_strcmp0(symbol.module, "bpf"));
}

/* Code that was generated has a name only if both snapshots have it. */
static void fuzz_programs(const char *kallsyms, const char *programs, const char *kallsyms_end)
{
	g_autoptr(Symbols) start = symbols_new(kallsyms, NULL);
	g_autoptr(Symbols) end = *kallsyms_end ? symbols_new(kallsyms_end, NULL) : NULL;
	g_autoptr(GArray) addrs = find_addrs(programs);

	symbols_set_programs(start, programs, NULL, 1000);
	check_last_program(start, programs, 1000);
	for (guint i = 0; i < addrs->len; i++) {
		guint64 addr = g_array_index(addrs, guint64, i) + 1;
		Symbol symbol, other;

		if (!symbols_resolve_both(end, start, addr, "bpf", &symbol))
			continue;
		REQUIRE(!strcmp(symbol.module, "bpf"));
		REQUIRE(symbols_resolve(start, addr, &other) && is_same(&other, &symbol));
		if (end && symbols_resolve(end, symbol.start + 1, &other))
			REQUIRE(is_same(&other, &symbol));
	}
}

/* Returns the text after @text, which ends at @end at the latest. */
static const char *next_text(const char *text, const char *end)
{
	return MIN(text + strlen(text) + 1, end);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	g_autofree char *bytes = g_malloc0(size + 1);
	const char *end = bytes + size, *texts[6] = { bytes };

	memcpy(bytes, data, size);
	for (guint i = 1; i < G_N_ELEMENTS(texts); i++)
		texts[i] = next_text(texts[i - 1], end);
	fuzz_symbols(texts[0], *texts[1] ? texts[1] : NULL);
	fuzz_module_times(texts[2], *texts[3] ? texts[3] : NULL);
	fuzz_programs(texts[0], texts[4], texts[5]);
	return 0;
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/bpf/symbols.h"

#include <stdio.h>
#include <string.h>

#include "base/compare.h"
#include "base/seed.h"

struct BpfSymbols {
	GStringChunk *chunk; /* has the names */
	GHashTable *names;   /* addresses by name, of the kernel itself */
	GArray *text;        /* guint64: start addresses of functions, ascending */
};

static gint compare_addresses(gconstpointer a, gconstpointer b)
{
	guint64 one = *(const guint64 *)a, other = *(const guint64 *)b;

	return COMPARE(one, other);
}

/* Takes "address type name"; symbols of modules have a fourth word. */
static void take_line(BpfSymbols *symbols, const char *line)
{
	char *rest;
	guint64 address = g_ascii_strtoull(line, &rest, 16);
	gsize len;

	if (!address || rest[0] != ' ' || !rest[1] || rest[2] != ' ')
		return;
	len = strcspn(rest + 3, " \t\n");
	if (rest[3 + len] == ' ' || rest[3 + len] == '\t')
		return;
	if (g_ascii_tolower(rest[1]) == 't')
		g_array_append_val(symbols->text, address);
	g_hash_table_insert(symbols->names,
			    g_string_chunk_insert_len(symbols->chunk, rest + 3, len),
			    GSIZE_TO_POINTER(address));
}

BpfSymbols *bpf_symbols_read(void)
{
	BpfSymbols *symbols = g_new0(BpfSymbols, 1);
	FILE *file = fopen("/proc/kallsyms", "re");
	char line[512];

	symbols->chunk = g_string_chunk_new(1 << 16);
	symbols->names = g_hash_table_new(seed_text, g_str_equal);
	symbols->text = g_array_new(FALSE, FALSE, sizeof(guint64));
	while (file && fgets(line, sizeof(line), file))
		take_line(symbols, line);
	if (file)
		fclose(file);
	g_array_sort(symbols->text, compare_addresses);
	return symbols;
}

void bpf_symbols_free(BpfSymbols *symbols)
{
	if (!symbols)
		return;
	g_hash_table_unref(symbols->names);
	g_string_chunk_free(symbols->chunk);
	g_array_unref(symbols->text);
	g_free(symbols);
}

guint64 bpf_symbols_find(const BpfSymbols *symbols, const char *name)
{
	return GPOINTER_TO_SIZE(g_hash_table_lookup(symbols->names, name));
}

gboolean bpf_symbols_range(const BpfSymbols *symbols, const char *name, guint64 *from, guint64 *to)
{
	guint at;

	*from = bpf_symbols_find(symbols, name);
	if (!*from || !g_array_binary_search(symbols->text, from, compare_addresses, &at))
		return FALSE;
	while (at < symbols->text->len && g_array_index(symbols->text, guint64, at) == *from)
		at++;
	*to = at < symbols->text->len ? g_array_index(symbols->text, guint64, at) : *from + 1;
	return TRUE;
}

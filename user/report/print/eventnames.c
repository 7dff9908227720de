// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/print/eventnames.h"

#include "analysis/snapshot.h"
#include "base/compare.h"
#include "base/escape.h"
#include "base/gfptext.h"
#include "base/seed.h"
#include "base/tokenize.h"

typedef struct {
	guint32 bits;
	char *name;
} Flag;

struct EventNames {
	GHashTable *caches;       /* number to name */
	GHashTable *migratetypes; /* likewise */
	GArray *flags;            /* of Flag, in order of their bits; one for each bit */
	guint32 flag_bits;        /* the union of their bits */
};

static void clear_flag(gpointer data)
{
	g_free(((Flag *)data)->name);
}

static void add_name(GHashTable *names, guint32 number, const char *name)
{
	g_hash_table_replace(names, GUINT_TO_POINTER(number), escape_text(name));
}

static void take_abi(EventNames *names, char *line)
{
	AbiLine abi;
	Flag flag;

	if (snapshot_parse_abi(line, &abi) != LINE_FINE)
		return;
	if (abi.key == ABI_MIGRATETYPE && abi.value <= G_MAXUINT8) {
		add_name(names->migratetypes, abi.value, abi.name);
	} else if (abi.key == ABI_GFP && !(names->flag_bits & abi.value)) {
		names->flag_bits |= abi.value;
		flag = (Flag){ abi.value, escape_text(abi.name) };
		g_array_append_val(names->flags, flag);
	}
}

static gint compare_flags(gconstpointer a, gconstpointer b)
{
	guint32 bits = ((const Flag *)a)->bits, others = ((const Flag *)b)->bits;

	return COMPARE(bits, others);
}

EventNames *eventnames_new(char *abi, char *caches)
{
	EventNames *names = g_new0(EventNames, 1);
	NameLine cache;
	char *line;

	names->caches = g_hash_table_new_full(seed_number, NULL, NULL, g_free);
	names->migratetypes = g_hash_table_new_full(seed_number, NULL, NULL, g_free);
	names->flags = g_array_new(FALSE, FALSE, sizeof(Flag));
	g_array_set_clear_func(names->flags, clear_flag);
	while (abi && (line = tokenize_line(&abi)))
		take_abi(names, line);
	g_array_sort(names->flags, compare_flags);
	while (caches && (line = tokenize_line(&caches))) {
		if (snapshot_parse_name(line, &cache) == LINE_FINE)
			add_name(names->caches, cache.id, cache.name);
	}
	return names;
}

void eventnames_free(EventNames *names)
{
	if (!names)
		return;
	g_hash_table_unref(names->caches);
	g_hash_table_unref(names->migratetypes);
	g_array_unref(names->flags);
	g_free(names);
}

static void print_name(GHashTable *names, guint32 number, FILE *out)
{
	const char *name = g_hash_table_lookup(names, GUINT_TO_POINTER(number));

	if (name)
		fputs(name, out);
	else
		fprintf(out, "%u", number);
}

void eventnames_print_cache(const EventNames *names, guint32 cache, FILE *out)
{
	print_name(names->caches, cache, out);
}

void eventnames_print_migratetype(const EventNames *names, guint32 type, FILE *out)
{
	print_name(names->migratetypes, type, out);
}

void eventnames_print_gfp(const EventNames *names, guint32 gfp, FILE *out)
{
	g_autoptr(GString) all = g_string_new(NULL);
	g_autofree char *folded = NULL;

	for (guint i = 0; i < names->flags->len; i++) {
		const Flag *flag = &g_array_index(names->flags, Flag, i);

		if ((gfp & flag->bits) != flag->bits)
			continue;
		g_string_append_printf(all, "%s%s", all->len ? "|" : "", flag->name);
	}
	if (!all->len)
		g_string_append_printf(all, "0x%x", gfp);
	folded = gfptext_fold(all->str);
	fputs(folded, out);
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/print/coverage.h"

#include <string.h>

#include "base/seed.h"
#include "base/terminal.h"
#include "base/units.h"

/* ---- memory ---- */

typedef struct {
	GString *parts;
	gint64 bytes;
} Memory;

/*
 * Adds a memory, but not used bytes, which are a part of one. The sum saturates: a forged file can
 * make it too large.
 */
static void add_memory(StoreRows *rows, gpointer data)
{
	Memory *memory = data;
	const char *name = store_rows_text(rows, 0);
	gint64 bytes = store_rows_int(rows, 1);
	g_autofree char *size = units_format_size(bytes);

	g_string_append_printf(memory->parts, "%s%s %s", memory->parts->len ? ", " : "", name,
			       size);
	if (!g_str_has_suffix(name, "_used") &&
	    __builtin_add_overflow(memory->bytes, bytes, &memory->bytes))
		memory->bytes = G_MAXINT64;
}

gboolean coverage_print_memory(StoreDb *db, FILE *out, GError **error)
{
	g_autoptr(GString) parts = g_string_new(NULL);
	g_autofree char *size = NULL;
	Memory memory = { .parts = parts };

	if (!store_each(db, "report_tracer", NULL, add_memory, &memory, error))
		return FALSE;
	size = units_format_size(memory.bytes);
	if (parts->len)
		fprintf(out, "       the tracer used %s: %s\n", size,
			g_strdelimit(parts->str, "_", ' '));
	return TRUE;
}

/* ---- cost ---- */

/* Columns of report_cost.sql. */
enum { EVENT_INSTRUCTIONS, INSTRUCTIONS, CPU_PCT, CPUS };

static void print_cost(StoreRows *rows, gpointer data)
{
	g_autofree char *each = units_format_count(store_rows_int(rows, EVENT_INSTRUCTIONS));
	g_autofree char *all = units_format_count(store_rows_int(rows, INSTRUCTIONS));
	gint64 cpus = store_rows_int(rows, CPUS);

	fprintf(data,
		"       tracing cost about %s instructions an event, %s in all: at one a nanosecond %.1f%% of the time of %" G_GINT64_FORMAT
		" CPU%s\n",
		each, all, store_rows_double(rows, CPU_PCT), cpus, cpus == 1 ? "" : "s");
}

gboolean coverage_print_cost(StoreDb *db, FILE *out, GError **error)
{
	return store_each(db, "report_cost", NULL, print_cost, out, error);
}

/* ---- limits ---- */

/* Prints the start of a line: the limit's name. */
static void print_limit(const char *name, int indent, FILE *out)
{
	fprintf(out, "%*s%s%s%s", indent, "", terminal_style(STYLE_WARNING), name,
		terminal_style_end());
}

/* Paths that are unseen for one reason. */
typedef struct {
	char *why; /* may be empty */
	GString *names;
} Unseen;

static void free_unseen(gpointer data)
{
	Unseen *unseen = data;

	g_free(unseen->why);
	g_string_free(unseen->names, TRUE);
	g_free(unseen);
}

typedef struct {
	GPtrArray *all;     /* of Unseen, in the order of their first names */
	GHashTable *by_why; /* to the same */
} UnseenNames;

static Unseen *find_unseen(UnseenNames *names, const char *why)
{
	Unseen *unseen = g_hash_table_lookup(names->by_why, why);

	if (unseen)
		return unseen;
	unseen = g_new(Unseen, 1);
	*unseen = (Unseen){ g_strdup(why), g_string_new(NULL) };
	g_ptr_array_add(names->all, unseen);
	g_hash_table_insert(names->by_why, unseen->why, unseen);
	return unseen;
}

static void add_unseen(StoreRows *rows, gpointer data)
{
	GString *names;

	if (strcmp(store_rows_text(rows, 1), "unseen") != 0)
		return;
	names = find_unseen(data, store_rows_text(rows, 2))->names;
	g_string_append_printf(names, "%s%s", names->len ? ", " : "", store_rows_text(rows, 0));
}

/* Prints a line for each reason. */
static gboolean print_unseen(StoreDb *db, int indent, FILE *out, GError **error)
{
	g_autoptr(GPtrArray) all = g_ptr_array_new_with_free_func(free_unseen);
	g_autoptr(GHashTable) by_why = g_hash_table_new(seed_text, g_str_equal);
	UnseenNames names = { all, by_why };

	if (!store_each(db, "report_paths", NULL, add_unseen, &names, error))
		return FALSE;
	for (guint i = 0; i < all->len; i++) {
		const Unseen *unseen = g_ptr_array_index(all, i);

		print_limit("UNSEEN", indent, out);
		fprintf(out, ": %s%s%s\n", unseen->names->str, *unseen->why ? ": " : "",
			unseen->why);
	}
	return TRUE;
}

/* Describes a filter of this version; others have only a name. */
static const char *filter_text(const char *name)
{
	static const struct {
		const char *name, *text;
	} filters[] = {
		{ "pids", "processes and their children" },
		{ "cgroup", "cgroup with the inode number" },
		{ "cache", "cache" },
		{ "size", "bytes at least" },
	};

	for (gsize i = 0; i < G_N_ELEMENTS(filters); i++) {
		if (strcmp(name, filters[i].name) == 0)
			return filters[i].text;
	}
	return name;
}

static void add_filter(StoreRows *rows, gpointer data)
{
	GString *filters = data;
	const char *name = store_rows_text(rows, 0);

	if (strcmp(name, "sample") == 0)
		return;
	g_string_append_printf(filters, "%s%s: %s", filters->len ? "; " : "", filter_text(name),
			       store_rows_text(rows, 1));
}

/* Columns of coverage_limits.sql. */
enum { NOT_TRACED, SAMPLE, STACKS, USER_STACKS, UNPLACED, LEFT_OUT, UNNAMED, SHORT, TRACED };

/* Prints how many user stacks are in @column, unless none is, and @what these are. */
static void print_user_stacks(StoreRows *rows, int column, const char *what, int indent, FILE *out)
{
	g_autofree char *count = units_format_count(store_rows_int(rows, column));
	g_autofree char *all = units_format_count(store_rows_int(rows, USER_STACKS));

	if (!store_rows_int(rows, column))
		return;
	print_limit("USER STACKS", indent, out);
	fprintf(out, ": %s of %s are %s\n", count, all, what);
}

static void print_unnamed_frames(StoreRows *rows, int indent, FILE *out)
{
	g_autofree char *count = units_format_count(store_rows_int(rows, UNNAMED));

	if (!store_rows_int(rows, UNNAMED))
		return;
	print_limit("USER STACKS", indent, out);
	fprintf(out,
		": %s frames are only addresses: their names are too long for the size of the trace\n",
		count);
}

/* Prints where callers may be allocators' own functions. */
static void print_stacks(StoreRows *rows, int indent, FILE *out)
{
	g_autofree char *number = units_format_count(store_rows_int(rows, SHORT));

	if (!store_rows_int(rows, STACKS)) {
		print_limit("NO STACKS", indent, out);
		fputs(" were recorded: a caller is the call site, even in an allocator\n", out);
	} else if (store_rows_int(rows, SHORT)) {
		print_limit("SHORT STACKS", indent, out);
		fprintf(out,
			": the callers of %s allocations are allocators: --stack-depth 4 reaches further\n",
			number);
	}
}

gboolean coverage_print_limits(StoreDb *db, int indent, FILE *out, GError **error)
{
	g_autoptr(StoreRows) rows = store_query_row(db, "coverage_limits", NULL, error);
	g_autoptr(GString) filters = g_string_new(NULL);
	g_autofree char *number = NULL;

	if (!rows || !print_unseen(db, indent, out, error) ||
	    !store_each(db, "report_filters", NULL, add_filter, filters, error))
		return FALSE;
	number = units_format_count(store_rows_int(rows, SAMPLE));
	if (*store_rows_text(rows, NOT_TRACED)) {
		print_limit("NOT TRACED", indent, out);
		fprintf(out, ": %s (not selected with record -e; Trust is of %s)\n",
			store_rows_text(rows, NOT_TRACED), store_rows_text(rows, TRACED));
	}
	if (filters->len) {
		print_limit("FILTERED", indent, out);
		fprintf(out, " to %s\n", filters->str);
	}
	if (store_rows_int(rows, SAMPLE) > 1) {
		g_autofree char *sampled = g_strdup_printf("1 in %s SAMPLED", number);

		print_limit(sampled, indent, out);
		fprintf(out,
			": counts and bytes below are scaled by %s: what reuses few addresses is missing, or counts up to %s times\n",
			number, number);
	}
	print_stacks(rows, indent, out);
	print_user_stacks(rows, UNPLACED, "only addresses: the code there is unknown", indent, out);
	print_user_stacks(rows, LEFT_OUT,
			  "left out: their processes changed their mappings too often", indent,
			  out);
	print_unnamed_frames(rows, indent, out);
	return TRUE;
}

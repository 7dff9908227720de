// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The figures of a page. Slow queries run once; if the output is too large, it is printed again
 * with lower limits. Everything that could end a script in HTML is escaped.
 */
#include "report/html/page.h"

#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "report/calltree/text.h"
#include "report/calltree/truncated.h"
#include "report/html/series.h"
#include "report/html/trees.h"
#include "report/leaks/leaks.h"
#include "report/print/jsontext.h"
#include "report/print/rows.h"
#include "trace/event/kind.h"

#define MARKS       1000   /* listed ones */
#define LEAKS       50     /* of each kind, */
#define LEAKS_BYTES 524288 /* or fewer if their names need more */

/* Limits of the output; halved, divided by three… if it is too large. */
typedef struct {
	HtmlSeriesLimits series;
	guint nodes, cells;
} Limits;

static const Limits most = { { { 300, 200, 200, 100, 200 } }, 6000, 4096 };

struct HtmlData {
	StoreDb *db;
	char *name, *head; /* lines */
	char *leaks;       /* members of JSON */
	gboolean incomplete;
	HtmlSeries *series;
	CallCosts *calls;
};

/* ---- reading ---- */

/* Returns the output of leaks as members of JSON, for free(); NULL with an error. */
static char *print_leaks(const Printer *head, int limit, GError **error)
{
	const LeaksOptions options = { .by = "site", .limit = limit, .older_ns = LEAKS_NS_NONE };
	Printer printer = *head;
	char *text = NULL;
	size_t len = 0;
	gboolean fine;

	printer.json = TRUE;
	printer.out = open_memstream(&text, &len);
	if (!printer.out)
		g_error("no memory for a page");
	fine = leaks_print(&printer, &options, error);
	fclose(printer.out);
	if (!fine)
		g_clear_pointer(&text, free);
	return text;
}

static gboolean read_leaks(HtmlData *data, const Printer *head, GError **error)
{
	int limit = LEAKS;

	do {
		free(data->leaks);
		data->leaks = print_leaks(head, limit, error);
		limit /= 2;
	} while (data->leaks && strlen(data->leaks) > LEAKS_BYTES && limit);
	return data->leaks != NULL;
}

/* Removes terminal colours, for g_free(): any other ESC is printed as text. */
static char *without_styles(const char *text)
{
	GString *plain = g_string_new(NULL);

	for (; *text; text++) {
		if (*text == '\033')
			text = strchr(text, 'm') ?: text;
		else
			g_string_append_c(plain, *text);
	}
	return g_string_free(plain, FALSE);
}

static gboolean read_head(HtmlData *data, const Selection *selection, GError **error)
{
	g_auto(Printer) printer = { .db = data->db, .name = data->name, .selection = selection };
	char *text = NULL;
	size_t len = 0;
	gboolean fine;

	printer.out = open_memstream(&text, &len);
	if (!printer.out)
		g_error("no memory for a page");
	fine = printer_begin(&printer, error);
	fclose(printer.out);
	data->head = without_styles(text);
	data->incomplete = completeness_is_incomplete(&printer.completeness);
	free(text);
	return fine && read_leaks(data, &printer, error);
}

HtmlData *htmldata_read(StoreDb *db, const char *name, const Selection *selection, GError **error)
{
	g_autoptr(HtmlData) data = g_new0(HtmlData, 1);

	data->db = db;
	data->name = g_strdup(name);
	if (!read_head(data, selection, error))
		return NULL;
	data->series = htmlseries_read(db, &most.series, error);
	if (!data->series)
		return NULL;
	data->calls = call_costs_read(db, CALL_METRICS_ALL, -1, -1, error);
	return data->calls ? g_steal_pointer(&data) : NULL;
}

void htmldata_free(HtmlData *data)
{
	if (!data)
		return;
	g_free(data->name);
	g_free(data->head);
	free(data->leaks);
	htmlseries_free(data->series);
	call_costs_free(data->calls);
	g_free(data);
}

/* ---- JSON ---- */

static char *describe_stacks(const HtmlData *data)
{
	Truncated stacks;

	truncated_find(data->calls, &stacks);
	return truncated_describe(data->calls, &stacks, -1, CALL_METRICS);
}

static void print_head(const HtmlData *data, FILE *out)
{
	g_autofree char *stacks = describe_stacks(data);
	const char *temporaries = call_costs_temporaries_note(data->calls);
	g_autofree char *head = g_strconcat(data->head, stacks ?: "", "\n", temporaries, NULL);
	g_auto(GStrv) lines = g_strsplit(head, "\n", -1);
	g_autofree char *name = g_path_get_basename(data->name);
	const char *comma = "";

	fputs("{\"version\":1,\"name\":", out);
	jsontext_print(name, out);
	fprintf(out, ",\"incomplete\":%s,\n\"head\":[", data->incomplete ? "true" : "false");
	for (guint i = 0; lines[i]; i++) {
		if (!*g_strstrip(lines[i]))
			continue;
		fputs(comma, out);
		jsontext_print(lines[i], out);
		comma = ",";
	}
	fputs("],\n", out);
}

static gboolean print_rows(const HtmlData *data, const char *key, const char *sql,
			   const char *const *params, FILE *out, GError **error)
{
	g_autoptr(StoreRows) rows = store_query_named(data->db, sql, params, error);

	if (!rows)
		return FALSE;
	fprintf(out, ",\n\"%s\":", key);
	return rows_print(rows, ROWS_JSON, out, NULL, error);
}

static void print_peaks(const HtmlData *data, FILE *out)
{
	const char *comma = "";

	fputs(",\n\"peaks\":[", out);
	for (guint kind = 0; kind < TRACE_KINDS; kind++) {
		CallCost all = call_costs_all(data->calls, kind);

		if (call_costs_peak_ns(data->calls, kind) < 0)
			continue;
		fprintf(out,
			"%s{\"kind\":%u,\"time_ns\":%" G_GINT64_FORMAT
			",\"bytes\":%" G_GINT64_FORMAT ",\"count\":%" G_GINT64_FORMAT "}",
			comma, kind, call_costs_peak_ns(data->calls, kind), all.of[CALL_PEAK_BYTES],
			all.of[CALL_PEAK_COUNT]);
		comma = ",";
	}
	fputc(']', out);
}

static gboolean print_marks(const HtmlData *data, FILE *out, GPtrArray *cut, GError **error)
{
	g_autoptr(StoreRows) rows = store_query_row(data->db, "html_mark_count", NULL, error);
	g_autofree char *limit = g_strdup_printf("%d", MARKS);
	const char *const params[] = { ":limit", limit, NULL };
	g_autofree char *all = NULL;

	if (!rows)
		return FALSE;
	all = units_format_count(store_rows_int(rows, 0));
	if (store_rows_int(rows, 0) > MARKS)
		g_ptr_array_add(cut, g_strdup_printf("marks: the first %d of %s", MARKS, all));
	return print_rows(data, "marks", "html_marks", params, out, error);
}

static gboolean print_pages(const HtmlData *data, guint cells, FILE *out, GError **error)
{
	g_autofree char *limit = g_strdup_printf("%u", cells);
	const char *const params[] = { ":cells", limit, NULL };

	return print_rows(data, "orders", "html_orders", NULL, out, error) &&
	       print_rows(data, "blocks", "html_blocks", params, out, error) &&
	       print_rows(data, "free", "html_free", NULL, out, error);
}

static void print_cut(const GPtrArray *cut, FILE *out)
{
	fputs(",\n\"cut\":[", out);
	for (guint i = 0; i < cut->len; i++) {
		fputs(i ? "," : "", out);
		jsontext_print(g_ptr_array_index(cut, i), out);
	}
	fputs("]}\n", out);
}

static gboolean print_all(const HtmlData *data, const Limits *limits, FILE *out, GPtrArray *cut,
			  GError **error)
{
	print_head(data, out);
	if (!htmlseries_print(data->series, data->db, &limits->series, out, cut, error) ||
	    !print_rows(data, "trace", "report_trace", NULL, out, error) ||
	    !print_rows(data, "kinds", "html_kinds", NULL, out, error) ||
	    !print_pages(data, limits->cells, out, error) || !print_marks(data, out, cut, error))
		return FALSE;
	print_peaks(data, out);
	fprintf(out, ",\n\"leaks\":{\"by\":\"site\"%s},\n", data->leaks);
	htmltrees_print(data->calls, limits->nodes, out, cut);
	print_cut(cut, out);
	return TRUE;
}

/* Escapes characters that JSON has only in strings, where it allows escapes. */
static char *escape(const char *json)
{
	GString *text = g_string_sized_new(strlen(json) + 1024);

	for (const char *c = json; *c; c++) {
		if (strchr("<>&", *c))
			g_string_append_printf(text, "\\u%04x", (guint)*c);
		else
			g_string_append_c(text, *c);
	}
	return g_string_free(text, FALSE);
}

/* Returns the JSON with these limits; NULL with an error if the database can't be read. */
static char *make(const HtmlData *data, const Limits *limits, guint *cut, GError **error)
{
	g_autoptr(GPtrArray) cuts = g_ptr_array_new_with_free_func(g_free);
	char *json = NULL, *escaped = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&json, &len);
	gboolean fine;

	if (!out)
		g_error("no memory for a page");
	fine = print_all(data, limits, out, cuts, error);
	fclose(out);
	if (fine)
		escaped = escape(json);
	free(json);
	if (cut)
		*cut = cuts->len;
	return escaped;
}

char *htmldata_json(const HtmlData *data, gsize max_bytes, guint *cut, GError **error)
{
	for (guint part = 1; part <= most.series.rows[0]; part *= 2) {
		Limits limits = { .nodes = most.nodes / part, .cells = most.cells / part };
		g_autofree char *json = NULL;

		for (guint i = 0; i < G_N_ELEMENTS(limits.series.rows); i++)
			limits.series.rows[i] = most.series.rows[i] / part;
		json = make(data, &limits, cut, error);
		if (!json)
			return NULL;
		if (strlen(json) <= max_bytes)
			return g_steal_pointer(&json);
	}
	store_fail(error,
		   "a page of %s exceeds %" G_GSIZE_FORMAT " bytes, even with the fewest entries",
		   data->name, max_bytes);
	return NULL;
}

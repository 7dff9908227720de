// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/print/interval.h"

#include <string.h>

#include "analysis/pairing/marks.h"
#include "base/escape.h"
#include "base/units.h"

#define LISTED 20 /* marks that an error names, at most */

typedef struct {
	gint64 id, time_ns;
	char *text;
} Known;

static void clear_known(gpointer known)
{
	g_free(((Known *)known)->text);
}

/* All marks, of Known, in order of time. For g_array_unref(); NULL with an error. */
static GArray *read_marks(StoreDb *db, GError **error)
{
	g_autoptr(StoreRows) rows = store_query_named(db, "mark_list", NULL, error);
	g_autoptr(GArray) marks = g_array_new(FALSE, FALSE, sizeof(Known));

	if (!rows)
		return NULL;
	g_array_set_clear_func(marks, clear_known);
	while (store_rows_next(rows)) {
		const Known known = { store_rows_int(rows, 0), store_rows_int(rows, 1),
				      g_strdup(store_rows_raw(rows, 2)) };

		g_array_append_val(marks, known);
	}
	return store_rows_done(rows, error) ? g_steal_pointer(&marks) : NULL;
}

/* "#1 'a' at 1.20s, #2 …" of those that are @text, or of all. For g_free(). */
static char *list(const GArray *marks, const char *text)
{
	GString *all = g_string_new(NULL);
	guint listed = 0, left = 0;

	for (guint i = 0; i < marks->len; i++) {
		const Known *known = &g_array_index(marks, Known, i);
		g_autofree char *time = units_format_time(known->time_ns);

		if (text && strcmp(known->text, text))
			continue;
		if (listed++ < LISTED)
			g_string_append_printf(all, "%s#%" G_GINT64_FORMAT " '%s' at %s",
					       all->len ? ", " : "", known->id, known->text, time);
		else
			left++;
	}
	if (left)
		g_string_append_printf(all, " and %u more", left);
	return g_string_free(all, FALSE);
}

static gboolean fail_unknown(const GArray *marks, const char *text, GError **error)
{
	g_autofree char *all = list(marks, NULL);

	if (!marks->len)
		return store_fail(error, "invalid time '%s' (the trace has no marks)", text);
	return store_fail(error, "'%s' is neither a time nor a mark; the trace has the marks %s",
			  text, all);
}

static gboolean fail_ambiguous(const GArray *marks, const char *text, GError **error)
{
	g_autofree char *all = list(marks, text);

	return store_fail(
		error, "several marks have this text: %s; give its number, as #1, or a time", all);
}

/* The mark of number @text, "#N"; NULL if none. */
static const Known *find_numbered(const GArray *marks, const char *text)
{
	guint64 id;

	if (*text != '#' || !g_ascii_string_to_unsigned(text + 1, 10, 1, G_MAXINT64, &id, NULL))
		return NULL;
	for (guint i = 0; i < marks->len; i++) {
		if (g_array_index(marks, Known, i).id == (gint64)id)
			return &g_array_index(marks, Known, i);
	}
	return NULL;
}

gboolean interval_time(StoreDb *db, const char *text, gint64 *ns, GError **error)
{
	g_autoptr(GArray) marks = read_marks(db, error);
	g_autofree char *clean = marks_text(text);
	const Known *found = NULL;
	guint64 time;

	if (!marks)
		return FALSE;
	for (guint i = 0; i < marks->len; i++) {
		const Known *known = &g_array_index(marks, Known, i);

		if (strcmp(known->text, clean))
			continue;
		if (found)
			return fail_ambiguous(marks, clean, error);
		found = known;
	}
	found = found ? found : find_numbered(marks, text);
	if (!found && !units_parse_time(text, &time, NULL))
		return fail_unknown(marks, clean, error);
	*ns = found ? found->time_ns : (gint64)MIN(time, G_MAXINT64);
	return TRUE;
}

gboolean interval_span(StoreDb *db, gint64 *ns, GError **error)
{
	g_autoptr(StoreRows) rows = store_query_row(db, "mark_span", NULL, error);

	if (!rows)
		return FALSE;
	*ns = store_rows_int(rows, 0);
	return TRUE;
}

gboolean interval_find(StoreDb *db, Interval *interval, GError **error)
{
	g_autofree char *from = NULL, *to = NULL, *end = NULL;
	gint64 span_ns;

	if (!interval || !interval->from)
		return TRUE;
	if (!interval_time(db, interval->from, &interval->from_ns, error) ||
	    !interval_time(db, interval->to, &interval->to_ns, error) ||
	    !interval_span(db, &span_ns, error))
		return FALSE;
	from = units_format_time(interval->from_ns);
	to = units_format_time(interval->to_ns);
	end = units_format_time(span_ns);
	if (interval->from_ns >= interval->to_ns)
		return store_fail(error, "'%s' is at %s, '%s' at %s: give the earlier one first",
				  interval->from, from, interval->to, to);
	if (interval->to_ns > MAX(span_ns, 1))
		return store_fail(error, "%s is after the end of the trace, which has %s", to, end);
	return TRUE;
}

gboolean interval_restrict(StoreDb *db, Interval *interval, GError **error)
{
	return interval_find(db, interval, error) &&
	       (!interval || !interval->from ||
		store_restrict(db, interval->from_ns, interval->to_ns, error));
}

char *interval_describe(const Interval *interval)
{
	g_autofree char *from = NULL, *to = NULL, *from_time = NULL, *to_time = NULL;

	if (!interval || !interval->from)
		return NULL;
	from = marks_text(interval->from);
	to = marks_text(interval->to);
	from_time = units_format_time(interval->from_ns);
	to_time = units_format_time(interval->to_ns);
	return g_strdup_printf("only allocations from '%s' (%s) to '%s' (%s)", from, from_time, to,
			       to_time);
}

void interval_print(const Interval *interval, gboolean json, FILE *out)
{
	g_autofree char *text = interval_describe(interval);

	if (!text)
		return;
	if (json)
		fprintf(out,
			",\n\"between\": {\"from_ns\": %" G_GINT64_FORMAT
			", \"to_ns\": %" G_GINT64_FORMAT "}",
			interval->from_ns, interval->to_ns);
	else
		escape_print_line("O", text + 1, out); /* "Only …" */
}

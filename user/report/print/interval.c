// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/print/interval.h"

#include <string.h>

#include "analysis/pairing/marks.h"
#include "base/units.h"

#define LISTED 20 /* maximum of marks in an error */
#define OLD_NS (30 * G_GINT64_CONSTANT(1000000000))

typedef struct {
	gint64 id, time_ns;
	char *text;
} Known;

static void clear_known(gpointer known)
{
	g_free(((Known *)known)->text);
}

/* Returns all marks, of Known, in time order. For g_array_unref(); NULL with an error. */
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

/* Returns "#1 'a' at 1.20s, #2 …" for the marks with @text, or for all. For g_free(). */
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

/* Returns the mark of number @text, "#N"; NULL if none. */
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

gint64 interval_old_age(gint64 span_ns)
{
	return MIN(OLD_NS, MAX(span_ns, 0) / 2);
}

gboolean interval_find_old_age(StoreDb *db, guint64 *ns, GError **error)
{
	gint64 span_ns;

	if (!interval_span(db, &span_ns, error))
		return FALSE;
	*ns = (guint64)interval_old_age(span_ns);
	return TRUE;
}

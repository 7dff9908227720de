// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/print/selection.h"

#include <string.h>

#include "analysis/pairing/marks.h"
#include "base/escape.h"
#include "base/units.h"
#include "report/print/interval.h"
#include "report/print/jsontext.h"

const char *const selection_names[SELECT_FILTERS + 1] = {
	"kind", "cache", "site", "stack", "module", "process", "thread", "cpu",
	"node", "order", "size", "age",   "focus",  "ignore",  NULL,
};

gboolean selection_is_range(SelectFilter filter)
{
	return filter == SELECT_STACK || (filter >= SELECT_CPU && filter <= SELECT_AGE);
}

gboolean selection_has_interval(const Selection *selection)
{
	return selection && (selection->from || selection->to);
}

gboolean selection_is_part(const Selection *selection, guint but)
{
	if (selection_has_interval(selection))
		return TRUE;
	for (guint i = 0; selection && i < SELECT_FILTERS; i++) {
		if (selection->filter[i] && !((selection->own | but) & SELECT_BIT(i)))
			return TRUE;
	}
	return FALSE;
}

/* ---- times ---- */

/* Rejects times after the end. Only the later time needs a check. */
static gboolean check_end(const Selection *selection, gint64 span_ns, GError **error)
{
	gint64 last_ns = selection->to ? selection->to_ns : selection->from_ns;
	g_autofree char *last = units_format_time(last_ns), *end = units_format_time(span_ns);

	return last_ns <= MAX(span_ns, 1) ||
	       store_fail(error, "%s is after the end of the trace, which has %s", last, end);
}

gboolean selection_find(StoreDb *db, Selection *selection, GError **error)
{
	g_autofree char *from = NULL, *to = NULL;
	gint64 span_ns;

	if (!selection_has_interval(selection))
		return TRUE;
	selection->from_ns = 0;
	if ((selection->from && !interval_time(db, selection->from, &selection->from_ns, error)) ||
	    (selection->to && !interval_time(db, selection->to, &selection->to_ns, error)) ||
	    !interval_span(db, &span_ns, error))
		return FALSE;
	if (!selection->to)
		selection->to_ns = MAX(span_ns, selection->from_ns) + 1;
	from = units_format_time(selection->from_ns);
	to = units_format_time(selection->to_ns);
	if (selection->from_ns >= selection->to_ns)
		return store_fail(error, "'%s' is at %s, '%s' at %s: give the earlier one first",
				  selection->from ?: "0", from, selection->to, to);
	return check_end(selection, span_ns, error);
}

/* ---- description ---- */

static void describe_time(GString *text, const char *word, const char *name, gint64 ns)
{
	g_autofree char *clean = name ? marks_text(name) : NULL;
	g_autofree char *time = units_format_time(ns);

	if (name)
		g_string_append_printf(text, " %s '%s' (%s)", word, clean, time);
}

void selection_append_interval(GString *text, const Selection *selection)
{
	describe_time(text, "from", selection->from, selection->from_ns);
	describe_time(text, selection->from ? "to" : "before", selection->to, selection->to_ns);
}

char *selection_describe(const Selection *selection)
{
	g_autoptr(GString) text = g_string_new("only allocations");
	gsize bare = text->len;

	for (guint i = 0; selection && i < SELECT_FILTERS; i++) {
		const char *value = selection->filter[i];

		if (!value)
			continue;
		g_string_append_printf(text, "%s %s %s", text->len == bare ? " with" : ",",
				       selection_names[i], value);
		if (i == SELECT_AGE && !strstr(value, ".."))
			g_string_append(text, " or more");
	}
	if (selection_has_interval(selection)) {
		g_string_append(text, text->len == bare ? "" : ",");
		selection_append_interval(text, selection);
	}
	return text->len == bare ? NULL : g_strdup(text->str);
}

static void print_filters(const Selection *selection, FILE *out)
{
	const char *before = ",\n\"only\": {";

	for (guint i = 0; i < SELECT_FILTERS; i++) {
		if (!selection->filter[i])
			continue;
		fprintf(out, "%s\"%s\": ", before, selection_names[i]);
		jsontext_print(selection->filter[i], out);
		before = ", ";
	}
	if (*before == ',' && before[1] == ' ')
		fputc('}', out);
}

void selection_print_interval(const Selection *selection, FILE *out)
{
	fprintf(out, ",\n\"between\": {\"from_ns\": %" G_GINT64_FORMAT ", \"to_ns\": ",
		selection->from_ns);
	if (selection->to_ns < 0)
		fputs("null}", out);
	else
		fprintf(out, "%" G_GINT64_FORMAT "}", selection->to_ns);
}

void selection_print(const Selection *selection, gboolean json, FILE *out)
{
	g_autofree char *text = selection_describe(selection);

	if (!text)
		return;
	if (!json) {
		escape_print_line("O", text + 1, out); /* "Only …" */
		return;
	}
	if (selection_has_interval(selection))
		selection_print_interval(selection, out);
	print_filters(selection, out);
}

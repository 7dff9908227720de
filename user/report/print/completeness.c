// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/print/completeness.h"

#include <string.h>

#include "base/message.h"
#include "base/terminal.h"
#include "base/units.h"

/* Columns of completeness.sql. */
enum {
	LOST_EVENTS,
	LOST_SUBBUFS,
	CUT,
	CUT_OFFSET,
	RECOVERED_BYTES,
	RECOVERED_PLACES,
	RECOVERED_END,
	PAUSED,
	PAUSED_NS,
	OVERWRITTEN,
	OVERWRITTEN_LEFT_OUT,
	OVERWRITTEN_NS,
	OVERWRITTEN_CPU,
	OVERWRITTEN_ELSEWHERE,
	UNSEEN_FREES,
	UNSEEN,
	SAMPLE,
	NOT_TRACED,
	FILTERS,
	PARTLY_UNSEEN,
	LACKING,
	MISSING_STACKS,
	UNCOUNTED,
	MISSING_CHUNKS,
	TORN_TEXTS,
	MIXED_SESSIONS,
	ENDS_EARLY,
	UNFINISHED_RECORDS,
	UNKNOWN_RECORDS,
	SURPLUS_RECORDS,
	BACKWARD_RECORDS,
	ABSURD_PAGES,
	FROZEN,
	FROZEN_NS,
};

gboolean completeness_read(StoreDb *db, Completeness *completeness, GError **error)
{
	g_autoptr(StoreRows) rows = store_query_row(db, "completeness", NULL, error);

	*completeness = (Completeness){ 0 };
	if (!rows)
		return FALSE;
	completeness->lost_events = store_rows_int(rows, LOST_EVENTS);
	completeness->lost_subbufs = store_rows_int(rows, LOST_SUBBUFS);
	completeness->cut = store_rows_int(rows, CUT) != 0;
	completeness->cut_offset = store_rows_int(rows, CUT_OFFSET);
	completeness->left_out = store_rows_int(rows, RECOVERED_BYTES);
	completeness->left_out_places = store_rows_int(rows, RECOVERED_PLACES);
	completeness->lost_end = store_rows_int(rows, RECOVERED_END) == 0;
	completeness->pauses = store_rows_int(rows, PAUSED);
	completeness->paused_ns = store_rows_int(rows, PAUSED_NS);
	completeness->late = store_rows_type(rows, OVERWRITTEN_CPU) != STORE_NULL;
	completeness->overwritten = store_rows_int(rows, OVERWRITTEN);
	completeness->late_left_out = store_rows_int(rows, OVERWRITTEN_LEFT_OUT);
	completeness->late_ns = store_rows_int(rows, OVERWRITTEN_NS);
	completeness->late_cpu = store_rows_int(rows, OVERWRITTEN_CPU);
	completeness->late_elsewhere = store_rows_int(rows, OVERWRITTEN_ELSEWHERE) != 0;
	completeness->unseen_frees = g_strdup(store_rows_text(rows, UNSEEN_FREES));
	completeness->unseen = g_strdup(store_rows_text(rows, UNSEEN));
	completeness->partly_unseen = g_strdup(store_rows_text(rows, PARTLY_UNSEEN));
	completeness->lacking = g_strdup(store_rows_text(rows, LACKING));
	completeness->missing_stacks = store_rows_int(rows, MISSING_STACKS);
	completeness->uncounted = store_rows_int(rows, UNCOUNTED);
	completeness->missing_chunks = store_rows_int(rows, MISSING_CHUNKS);
	completeness->torn_texts = store_rows_int(rows, TORN_TEXTS);
	completeness->mixed_sessions = store_rows_int(rows, MIXED_SESSIONS) != 0;
	completeness->ends_early = store_rows_int(rows, ENDS_EARLY) != 0;
	completeness->unfinished = store_rows_int(rows, UNFINISHED_RECORDS);
	completeness->unknown = store_rows_int(rows, UNKNOWN_RECORDS);
	completeness->surplus = store_rows_int(rows, SURPLUS_RECORDS);
	completeness->backward = store_rows_int(rows, BACKWARD_RECORDS);
	completeness->absurd = store_rows_int(rows, ABSURD_PAGES);
	completeness->frozen = store_rows_int(rows, FROZEN) != 0;
	completeness->frozen_ns = store_rows_int(rows, FROZEN_NS);
	completeness->sample = store_rows_int(rows, SAMPLE);
	return TRUE;
}

void completeness_clear(Completeness *completeness)
{
	g_clear_pointer(&completeness->unseen, g_free);
	g_clear_pointer(&completeness->unseen_frees, g_free);
	g_clear_pointer(&completeness->partly_unseen, g_free);
	g_clear_pointer(&completeness->lacking, g_free);
}

gboolean completeness_is_incomplete(const Completeness *completeness)
{
	return completeness->lost_events || completeness->lost_subbufs ||
	       completeness->missing_stacks || completeness->cut || completeness->left_out ||
	       completeness->lost_end || completeness->pauses || completeness->uncounted ||
	       completeness->missing_chunks || completeness->torn_texts ||
	       completeness->mixed_sessions || completeness->unfinished || completeness->unknown ||
	       completeness->surplus || completeness->backward || completeness->absurd ||
	       completeness->frozen ||
	       (completeness->partly_unseen && completeness->partly_unseen[0]) ||
	       (completeness->lacking && completeness->lacking[0]);
}

static char *pauses_text(guint64 count, guint64 ns)
{
	g_autofree char *number = units_format_count((gint64)count);
	g_autofree char *span = units_format_time((gint64)ns);

	if (count == 1)
		return g_strdup_printf("PAUSED: once, for %s (allocations made then have no row)",
				       span);
	return g_strdup_printf(
		"PAUSED: %s times, for %s in all (allocations made then have no row)", number,
		span);
}

static char *frozen_text(gint64 ns)
{
	g_autofree char *time = units_format_time(ns);

	return g_strconcat("an oops of the kernel stopped the tracer", ns ? " at " : "",
			   ns ? time : "", NULL);
}

static void add_count(GPtrArray *parts, gint64 count, const char *one, const char *more)
{
	g_autofree char *number = units_format_count(count);

	if (count)
		g_ptr_array_add(parts, g_strdup_printf("%s %s", number, count == 1 ? one : more));
}

/* Returns a text for each type of missing data. */
static GPtrArray *missing_parts(const Completeness *completeness)
{
	GPtrArray *parts = g_ptr_array_new_with_free_func(g_free);

	if (completeness->partly_unseen && completeness->partly_unseen[0])
		g_ptr_array_add(parts,
				g_strdup_printf("not traced: %s", completeness->partly_unseen));
	if (completeness->lacking && completeness->lacking[0])
		g_ptr_array_add(parts,
				g_strdup_printf("the database lacks %s", completeness->lacking));
	add_count(parts, completeness->lost_events, "event was lost", "events were lost");
	add_count(parts, completeness->lost_subbufs, "sub-buffer is missing",
		  "sub-buffers are missing");
	if (completeness->cut)
		g_ptr_array_add(parts, g_strdup_printf("the trace is cut at byte %" G_GINT64_FORMAT,
						       completeness->cut_offset));
	if (completeness->uncounted && !completeness->cut) /* written before the end */
		g_ptr_array_add(parts, g_strdup("the tracer's final counters are missing"));
	add_count(parts, completeness->missing_chunks,
		  "chunk of the file is missing or out of place",
		  "chunks of the file are missing or out of place");
	add_count(parts, completeness->torn_texts, "text lacks a piece", "texts lack a piece");
	if (completeness->mixed_sessions)
		g_ptr_array_add(
			parts,
			g_strdup("two recordings are mixed, and nothing between them was traced"));
	add_count(parts, completeness->unfinished, "record was unfinished",
		  "records were unfinished");
	add_count(parts, completeness->unknown, "record is of an unknown type",
		  "records are of an unknown type");
	add_count(parts, completeness->surplus, "record exceeds the tracer's count",
		  "records exceed the tracer's count");
	add_count(parts, completeness->backward, "record steps back in time",
		  "records step back in time");
	add_count(parts, completeness->absurd, "page event is impossible",
		  "page events are impossible");
	add_count(parts, completeness->missing_stacks, "stack is missing", "stacks are missing");
	add_count(parts, completeness->left_out, "damaged byte was left out",
		  "damaged bytes were left out");
	if (completeness->lost_end)
		g_ptr_array_add(parts, g_strdup("the recording's end is missing"));
	if (completeness->frozen)
		g_ptr_array_add(parts, frozen_text(completeness->frozen_ns));
	if (completeness->pauses)
		g_ptr_array_add(parts, pauses_text(completeness->pauses, completeness->paused_ns));
	return parts;
}

/* Returns a text about missing older events; NULL: the trace begins with its first event. */
static char *late_text(const Completeness *completeness)
{
	g_autofree char *count = units_format_count(completeness->overwritten);
	g_autofree char *left_out = units_format_count(completeness->late_left_out);
	g_autofree char *after = units_format_time(completeness->late_ns);
	GString *text;

	if (!completeness->late)
		return NULL;
	text = g_string_new(completeness->late_elsewhere ? "BEGINS LATE: " : "OVERWRITTEN: ");
	g_string_append_printf(text, "%s%solder events %s", completeness->overwritten ? count : "",
			       completeness->overwritten ? " " : "",
			       completeness->late_elsewhere
				       ? "are in another file, or were overwritten"
				       : "were dropped");
	if (completeness->late_left_out)
		g_string_append_printf(
			text,
			"; complete from time 0 on, %s after the first event, when CPU %" G_GINT64_FORMAT
			"'s begin: %s events before that are left out",
			after, completeness->late_cpu, left_out);
	return g_string_free(text, FALSE);
}

/*
 * Returns a text about missing older or newer events; NULL: none. Files have the events of each CPU
 * up to different times, so a rename may be in another file than a later event.
 */
static char *elsewhere_text(const Completeness *completeness)
{
	static const char early[] = "ENDS EARLY: the recording continues in another file";
	static const char names[] = "; thread names may be older or newer: load all files together";
	g_autofree char *late = late_text(completeness);
	gboolean both = late && completeness->ends_early;

	if (!late && !completeness->ends_early)
		return NULL;
	return g_strconcat(late ?: "", both ? "; " : "", completeness->ends_early ? early : "",
			   completeness->ends_early || completeness->late_elsewhere ? names : "",
			   NULL);
}

static char *join(GPtrArray *parts)
{
	g_ptr_array_add(parts, NULL);
	return g_strjoinv("; ", (char **)parts->pdata);
}

void completeness_print(const Completeness *completeness, int indent, FILE *out)
{
	g_autoptr(GPtrArray) parts = missing_parts(completeness);
	g_autofree char *text = join(parts);
	g_autofree char *late = elsewhere_text(completeness);

	fprintf(out, "%*sTrust: ", indent, "");
	if (completeness_is_incomplete(completeness))
		fprintf(out, "%sINCOMPLETE%s: %s: live memory may have been freed unseen%s%s\n",
			terminal_style(STYLE_BAD), terminal_style_end(), text, late ? "; " : "",
			late ? late : "");
	else if (late)
		fprintf(out, "%s%s%s; no other event was lost\n", terminal_style(STYLE_WARNING),
			late, terminal_style_end());
	else
		fprintf(out, "%scomplete%s; no event was lost\n", terminal_style(STYLE_GOOD),
			terminal_style_end());
}

char *completeness_summary(const Completeness *completeness)
{
	g_autoptr(GPtrArray) parts = missing_parts(completeness);
	char *late = elsewhere_text(completeness);
	g_autofree char *text = NULL;

	if (late)
		g_ptr_array_add(parts, late);
	if (completeness->unseen[0] && strcmp(completeness->unseen, completeness->partly_unseen))
		g_ptr_array_add(parts, g_strdup_printf("unseen: %s", completeness->unseen));
	if (!parts->len)
		return NULL;
	text = join(parts);
	return g_strdup_printf(
		"%s%s", completeness_is_incomplete(completeness) ? "INCOMPLETE: " : "", text);
}

void completeness_say(const Completeness *completeness)
{
	g_autofree char *summary = completeness_summary(completeness);

	if (summary)
		message("%s: see kmemtrace-user report", summary);
}

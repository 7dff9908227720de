// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/trust.h"

#include <string.h>

#include "base/message.h"
#include "base/units.h"

/* Columns of trust.sql. */
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
};

gboolean trust_read(StoreDb *db, Trust *trust, GError **error)
{
	g_autoptr(StoreRows) rows = store_query_row(db, "trust", NULL, error);

	*trust = (Trust){ 0 };
	if (!rows)
		return FALSE;
	trust->lost_events = store_rows_int(rows, LOST_EVENTS);
	trust->lost_subbufs = store_rows_int(rows, LOST_SUBBUFS);
	trust->cut = store_rows_int(rows, CUT) != 0;
	trust->cut_offset = store_rows_int(rows, CUT_OFFSET);
	trust->left_out = store_rows_int(rows, RECOVERED_BYTES);
	trust->left_out_places = store_rows_int(rows, RECOVERED_PLACES);
	trust->lost_end = store_rows_int(rows, RECOVERED_END) == 0;
	trust->pauses = store_rows_int(rows, PAUSED);
	trust->paused_ns = store_rows_int(rows, PAUSED_NS);
	trust->late = store_rows_type(rows, OVERWRITTEN_CPU) != STORE_NULL;
	trust->overwritten = store_rows_int(rows, OVERWRITTEN);
	trust->late_left_out = store_rows_int(rows, OVERWRITTEN_LEFT_OUT);
	trust->late_ns = store_rows_int(rows, OVERWRITTEN_NS);
	trust->late_cpu = store_rows_int(rows, OVERWRITTEN_CPU);
	trust->late_elsewhere = store_rows_int(rows, OVERWRITTEN_ELSEWHERE) != 0;
	trust->unseen_frees = g_strdup(store_rows_text(rows, UNSEEN_FREES));
	trust->unseen = g_strdup(store_rows_text(rows, UNSEEN));
	trust->partly_unseen = g_strdup(store_rows_text(rows, PARTLY_UNSEEN));
	trust->lacking = g_strdup(store_rows_text(rows, LACKING));
	trust->missing_stacks = store_rows_int(rows, MISSING_STACKS);
	trust->uncounted = store_rows_int(rows, UNCOUNTED);
	trust->missing_chunks = store_rows_int(rows, MISSING_CHUNKS);
	trust->torn_texts = store_rows_int(rows, TORN_TEXTS);
	trust->mixed_sessions = store_rows_int(rows, MIXED_SESSIONS) != 0;
	trust->ends_early = store_rows_int(rows, ENDS_EARLY) != 0;
	trust->unfinished = store_rows_int(rows, UNFINISHED_RECORDS);
	trust->unknown = store_rows_int(rows, UNKNOWN_RECORDS);
	trust->surplus = store_rows_int(rows, SURPLUS_RECORDS);
	trust->backward = store_rows_int(rows, BACKWARD_RECORDS);
	trust->sample = store_rows_int(rows, SAMPLE);
	return TRUE;
}

void trust_clear(Trust *trust)
{
	g_clear_pointer(&trust->unseen, g_free);
	g_clear_pointer(&trust->unseen_frees, g_free);
	g_clear_pointer(&trust->partly_unseen, g_free);
	g_clear_pointer(&trust->lacking, g_free);
}

gboolean trust_is_incomplete(const Trust *trust)
{
	return trust->lost_events || trust->lost_subbufs || trust->missing_stacks || trust->cut ||
	       trust->left_out || trust->lost_end || trust->pauses || trust->uncounted ||
	       trust->missing_chunks || trust->torn_texts || trust->mixed_sessions ||
	       trust->unfinished || trust->unknown || trust->surplus ||
	       trust->backward ||
	       (trust->partly_unseen && trust->partly_unseen[0]) ||
	       (trust->lacking && trust->lacking[0]);
}

static char *pauses_text(guint64 count, guint64 ns)
{
	g_autofree char *number = units_format_count((gint64)count);
	g_autofree char *span = units_format_time((gint64)ns);

	if (count == 1)
		return g_strdup_printf("PAUSED: once, for %s (what was allocated then has no row)", span);
	return g_strdup_printf("PAUSED: %s times, for %s in all (what was allocated then has no row)",
			       number, span);
}

static void add_count(GPtrArray *parts, gint64 count, const char *one, const char *more)
{
	g_autofree char *number = units_format_count(count);

	if (count)
		g_ptr_array_add(parts, g_strdup_printf("%s %s", number, count == 1 ? one : more));
}

/* What is missing, a part each; none if nothing is. */
static GPtrArray *missing_parts(const Trust *trust)
{
	GPtrArray *parts = g_ptr_array_new_with_free_func(g_free);

	if (trust->partly_unseen && trust->partly_unseen[0])
		g_ptr_array_add(parts, g_strdup_printf("not seen: %s", trust->partly_unseen));
	if (trust->lacking && trust->lacking[0])
		g_ptr_array_add(parts, g_strdup_printf("the database lacks %s", trust->lacking));
	add_count(parts, trust->lost_events, "event was lost", "events were lost");
	add_count(parts, trust->lost_subbufs, "sub-buffer is missing", "sub-buffers are missing");
	if (trust->cut)
		g_ptr_array_add(parts, g_strdup_printf("the trace is cut at byte %" G_GINT64_FORMAT,
						       trust->cut_offset));
	if (trust->uncounted && !trust->cut)	/* a recorder writes them before the end */
		g_ptr_array_add(parts, g_strdup("the tracer's final counters are missing"));
	add_count(parts, trust->missing_chunks, "chunk of the file is missing or out of place",
		  "chunks of the file are missing or out of place");
	add_count(parts, trust->torn_texts, "text lacks a piece", "texts lack a piece");
	if (trust->mixed_sessions)
		g_ptr_array_add(parts, g_strdup("two recordings are mixed, and nothing between them was traced"));
	add_count(parts, trust->unfinished, "record was unfinished", "records were unfinished");
	add_count(parts, trust->unknown, "record is of an unknown kind", "records are of an unknown kind");
	add_count(parts, trust->surplus, "record is more than the tracer has counted",
		  "records are more than the tracer has counted");
	add_count(parts, trust->backward, "record steps back in time",
		  "records step back in time");
	add_count(parts, trust->missing_stacks, "stack is missing", "stacks are missing");
	add_count(parts, trust->left_out, "damaged byte was left out", "damaged bytes were left out");
	if (trust->lost_end)
		g_ptr_array_add(parts, g_strdup("the recording's end is missing"));
	if (trust->pauses)
		g_ptr_array_add(parts, pauses_text(trust->pauses, trust->paused_ns));
	return parts;
}

/* What is older than the trace tells of. NULL: it begins with its first event. */
static char *late_text(const Trust *trust)
{
	g_autofree char *count = units_format_count(trust->overwritten);
	g_autofree char *left_out = units_format_count(trust->late_left_out);
	g_autofree char *after = units_format_time(trust->late_ns);
	GString *text;

	if (!trust->late)
		return NULL;
	text = g_string_new(trust->late_elsewhere ? "BEGINS LATE: " : "OVERWRITTEN: ");
	g_string_append_printf(text, "%s%solder events %s", trust->overwritten ? count : "",
			       trust->overwritten ? " " : "",
			       trust->late_elsewhere ? "are in another file, or were overwritten"
						     : "were dropped");
	if (trust->late_left_out)
		g_string_append_printf(text, "; whole only from %s on, when CPU %" G_GINT64_FORMAT
				       "'s begin: %s events before that are left out",
				       after, trust->late_cpu, left_out);
	return g_string_free(text, FALSE);
}

/* What is older, or newer, than the trace tells of. NULL: nothing. */
static char *elsewhere_text(const Trust *trust)
{
	static const char early[] = "ENDS EARLY: the recording goes on in another file";
	char *late = late_text(trust), *both;

	if (!trust->ends_early)
		return late;
	both = g_strconcat(late ?: "", late ? "; " : "", early, NULL);
	g_free(late);
	return both;
}

static char *join(GPtrArray *parts)
{
	g_ptr_array_add(parts, NULL);
	return g_strjoinv("; ", (char **)parts->pdata);
}

void trust_print(const Trust *trust, int indent, FILE *out)
{
	g_autoptr(GPtrArray) parts = missing_parts(trust);
	g_autofree char *text = join(parts);
	g_autofree char *late = elsewhere_text(trust);

	fprintf(out, "%*sTrust: ", indent, "");
	if (trust_is_incomplete(trust))
		fprintf(out, "INCOMPLETE: %s: what is live may have been freed unseen%s%s\n", text,
			late ? "; " : "", late ? late : "");
	else if (late)
		fprintf(out, "%s; no other event was lost\n", late);
	else
		fputs("complete; no event was lost\n", out);
}

char *trust_summary(const Trust *trust)
{
	g_autoptr(GPtrArray) parts = missing_parts(trust);
	char *late = elsewhere_text(trust);
	g_autofree char *text = NULL;

	if (late)
		g_ptr_array_add(parts, late);
	if (trust->unseen[0] && strcmp(trust->unseen, trust->partly_unseen))
		g_ptr_array_add(parts, g_strdup_printf("unseen: %s", trust->unseen));
	if (!parts->len)
		return NULL;
	text = join(parts);
	return g_strdup_printf("%s%s", trust_is_incomplete(trust) ? "INCOMPLETE: " : "", text);
}

void trust_say(const Trust *trust)
{
	g_autofree char *summary = trust_summary(trust);

	if (summary)
		message("%s: kmemtrace-user report says more", summary);
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/leaks/verdicts.h"

#include <string.h>

#include "base/escape.h"
#include "base/terminal.h"
#include "base/text_width.h"
#include "base/units.h"
#include "report/groups/group_rows.h"
#include "trace/event/kind.h"

#define COLUMNS 80 /* width of text, if names allow; less on a narrower terminal */
#define INDENT  4

/* Columns of leaks_suspects.sql: the figures, */
#define FIGURES                                                                                    \
	"verdict, confidence, doubts, allocated, freed, live_count, live_bytes, outlived_count, "  \
	"freed_p99_ns, growth_bytes_s, active_from_ns, active_to_ns, follows, oldest_ns, oldest_addr, evidence"
enum {
	VERDICT,
	CONFIDENCE,
	LIVE_COUNT = 5,
	LIVE_BYTES,
	/* and the suspect's name: */
	HOLDER = 16,
	MODULE,
	STACK,
	EVIDENCE,
};

/* ---- figures ---- */

static char *doubt_names(guint doubts)
{
	GString *text = g_string_new(NULL);

	for (; doubts; doubts &= doubts - 1)
		g_string_append_printf(text, "%s%s", text->len ? ", " : "",
				       leak_doubt_name(doubts & -doubts));
	return g_string_free(text, FALSE);
}

/* ---- evidence in words ---- */

static void append_figures(const Suspect *suspect, gint64 factor, GString *text)
{
	const LeakJudgement *judgement = &suspect->judgement;
	const LeakGroup *facts = &suspect->facts;
	g_autofree char *allocated = units_format_count(facts->allocated * factor);
	g_autofree char *freed = units_format_count(facts->freed * factor);
	g_autofree char *live = units_format_count(facts->live.total * factor);
	g_autofree char *outlived = units_format_count(judgement->outlived * factor);
	g_autofree char *bytes = units_format_size(facts->bytes * factor);
	g_autofree char *growth = units_format_size(judgement->bytes_per_s * factor);
	g_autofree char *p99 = units_format_time(judgement->p99_ns);
	g_autofree char *active = units_format_time(judgement->to_ns - judgement->from_ns);

	g_string_append_printf(text, "%s allocated, %s freed", allocated, freed);
	if (judgement->p99_ns)
		g_string_append_printf(text,
				       " (99%% within %s), %s of %s live are older than twice that",
				       p99, outlived, live);
	else
		g_string_append_printf(text, ", %s live", live);
	g_string_append_printf(text, ", %s of kind %s", bytes,
			       trace_kind_names[suspect->group->kind]);
	if (judgement->bytes_per_s)
		g_string_append_printf(text, ", +%s/s over its active %s", growth, active);
}

/* @leader: the group that it grows with; NULL: unknown. */
static char *doubt_text(const Suspect *suspect, LeakDoubt doubt, const LeakTrace *trace,
			const char *leader)
{
	const LeakJudgement *judgement = &suspect->judgement;
	g_autofree char *span = units_format_time(trace->span_ns);
	g_autofree char *active = units_format_time(judgement->to_ns - judgement->from_ns);
	g_autofree char *until = units_format_time(judgement->to_ns);
	g_autofree char *count = units_format_count(judgement->outlived);

	switch (doubt) {
	case LEAK_DOUBT_SHORT:
		return g_strdup_printf("the trace covers %s", span);
	case LEAK_DOUBT_SUPPORT:
		return g_strdup_printf("%s allocations support it", count);
	case LEAK_DOUBT_BRIEF:
		return g_strdup_printf("%s may be one operation", active);
	case LEAK_DOUBT_PART:
		return g_strdup_printf("it grew in %s of %s", active, span);
	case LEAK_DOUBT_PAUSED:
		return g_strdup_printf("no growth after %s, under load", until);
	case LEAK_DOUBT_RECLAIMABLE:
		return g_strdup("the kernel reclaims it when memory is short");
	case LEAK_DOUBT_FOLLOWS:
		return g_strdup_printf("it grows with %s, which is reclaimable",
				       leader ?: "other memory");
	case LEAK_DOUBT_CPUS:
		return g_strdup("no more than one for each CPU");
	case LEAK_DOUBT_INCOMPLETE:
		return g_strdup("the trace is INCOMPLETE");
	case LEAK_DOUBT_LOST:
		return g_strdup("most were allocated before events were lost");
	case LEAK_DOUBT_UNSEEN:
		return g_strdup("some frees were not traced");
	case LEAK_DOUBT_DELAYED:
		return g_strdup("the kernel frees it with a delay");
	case LEAK_DOUBT_BOOT:
		return g_strdup("the kernel boots in this trace");
	}
	return g_strdup("");
}

static void append_orphans(const Suspect *suspect, gint64 factor, GString *text)
{
	g_autofree char *count = units_format_count(suspect->group->orphans * factor);

	if (suspect->group->orphans == suspect->facts.live.total)
		g_string_append(text, ", its module was unloaded");
	else
		g_string_append_printf(text, ", %s from before its module was unloaded", count);
}

/* Returns "" if unknown, for g_free(). */
static char *address_text(const Suspect *suspect)
{
	return suspect->oldest_addr
		       ? g_strdup_printf("0x%" G_GINT64_MODIFIER "x", suspect->oldest_addr)
		       : g_strdup("");
}

/* Returns "12 allocated, 3 freed, …, confidence low: the trace covers 3.0s", for g_free(). */
static char *describe_evidence(const Suspects *suspects, const Suspect *suspect, const char *leader)
{
	gint64 factor = suspects->live->groups.factor;
	g_autofree char *address = address_text(suspect);
	g_autofree char *time = units_format_time(suspect->facts.live.first_ns);
	GString *text = g_string_new(NULL);
	const char *separator = ": ";

	append_figures(suspect, factor, text);
	if (suspect->judgement.verdict == LEAK_ORPHANED)
		append_orphans(suspect, factor, text);
	if (suspect->oldest_addr)
		g_string_append_printf(text, ", the oldest from %s at %s", time, address);
	g_string_append_printf(text, ", confidence %s",
			       leak_confidence_name(suspect->judgement.confidence));
	for (guint doubts = suspect->judgement.doubts; doubts; doubts &= doubts - 1) {
		g_autofree char *reason =
			doubt_text(suspect, doubts & -doubts, &suspects->trace, leader);

		g_string_append_printf(text, "%s%s", separator, reason);
		separator = ", ";
	}
	return g_string_free(text, FALSE);
}

/*
 * Reads the name of the group that a suspect grows with, for g_free(): *@name, NULL if there is
 * none.
 */
static gboolean read_leader(const Suspects *suspects, const Suspect *suspect, const char *by,
			    char **name, GError **error)
{
	const char *params[] = { ":by", by, ":origin", NULL, NULL };
	g_autofree char *origin = NULL;
	g_autoptr(StoreRows) rows = NULL;

	if (!suspect->leader)
		return TRUE;
	params[3] = origin = g_strdup_printf("%u", suspect->leader);
	rows = store_query_row(suspects->live->db, "leaks_leader", params, error);
	if (rows && store_rows_type(rows, 0) != STORE_NULL)
		*name = g_strdup(store_rows_raw(rows, 0));
	return rows != NULL;
}

static gboolean add_figures(const Suspects *suspects, const Suspect *suspect, const char *by,
			    TempTable *figures, GError **error)
{
	gint64 factor = suspects->live->groups.factor;
	const LeakJudgement *judgement = &suspect->judgement;
	const LeakGroup *facts = &suspect->facts;
	g_autofree char *doubts = doubt_names(judgement->doubts), *leader = NULL, *evidence = NULL;
	g_autofree char *address = address_text(suspect);

	if (!read_leader(suspects, suspect, by, &leader, error))
		return FALSE;
	evidence = describe_evidence(suspects, suspect, leader);
	temp_table_add_text(figures, leak_verdict_name(judgement->verdict));
	temp_table_add_text(figures, leak_confidence_name(judgement->confidence));
	temp_table_add_text(figures, doubts);
	TEMP_TABLE_ADD(figures, facts->allocated * factor, facts->freed * factor,
		       facts->live.total * factor, facts->bytes * factor,
		       judgement->outlived * factor, judgement->p99_ns,
		       judgement->bytes_per_s * factor, judgement->from_ns, judgement->to_ns);
	temp_table_add_text(figures, leader);
	TEMP_TABLE_ADD(figures, suspect->facts.live.first_ns);
	temp_table_add_text(figures, address);
	temp_table_add_text(figures, evidence);
	return TRUE;
}

/* ---- a verdict ---- */

/* Prints the words of @text in lines; all but the first are indented by @indent columns. */
static void print_wrapped(const char *text, guint indent, FILE *out)
{
	g_auto(GStrv) words = g_strsplit(text, " ", -1);
	glong column = 0, most = terminal_width() ? MIN(COLUMNS, terminal_width()) : COLUMNS;

	for (guint i = 0; words[i]; i++) {
		glong width = text_width(words[i]);

		if (i && column + 1 + width > most) {
			fprintf(out, "\n%*s", (int)indent, "");
			column = indent;
		} else if (i) {
			fputc(' ', out);
			column++;
		}
		fputs(words[i], out);
		column += width;
	}
	fputc('\n', out);
}

/* Returns "possible leak: f [module]", for g_string_free(). */
static GString *begin_verdict(const Suspect *suspect, StoreRows *rows)
{
	TerminalStyle style =
		suspect->judgement.verdict == LEAK_POSSIBLE ? STYLE_WARNING : STYLE_BAD;
	GString *text = g_string_new(terminal_style(style));

	g_string_append_printf(text, "%s%s", store_rows_text(rows, VERDICT), terminal_style_end());
	g_string_append_printf(
		text, ": %s", *store_rows_text(rows, HOLDER) ? store_rows_text(rows, HOLDER) : "?");
	if (*store_rows_text(rows, MODULE))
		g_string_append_printf(text, " [%s]", store_rows_text(rows, MODULE));
	if (store_rows_type(rows, STACK) != STORE_NULL)
		g_string_append_printf(text, " (stack %s)", store_rows_text(rows, STACK));
	return text;
}

static void print_suspect(const Suspects *suspects, const Suspect *suspect, StoreRows *rows)
{
	g_autoptr(GString) text = begin_verdict(suspect, rows);

	g_string_append_printf(text, ", %s", store_rows_text(rows, EVIDENCE));
	print_wrapped(text->str, INDENT, suspects->printer->out);
}

/* ---- conclusion ---- */

static const char *name_of(const char *by, gboolean one)
{
	static const struct {
		const char *by, *one, *more;
	} names[] = {
		{ "site", "call site", "call sites" }, { "stack", "stack", "stacks" },
		{ "module", "module", "modules" },     { "cache", "cache", "caches" },
		{ "task", "process", "processes" },    { "thread", "thread", "threads" },
		{ "node", "node", "nodes" },           { "order", "page order", "page orders" },
		{ "size", "size", "sizes" },           { "kind", "kind", "kinds" },
	};
	guint i = 0;

	while (i < G_N_ELEMENTS(names) - 1 && strcmp(names[i].by, by) != 0)
		i++;
	return one ? names[i].one : names[i].more;
}

const char *verdicts_noun(const char *by)
{
	return name_of(by, TRUE);
}

const char *verdicts_nouns(const char *by)
{
	return name_of(by, FALSE);
}

static void append_count(const GPtrArray *sorted, LeakVerdict verdict, const char *one,
			 const char *more, GString *text)
{
	guint count = 0;

	for (guint i = 0; i < sorted->len; i++) {
		const Suspect *suspect = g_ptr_array_index(sorted, i);

		count += suspect->judgement.verdict == verdict;
	}
	if (count)
		g_string_append_printf(text, "%s%u %s", text->len ? ", " : "", count,
				       count == 1 ? one : more);
}

/* Returns the conclusion, for g_free(). */
static char *conclude(const Suspects *suspects, const GPtrArray *sorted, const char *by)
{
	g_autoptr(GString) text = g_string_new(NULL);

	append_count(sorted, LEAK_ORPHANED, "orphan", "orphans", text);
	append_count(sorted, LEAK_LIKELY, "likely leak", "likely leaks", text);
	append_count(sorted, LEAK_POSSIBLE, "possible leak", "possible leaks", text);
	if (text->len)
		g_string_append_printf(text, " among the %s", name_of(by, FALSE));
	else
		g_string_append_printf(text, "no %s keeps growing", name_of(by, TRUE));
	if (suspects->trace.span_ns < LEAK_SPAN_NS) {
		g_autofree char *span = units_format_time(suspects->trace.span_ns);

		g_string_append_printf(text, "; %s are too short to judge", span);
	}
	return g_string_free(g_steal_pointer(&text), FALSE);
}

/*
 * Prints advice for the case that the kernel may reclaim the memory of @sorted, which one trace
 * cannot show.
 */
static void print_advice(const GPtrArray *sorted, FILE *out)
{
	static const char advice[] =
		"A cache that fills grows like a leak. To tell them apart, record again, and run "
		"\"echo 3 >/proc/sys/vm/drop_caches\" when the workload is over: what is still live "
		"then is not in a cache.";
	guint doubts = 0;

	for (guint i = 0; i < sorted->len; i++)
		doubts |= ((const Suspect *)g_ptr_array_index(sorted, i))->judgement.doubts;
	if (!(doubts & (LEAK_DOUBT_RECLAIMABLE | LEAK_DOUBT_FOLLOWS)))
		return;
	fputc('\n', out);
	print_wrapped(advice, 0, out);
}

/* Prints the command for the events at the first suspect's address; script reads only traces. */
static void print_script(const GPtrArray *sorted, const Printer *printer)
{
	g_autofree char *base =
		g_str_has_suffix(printer->name, ".db")
			? g_strndup(printer->name, strlen(printer->name) - strlen(".db"))
			: NULL;
	g_autofree char *trace = base ? g_strconcat(base, ".kmt", NULL) : g_strdup(printer->name);
	g_autofree char *word = escape_shell_word(trace);

	for (guint i = 0; i < sorted->len; i++) {
		g_autofree char *address = address_text(g_ptr_array_index(sorted, i));
		g_autofree char *before = g_strconcat(
			"events there: kmemtrace-user script --stacks --relative --address ",
			address, " ", NULL);

		if (!*address)
			continue;
		escape_print_line(before, word, printer->out);
		return;
	}
}

/* Returns the figures of the first @limit suspects of @sorted; NULL with an error. */
static StoreRows *query(const Suspects *suspects, const GPtrArray *sorted, const char *by,
			guint limit, GError **error)
{
	StoreDb *db = suspects->printer->db;
	const Groups *groups = &suspects->live->groups;
	const char *const params[] = { ":by", by, NULL };
	g_auto(GroupRows) table = { NULL };

	group_rows_init(&table, by, FIGURES);
	for (guint i = 0; i < MIN(sorted->len, limit); i++) {
		const Suspect *suspect = g_ptr_array_index(sorted, i);

		group_rows_add(&table, groups, suspect->group - suspects->live->all);
		if (!add_figures(suspects, suspect, by, table.figures, error))
			return NULL;
	}
	if (!group_rows_create(&table, db, error))
		return NULL;
	return store_query_named(db, "leaks_suspects", params, error);
}

static gboolean print_rows(const Suspects *suspects, const GPtrArray *sorted, const char *by,
			   guint limit, GError **error)
{
	const Printer *printer = suspects->printer;
	g_autoptr(StoreRows) rows = query(suspects, sorted, by, limit, error);

	if (!rows)
		return FALSE;
	if (printer->json)
		return printer_rows(printer, "suspects", rows, error);
	fputc('\n', printer->out);
	for (guint i = 0; store_rows_next(rows) && i < sorted->len; i++)
		print_suspect(suspects, g_ptr_array_index(sorted, i), rows);
	if (sorted->len > limit)
		fprintf(printer->out, "(%u more: -n)\n", sorted->len - limit);
	return store_rows_done(rows, error);
}

gboolean verdicts_print(const Suspects *suspects, const char *by, guint limit, GError **error)
{
	const Printer *printer = suspects->printer;
	g_autoptr(GPtrArray) sorted = suspects_sorted(suspects);
	g_autofree char *conclusion = conclude(suspects, sorted, by);

	if ((sorted->len || printer->json) && !print_rows(suspects, sorted, by, limit, error))
		return FALSE;
	if (!printer->json)
		print_script(sorted, printer);
	if (!printer->json)
		print_advice(sorted, printer->out);
	fprintf(printer->out, printer->json ? ",\n\"conclusion\": \"%s\"" : "\n%s\n", conclusion);
	return TRUE;
}

static void print_short(const Suspect *suspect, StoreRows *rows, FILE *out)
{
	g_autoptr(GString) text = begin_verdict(suspect, rows);
	g_autofree char *bytes = units_format_size(store_rows_int(rows, LIVE_BYTES));
	g_autofree char *count = units_format_count(store_rows_int(rows, LIVE_COUNT));

	g_string_append_printf(text, ", %s in %s of kind %s, confidence %s", bytes, count,
			       trace_kind_names[suspect->group->kind],
			       store_rows_text(rows, CONFIDENCE));
	fprintf(out, "  %s\n", text->str);
}

gboolean verdicts_print_short(const Suspects *suspects, const char *by, guint limit, gboolean *any,
			      GError **error)
{
	FILE *out = suspects->printer->out;
	g_autoptr(GPtrArray) sorted = suspects_sorted(suspects);
	g_autofree char *conclusion = conclude(suspects, sorted, by);
	g_autoptr(StoreRows) rows = NULL;

	*any = sorted->len > 0;
	fprintf(out, "\n%sSuspected leaks:%s %s\n", terminal_style(STYLE_HEADING),
		terminal_style_end(), conclusion);
	if (!*any)
		return TRUE;
	rows = query(suspects, sorted, by, limit, error);
	for (guint i = 0; store_rows_next(rows); i++)
		print_short(g_ptr_array_index(sorted, i), rows, out);
	return store_rows_done(rows, error);
}

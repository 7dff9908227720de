// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A node never exceeds its parent, and has a higher number, so the first nodes by their largest
 * share are a tree, too. The sums of cut nodes are kept at their parent, so all totals can be
 * restored.
 */
#include "report/html/trees.h"

#include "base/compare.h"
#include "base/units.h"
#include "report/calltree/text.h"
#include "report/print/jsontext.h"
#include "trace/event/kind.h"

#define GONE G_MAXUINT32

typedef struct {
	guint32 id;
	double score;
} Rank;

/* A tree, and its shown part. */
typedef struct {
	CallTree *tree;
	guint32 *place;  /* by node: its index in the page; GONE */
	CallCost *below; /* by node: sum of its cut children */
	guint32 kept;
	guint metrics; /* available ones, as bits */
} Cut;

static void cut_clear(Cut *cut)
{
	calltree_free(cut->tree);
	g_free(cut->place);
	g_free(cut->below);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Cut, cut_clear)

/* ---- the shown part ---- */

static double score_of(const CallNode *node, const CallNode *root)
{
	double score = 0;

	for (guint m = 0; m < CALL_METRICS; m++) {
		if (root->total.of[m] > 0)
			score = MAX(score, (double)node->total.of[m] / root->total.of[m]);
	}
	return score;
}

static gint compare_ranks(gconstpointer a, gconstpointer b)
{
	const Rank *x = a, *y = b;

	return COMPARE(y->score, x->score) ?: COMPARE(x->id, y->id);
}

static void choose(Cut *cut, guint limit)
{
	guint32 count = calltree_count(cut->tree);
	const CallNode *root = calltree_node(cut->tree, 0);
	g_autoptr(GArray) ranks = g_array_new(FALSE, FALSE, sizeof(Rank));

	for (guint32 i = 0; i < count; i++) {
		Rank rank = { i, i ? score_of(calltree_node(cut->tree, i), root) : 2 };

		cut->place[i] = GONE;
		g_array_append_val(ranks, rank);
	}
	g_array_sort(ranks, compare_ranks);
	for (guint i = 0; i < ranks->len && i < MAX(limit, 1); i++)
		cut->place[g_array_index(ranks, Rank, i).id] = 0;
	for (guint32 i = 0; i < count; i++) {
		if (cut->place[i] != GONE)
			cut->place[i] = cut->kept++;
	}
}

static void add_gone(Cut *cut)
{
	for (guint32 i = 1; i < calltree_count(cut->tree); i++) {
		const CallNode *node = calltree_node(cut->tree, i);

		if (cut->place[i] != GONE || cut->place[node->parent] == GONE)
			continue;
		for (guint m = 0; m < CALL_METRICS; m++)
			cut->below[node->parent].of[m] += node->total.of[m];
	}
}

static void cut_init(Cut *cut, const CallCosts *data, guint kind, gboolean callers, guint limit)
{
	*cut = (Cut){ .tree = call_costs_tree(data, kind, &(CallView){ .callers = callers }),
		      .metrics = call_costs_metrics(data) };
	cut->place = g_new(guint32, calltree_count(cut->tree));
	cut->below = g_new0(CallCost, calltree_count(cut->tree));
	choose(cut, limit);
	add_gone(cut);
}

/* ---- JSON ---- */

/* Prints the available metrics; trees have their places in this list. */
static void print_metrics(guint metrics, FILE *out)
{
	for (guint m = 0; m < CALL_METRICS; m++) {
		const CallMetricNames *metric = callmetric_of(m);
		const char *unit = m == CALL_BYTE_MS    ? "byte_ms"
				   : m == CALL_LIVED_US ? "us"
				   : metric->bytes      ? "bytes"
							: "count";

		if (!(metrics & CALL_METRICS_BIT(m)))
			continue;
		fprintf(out,
			"%s\n{\"name\":\"%s\",\"key\":\"%s\",\"title\":\"%s\",\"unit\":\"%s\"}",
			m ? "," : "", metric->name, metric->key, metric->title, unit);
	}
}

static gboolean has_cost(const CallCost *cost)
{
	for (guint m = 0; m < CALL_METRICS; m++) {
		if (cost->of[m])
			return TRUE;
	}
	return FALSE;
}

static void print_cost(const CallCost *cost, guint metrics, FILE *out)
{
	const char *comma = "";
	guint place = 0;

	fputs(",[", out);
	for (guint m = 0; m < CALL_METRICS; m++) {
		if (cost->of[m]) {
			fprintf(out, "%s%u,%" G_GINT64_FORMAT, comma, place, cost->of[m]);
			comma = ",";
		}
		place += !!(metrics & CALL_METRICS_BIT(m));
	}
	fputc(']', out);
}

/*
 * Prints a node. @frames: by frame its index among the shown ones, from 1 on; *@last is the last
 * one.
 */
static void print_node(const Cut *cut, guint32 id, guint32 *frames, guint32 *last, FILE *out)
{
	const CallNode *node = calltree_node(cut->tree, id);
	gboolean self = has_cost(&node->self), below = has_cost(&cut->below[id]);

	if (!frames[node->frame])
		frames[node->frame] = ++*last;
	fprintf(out, "%s[%u,%u", id ? "," : "", cut->place[node->parent], frames[node->frame] - 1);
	if (self || below)
		print_cost(&node->self, cut->metrics, out);
	if (below)
		print_cost(&cut->below[id], cut->metrics, out);
	fputc(']', out);
}

static void print_tree(const Cut *cut, const char *key, guint32 *frames, guint32 *last, FILE *out)
{
	fprintf(out, ",\n\"%s\":{\"left_out\":%u,\"nodes\":[", key,
		calltree_count(cut->tree) - cut->kept);
	for (guint32 i = 0; i < calltree_count(cut->tree); i++) {
		if (cut->place[i] != GONE)
			print_node(cut, i, frames, last, out);
	}
	fputs("]}", out);
}

static void say_cut(const Cut *cut, guint kind, const char *way, GPtrArray *cuts)
{
	const CallNode *root = calltree_node(cut->tree, 0);
	guint32 count = calltree_count(cut->tree);
	g_autofree char *few = units_format_count(cut->kept), *many = units_format_count(count);
	double most = 0;

	if (cut->kept == count)
		return;
	for (guint32 i = 0; i < count; i++) {
		if (cut->place[i] == GONE)
			most = MAX(most, score_of(calltree_node(cut->tree, i), root));
	}
	g_ptr_array_add(
		cuts,
		g_strdup_printf(
			"%s: of %s functions in the %s tree, %s are drawn; none of the others has more than %.3g%% in any metric",
			trace_kind_names[kind], many, way, few, 100 * most));
}

static void print_kind(const CallCosts *data, guint kind, guint limit, guint32 *frames,
		       guint32 *last, FILE *out, GPtrArray *cuts)
{
	g_auto(Cut) down = { NULL }, up = { NULL };

	cut_init(&down, data, kind, FALSE, limit);
	cut_init(&up, data, kind, TRUE, limit);
	fprintf(out, "{\"kind\":%u", kind);
	print_tree(&down, "down", frames, last, out);
	print_tree(&up, "up", frames, last, out);
	fputc('}', out);
	say_cut(&down, kind, "top-down", cuts);
	say_cut(&up, kind, "bottom-up", cuts);
}

/* Prints the frames in the order of their numbers. */
static void print_frames(const CallCosts *data, const guint32 *frames, guint32 last, FILE *out)
{
	g_autofree guint32 *by_place = g_new0(guint32, (gsize)last + 1);

	for (guint32 i = 0; i <= call_costs_frames(data); i++) {
		if (frames[i])
			by_place[frames[i] - 1] = i;
	}
	for (guint32 i = 0; i < last; i++) {
		fputs(i ? ",[" : "[", out);
		jsontext_print(call_costs_function(data, by_place[i]), out);
		fputc(',', out);
		jsontext_print(call_costs_module(data, by_place[i]), out);
		fputc(']', out);
	}
}

void htmltrees_print(const CallCosts *data, guint limit, FILE *out, GPtrArray *cut)
{
	g_autofree guint32 *frames = g_new0(guint32, (gsize)call_costs_frames(data) + 1);
	char *too_large = call_costs_too_large(data);
	const char *comma = "";
	guint32 last = 0;

	if (too_large)
		g_ptr_array_add(cut, too_large);
	fputs("\"trees\":{\"metrics\":[", out);
	print_metrics(call_costs_metrics(data), out);
	fputs("],\n\"kinds\":[", out);
	for (guint kind = 0; kind < TRACE_KINDS; kind++) {
		CallCost all = call_costs_all(data, kind);

		if (!all.of[CALL_COUNT])
			continue;
		fputs(comma, out);
		print_kind(data, kind, limit, frames, &last, out, cut);
		comma = ",\n";
	}
	fputs("],\n\"frames\":[", out);
	print_frames(data, frames, last, out);
	fputs("]}", out);
}

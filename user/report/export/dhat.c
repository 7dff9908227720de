// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * DHAT's format, version 2, with lifetimes and without accesses: one program point per stack. Times
 * are microseconds. The maximum of a point needs all changes of live memory in order.
 */
#include "report/calltree/costs_priv.h"
#include "report/export/formats.h"
#include "report/live/live_changes.h"
#include "report/print/jsontext.h"
#include "trace/event/kind.h"

#define SHORT_US 500 /* lifetimes with a shorter mean count as short */

typedef struct {
	gint64 bytes, count;           /* live now */
	gint64 most_bytes, most_count; /* the maximum of bytes, and count at that time */
} Point;

typedef struct {
	const CallCosts *data;
	guint kind;
	guint32 *leaves; /* by origin */
	Point *points;   /* by node */
} Dhat;

static Point *point_of(const Dhat *dhat, const LiveChange *change)
{
	guint32 leaf = dhat->leaves[change->group];

	return leaf == G_MAXUINT32 ? NULL : &dhat->points[leaf];
}

/* Updates the maxima only after all changes of one time. */
static void add_changes(gpointer data, const LiveChange *changes, guint count)
{
	const Dhat *dhat = data;

	for (guint i = 0; i < count; i++) {
		Point *point = point_of(dhat, &changes[i]);

		if (!point)
			continue;
		point->bytes += changes[i].bytes;
		point->count += changes[i].count;
	}
	for (guint i = 0; i < count; i++) {
		Point *point = point_of(dhat, &changes[i]);

		if (!point || point->bytes <= point->most_bytes)
			continue;
		point->most_bytes = point->bytes;
		point->most_count = point->count;
	}
}

static void print_pair(const char *key, gint64 bytes, gint64 blocks, FILE *out)
{
	fprintf(out, ",\"%sb\":%" G_GINT64_FORMAT ",\"%sbk\":%" G_GINT64_FORMAT, key, bytes, key,
		blocks);
}

/* DHAT expects the innermost frame first. */
static void print_frames(const GArray *path, gboolean callers, FILE *out)
{
	fputs(",\"fs\":[", out);
	for (guint i = 0; i < path->len; i++)
		fprintf(out, i ? ",%u" : "%u",
			g_array_index(path, guint32, callers ? i : path->len - 1 - i));
	fputs("]}", out);
}

static void print_points(const Export *export, const Dhat *dhat, const CallTree *tree)
{
	g_autoptr(GArray) path = g_array_new(FALSE, FALSE, sizeof(guint32));
	const char *before = "\n ";
	FILE *out = export->out;

	fputs(",\"pps\":[", out);
	for (guint32 i = 1; i < calltree_count(tree); i++) {
		const gint64 *cost = calltree_node(tree, i)->self.of;
		const Point *point = &dhat->points[i];

		if (!cost[CALL_COUNT])
			continue;
		export_path(tree, i, path);
		fprintf(out, "%s{\"tb\":%" G_GINT64_FORMAT ",\"tbk\":%" G_GINT64_FORMAT, before,
			cost[CALL_BYTES], cost[CALL_COUNT]);
		fprintf(out, ",\"tl\":%" G_GINT64_FORMAT, cost[CALL_LIVED_US]);
		print_pair("m", point->most_bytes * dhat->data->factor,
			   point->most_count * dhat->data->factor, out);
		print_pair("g", cost[CALL_PEAK_BYTES], cost[CALL_PEAK_COUNT], out);
		print_pair("e", cost[CALL_LIVE_BYTES], cost[CALL_LIVE_COUNT], out);
		print_frames(path, export->options->view.callers, out);
		before = "\n,";
	}
	fputs("]\n", out);
}

static void print_table(const CallCosts *data, FILE *out)
{
	fputs(",\"ftbl\":[\"[root]\"", out);
	for (guint32 i = 1; i <= call_costs_frames(data); i++) {
		g_autofree char *name = export_function(data, i);

		fputs("\n,", out);
		jsontext_print(name, out);
	}
	fputs("]\n", out);
}

static void print_head(const Export *export, const Dhat *dhat, gint64 span_ns)
{
	g_autofree char *command = g_strdup_printf(
		"%s: %s (%s)", export->name, trace_kind_names[dhat->kind], export->completeness);
	gint64 peak_ns = MAX(call_costs_peak_ns(dhat->data, dhat->kind), 0);

	fputs("{\"dhatFileVersion\":2,\"mode\":\"heap\",\"verb\":\"Allocated\"\n"
	      ",\"bklt\":true,\"bkacc\":false\n,\"tu\":\"us\",\"Mtu\":\"s\"\n",
	      export->out);
	fprintf(export->out, ",\"tuth\":%d\n,\"cmd\":", SHORT_US);
	jsontext_print(command, export->out);
	fprintf(export->out,
		"\n,\"pid\":0\n,\"te\":%" G_GINT64_FORMAT ",\"tg\":%" G_GINT64_FORMAT "\n",
		span_ns / 1000, peak_ns / 1000);
}

gboolean export_dhat(const Export *export, GError **error)
{
	g_autoptr(CallCosts) data = export_read(export, CALL_METRICS_ALL, error);
	guint kind = data ? export_kind(export, data, error) : TRACE_KINDS;
	g_auto(Groups) groups = { 0 };
	g_autofree guint32 *leaves = NULL;
	g_autofree Point *points = NULL;
	g_autoptr(CallTree) tree = NULL;
	Dhat dhat;

	if (kind == TRACE_KINDS || !calls_check_metric(data, CALL_LIVED_US, error) ||
	    !call_costs_groups(data, export->db, &groups, error))
		return FALSE;
	leaves = g_new(guint32, data->origins->len + 1);
	tree = call_costs_tree_leaves(data, kind, &export->options->view, leaves);
	points = g_new0(Point, calltree_count(tree));
	dhat = (Dhat){ data, kind, leaves, points };
	if (!live_changes(export->db, &groups, add_changes, &dhat, error))
		return FALSE;
	print_head(export, &dhat, groups.span_ns);
	print_points(export, &dhat, tree);
	print_table(data, export->out);
	fputs("}\n", export->out);
	return TRUE;
}

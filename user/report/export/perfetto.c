// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The JSON of Chrome's traces, which ui.perfetto.dev opens: each kind is a process with counters of
 * live bytes, in total and of the functions that held most at the kind's peak. The peak is an event
 * with the stacks that held most then. Times are microseconds.
 *
 * The trace is divided into some thousand steps. A counter has a value at the end of each in which
 * it changed.
 */
#include "base/compare.h"
#include "report/calltree/costs_priv.h"
#include "report/export/formats.h"
#include "report/live/live_changes.h"
#include "report/print/jsontext.h"
#include "trace/event/kind.h"

#define STEPS    2000
#define COUNTERS 12 /* functions of each kind */
#define STACKS   10 /* of a peak */

typedef struct {
	gint64 bytes;
	gint64 told; /* the last value written; -1: none */
} Counter;

typedef struct {
	FILE *out;
	const CallCosts *data;
	const CallOrigin *origins;
	gint64 step_ns, step; /* the current step */
	Counter kinds[TRACE_KINDS];
	Counter *frames[TRACE_KINDS]; /* by frame */
	gboolean *told[TRACE_KINDS];  /* by frame: whether it has a counter */
	guint32 *leaves;              /* by origin: its frame */
	gboolean any;                 /* an event was written */
} Perfetto;

static void begin_event(Perfetto *perfetto, const char *phase, guint kind, gint64 time_ns)
{
	fprintf(perfetto->out,
		"%s\n{\"ph\": \"%s\", \"pid\": %u, \"tid\": 0, \"ts\": %" G_GINT64_FORMAT ".%03d",
		perfetto->any ? "," : "", phase, kind + 1, time_ns / 1000, (int)(time_ns % 1000));
	perfetto->any = TRUE;
}

static void print_counter(Perfetto *perfetto, guint kind, guint32 frame, Counter *counter,
			  gint64 time_ns)
{
	g_autofree char *name = frame ? export_function(perfetto->data, frame) : g_strdup("live");

	if (counter->bytes == counter->told)
		return;
	begin_event(perfetto, "C", kind, time_ns);
	fputs(", \"name\": ", perfetto->out);
	jsontext_print(name, perfetto->out);
	fprintf(perfetto->out, ", \"args\": {\"bytes\": %" G_GINT64_FORMAT "}}",
		counter->bytes * perfetto->data->factor);
	counter->told = counter->bytes;
}

static void print_step(Perfetto *perfetto, gint64 time_ns)
{
	for (guint kind = 0; kind < TRACE_KINDS; kind++) {
		if (!perfetto->frames[kind])
			continue;
		print_counter(perfetto, kind, 0, &perfetto->kinds[kind], time_ns);
		for (guint32 i = 1; i <= call_costs_frames(perfetto->data); i++) {
			if (perfetto->told[kind][i])
				print_counter(perfetto, kind, i, &perfetto->frames[kind][i],
					      time_ns);
		}
	}
}

static void add_changes(gpointer data, const LiveChange *changes, guint count)
{
	Perfetto *perfetto = data;
	gint64 step = changes[0].time_ns / perfetto->step_ns;

	if (step != perfetto->step)
		print_step(perfetto, (perfetto->step + 1) * perfetto->step_ns);
	perfetto->step = step;
	for (guint i = 0; i < count; i++) {
		guint kind = perfetto->origins[changes[i].group].kind;
		guint32 frame = perfetto->leaves[changes[i].group];

		if (!perfetto->frames[kind] || !frame)
			continue;
		perfetto->kinds[kind].bytes += changes[i].bytes;
		perfetto->frames[kind][frame].bytes += changes[i].bytes;
	}
}

/* ---- packets ---- */

typedef struct {
	gint64 bytes;
	guint32 id; /* frame or node */
} Held;

static gint compare_held(gconstpointer a, gconstpointer b)
{
	const Held *x = a, *y = b;

	return COMPARE(y->bytes, x->bytes) ?: COMPARE(x->id, y->id);
}

/* Returns the first @limit nodes by bytes at the peak; of Held. */
static GArray *top_stacks(const CallTree *tree, guint limit)
{
	GArray *held = g_array_new(FALSE, FALSE, sizeof(Held));

	for (guint32 i = 1; i < calltree_count(tree); i++) {
		Held one = { calltree_node(tree, i)->self.of[CALL_PEAK_BYTES], i };

		if (one.bytes > 0)
			g_array_append_val(held, one);
	}
	g_array_sort(held, compare_held);
	g_array_set_size(held, MIN(held->len, limit));
	return held;
}

static void choose_frames(Perfetto *perfetto, guint kind, const CallTree *tree)
{
	g_autoptr(GArray) held = g_array_new(FALSE, FALSE, sizeof(Held));
	guint32 count;
	g_autofree CallFunction *functions = calltree_functions(tree, &count);

	for (guint32 i = 1; i < count; i++) {
		Held one = { functions[i].self.of[CALL_PEAK_BYTES], i };

		if (one.bytes > 0)
			g_array_append_val(held, one);
	}
	g_array_sort(held, compare_held);
	for (guint i = 0; i < MIN(held->len, COUNTERS); i++)
		perfetto->told[kind][g_array_index(held, Held, i).id] = TRUE;
}

static void print_name(Perfetto *perfetto, guint kind)
{
	begin_event(perfetto, "M", kind, 0);
	fprintf(perfetto->out, ", \"name\": \"process_name\", \"args\": {\"name\": \"%s\"}}",
		trace_kind_names[kind]);
}

static void print_peak(Perfetto *perfetto, guint kind, const CallTree *tree)
{
	g_autoptr(GArray) path = g_array_new(FALSE, FALSE, sizeof(guint32));
	g_autoptr(GArray) held = top_stacks(tree, STACKS);

	if (call_costs_peak_ns(perfetto->data, kind) < 0)
		return;
	begin_event(perfetto, "i", kind, call_costs_peak_ns(perfetto->data, kind));
	fprintf(perfetto->out,
		", \"s\": \"p\", \"name\": \"peak\", \"args\": {\"bytes\": %" G_GINT64_FORMAT,
		call_costs_all(perfetto->data, kind).of[CALL_PEAK_BYTES]);
	for (guint i = 0; i < held->len; i++) {
		const Held *one = &g_array_index(held, Held, i);
		g_autoptr(GString) text = g_string_new(NULL);

		export_path(tree, one->id, path);
		for (guint j = path->len; j-- > 0;) {
			g_autofree char *name =
				export_function(perfetto->data, g_array_index(path, guint32, j));

			g_string_append_printf(text, "%s%s", name, j ? " < " : "");
		}
		fprintf(perfetto->out, ", \"%u: %" G_GINT64_FORMAT " bytes\": ", i + 1, one->bytes);
		jsontext_print(text->str, perfetto->out);
	}
	fputs("}}", perfetto->out);
}

/* Adds the frames and the counters of one kind, whose names are written. */
static void add_kind(Perfetto *perfetto, const Export *export, guint kind)
{
	guint count = perfetto->data->origins->len;
	g_autofree guint32 *leaves = g_new(guint32, count + 1);
	CallView view = export->options->view;
	g_autoptr(CallTree) tree = NULL;

	view.callers = FALSE;
	tree = call_costs_tree_leaves(perfetto->data, kind, &view, leaves);
	perfetto->frames[kind] = g_new0(Counter, call_costs_frames(perfetto->data) + 1);
	perfetto->told[kind] = g_new0(gboolean, call_costs_frames(perfetto->data) + 1);
	for (guint i = 0; i < count; i++) {
		if (leaves[i] != G_MAXUINT32)
			perfetto->leaves[i] = calltree_node(tree, leaves[i])->frame;
	}
	for (guint32 i = 0; i <= call_costs_frames(perfetto->data); i++)
		perfetto->frames[kind][i].told = -1;
	perfetto->kinds[kind].told = -1;
	choose_frames(perfetto, kind, tree);
	print_name(perfetto, kind);
	print_peak(perfetto, kind, tree);
}

static void print_end(const Export *export)
{
	fputs("\n],\n\"displayTimeUnit\": \"ns\",\n\"otherData\": {\"trace\": ", export->out);
	jsontext_print(export->name, export->out);
	fputs(", \"trust\": ", export->out);
	jsontext_print(export->completeness, export->out);
	fputs("}}\n", export->out);
}

gboolean export_perfetto(const Export *export, GError **error)
{
	g_autoptr(CallCosts) data = export_read(export, CALL_METRICS_BIT(CALL_PEAK_BYTES), error);
	g_auto(Groups) groups = { 0 };
	g_autofree guint32 *leaves = NULL;
	Perfetto perfetto = { .out = export->out, .data = data };
	gboolean fine;

	if (!data || export_kind(export, data, error) == TRACE_KINDS ||
	    !call_costs_groups(data, export->db, &groups, error))
		return FALSE;
	perfetto.origins = (const CallOrigin *)(gpointer)data->origins->data;
	perfetto.step_ns = groups.span_ns / STEPS + 1;
	perfetto.leaves = leaves = g_new0(guint32, data->origins->len + 1);
	fputs("{\"traceEvents\": [", export->out);
	for (guint kind = 0; kind < TRACE_KINDS; kind++) {
		if (export_has_kind(export, data, kind))
			add_kind(&perfetto, export, kind);
	}
	fine = live_changes(export->db, &groups, add_changes, &perfetto, error);
	print_step(&perfetto, groups.span_ns);
	for (guint kind = 0; kind < TRACE_KINDS; kind++) {
		g_free(perfetto.frames[kind]);
		g_free(perfetto.told[kind]);
	}
	print_end(export);
	return fine;
}

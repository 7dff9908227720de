// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/script/graph.h"

#include <string.h>

#include "base/escape.h"
#include "base/gfptext.h"
#include "base/units.h"
#include "trace/file/reader.h"

/* Columns of graph.sql. */
enum {
	TIME,
	CPU,
	CONTEXT,
	TID,
	COMM,
	EVENT,
	ADDR,
	BYTES_REQ,
	BYTES_ALLOC,
	CACHE,
	ORDER,
	MIGRATETYPE,
	GFP,
	NODE,
	STATE,
	LIFETIME,
	BACKING,
	STACK,
	CALL_SITE,
};

typedef struct {
	gint64 parent, frame; /* 0: none */
} Node;

/* A context: a thread, or interrupts of a CPU. */
typedef struct {
	gint64 who, context; /* thread, or CPU; -1 - CPU of an idle thread */
} Flow;

typedef struct {
	FILE *out;
	GStringChunk *names;
	GArray *frames;  /* of const char *, by number: the same pointer for the same function */
	GArray *nodes;   /* of Node: the tree of stacks, by number */
	GArray *open;    /* of gint64: entered frames, outermost first */
	GArray *next;    /* likewise, of the allocation to print */
	const char *cut; /* the name TRACE_STACK_CUT_NAME */
	guint deepest;   /* greatest depth: with an older tracer such stacks may have been cut */
	gint64 from_ns, to_ns; /* range of shown marks */
	gboolean begun;
	Flow flow;
} Graph;

static void graph_init(Graph *graph, FILE *out)
{
	*graph = (Graph){ .out = out, .to_ns = G_MAXINT64 };
	graph->names = g_string_chunk_new(4096);
	graph->cut = g_string_chunk_insert_const(graph->names, TRACE_STACK_CUT_NAME);
	graph->frames = g_array_new(FALSE, TRUE, sizeof(const char *));
	graph->nodes = g_array_new(FALSE, TRUE, sizeof(Node));
	graph->open = g_array_new(FALSE, FALSE, sizeof(gint64));
	graph->next = g_array_new(FALSE, FALSE, sizeof(gint64));
}

static void graph_clear(Graph *graph)
{
	g_string_chunk_free(graph->names);
	g_array_unref(graph->frames);
	g_array_unref(graph->nodes);
	g_array_unref(graph->open);
	g_array_unref(graph->next);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Graph, graph_clear)

/* ---- names and stacks ---- */

/* Returns the element of number @id, which is added if it is new; NULL: invalid. */
static gpointer place(GArray *array, gint64 id)
{
	if (id < 0 || id > G_MAXINT32)
		return NULL;
	if (id >= array->len)
		g_array_set_size(array, (guint)id + 1);
	return array->data + (gsize)id * g_array_get_element_size(array);
}

/* Columns of names_frames.sql: id, function, module. */
static void take_frame(StoreRows *rows, gpointer data)
{
	const Graph *graph = data;
	const char **name = place(graph->frames, store_rows_int(rows, 0));
	const char *module = store_rows_text(rows, 2);
	g_autofree char *text =
		g_strdup_printf(*module ? "%s [%s]" : "%s", store_rows_text(rows, 1), module);

	if (name)
		*name = g_string_chunk_insert_const(graph->names, text);
}

/* Columns of names_stacks.sql: id, parent, frame. */
static void take_node(StoreRows *rows, gpointer data)
{
	const Graph *graph = data;
	Node *node = place(graph->nodes, store_rows_int(rows, 0));

	if (node)
		*node = (Node){ store_rows_int(rows, 1), store_rows_int(rows, 2) };
}

static const Node *node_of(const Graph *graph, gint64 id)
{
	return id > 0 && id < graph->nodes->len ? &g_array_index(graph->nodes, Node, id) : NULL;
}

static const char *name_of(const Graph *graph, gint64 frame)
{
	const char *name = NULL;

	if (frame > 0 && frame < graph->frames->len)
		name = g_array_index(graph->frames, const char *, frame);
	return name ? name : "?";
}

/* Follows the parents, which lead outwards: @frames is innermost first. */
static void walk(const Graph *graph, gint64 stack, GArray *frames)
{
	const Node *node;

	g_array_set_size(frames, 0);
	while ((node = node_of(graph, stack)) && frames->len < G_MAXUINT8) {
		g_array_append_val(frames, node->frame);
		stack = node->parent;
	}
}

static gboolean read_names(StoreDb *db, Graph *graph, GError **error)
{
	if (!store_each(db, "names_frames", NULL, take_frame, graph, error) ||
	    !store_each(db, "names_stacks", NULL, take_node, graph, error))
		return FALSE;
	for (guint id = 1; id < graph->nodes->len; id++) {
		walk(graph, id, graph->next);
		graph->deepest = MAX(graph->deepest, graph->next->len);
	}
	return TRUE;
}

/* Reads the frames of the allocation in @rows, outermost first. */
static void read_stack(Graph *graph, StoreRows *rows)
{
	GArray *frames = graph->next;
	gint64 site = store_rows_int(rows, CALL_SITE);

	walk(graph, store_rows_int(rows, STACK), frames);
	if (!frames->len && site)
		g_array_append_val(frames, site);
	for (guint i = 0; i < frames->len / 2; i++) {
		gint64 *one = &g_array_index(frames, gint64, i);
		gint64 *other = &g_array_index(frames, gint64, frames->len - 1 - i), kept = *one;

		*one = *other;
		*other = kept;
	}
}

/* ---- lines ---- */

static void print_time(const Graph *graph, gint64 ns)
{
	if (ns < 0)
		fprintf(graph->out, "%16s | ", "");
	else
		fprintf(graph->out, "%6" G_GINT64_FORMAT ".%09" G_GINT64_FORMAT " | ",
			ns / 1000000000, ns % 1000000000);
}

static void leave(Graph *graph, guint keep)
{
	while (graph->open->len > keep) {
		guint depth = graph->open->len - 1;

		print_time(graph, -1);
		fprintf(graph->out, "%*s} /* %s */\n", (int)depth * 2, "",
			name_of(graph, g_array_index(graph->open, gint64, depth)));
		g_array_set_size(graph->open, depth);
	}
}

static void enter(Graph *graph, gint64 frame)
{
	const char *name = name_of(graph, frame);

	print_time(graph, -1);
	fprintf(graph->out, "%*s%s%s {\n", (int)graph->open->len * 2, "", name,
		name == graph->cut ? "" : "()");
	g_array_append_val(graph->open, frame);
}

static gboolean is_cut(const Graph *graph, const GArray *frames)
{
	return frames->len > 1 && name_of(graph, g_array_index(frames, gint64, 0)) == graph->cut;
}

/*
 * Returns where the next stack begins among the open calls. A cut stack lacks its outer calls. If
 * its outermost call is still open, they are as well, and no placeholder is printed for them.
 */
static guint begin_of(Graph *graph)
{
	gboolean cut = is_cut(graph, graph->next);
	gint64 outermost;

	if (!cut && (!graph->next->len || graph->next->len < graph->deepest))
		return 0;
	outermost = g_array_index(graph->next, gint64, cut);
	for (guint i = 0; i < graph->open->len; i++) {
		if (g_array_index(graph->open, gint64, i) != outermost)
			continue;
		if (cut)
			g_array_remove_index(graph->next, 0);
		return i;
	}
	return 0;
}

/*
 * Leaves and enters the calls between the open ones and the next stack. A function that continues
 * at another address is still the same call; its callee there is a new call.
 */
static void go_to_next(Graph *graph)
{
	guint begin = begin_of(graph), i = 0;
	gint64 *open = (gint64 *)(gpointer)graph->open->data + begin;
	const gint64 *next = (const gint64 *)(gpointer)graph->next->data;
	guint common = MIN(graph->open->len - begin, graph->next->len);

	while (i < common && open[i] == next[i])
		i++;
	if (i < common && name_of(graph, open[i]) == name_of(graph, next[i])) {
		open[i] = next[i];
		i++;
	}
	leave(graph, begin + i);
	for (; i < graph->next->len; i++)
		enter(graph, g_array_index(graph->next, gint64, i));
}

/* ---- one call ---- */

static void append(GString *text, const char *format, ...) G_GNUC_PRINTF(2, 3);

/* Appends an element of a list with commas. */
static void append(GString *text, const char *format, ...)
{
	va_list args;

	if (text->len)
		g_string_append(text, ", ");
	va_start(args, format);
	g_string_append_vprintf(text, format, args);
	va_end(args);
}

static char *arguments_of(StoreRows *rows)
{
	gboolean page = store_rows_type(rows, ORDER) != STORE_NULL;
	g_autofree char *gfp = gfptext_fold(store_rows_text(rows, GFP));
	GString *text = g_string_new(NULL);

	if (page)
		append(text, ".order=%" G_GINT64_FORMAT, store_rows_int(rows, ORDER));
	if (store_rows_type(rows, CACHE) != STORE_NULL)
		append(text, ".cache=%s", store_rows_text(rows, CACHE));
	if (!page)
		append(text, ".size=%" G_GINT64_FORMAT, store_rows_int(rows, BYTES_REQ));
	if (store_rows_type(rows, MIGRATETYPE) != STORE_NULL)
		append(text, ".migratetype=%s", store_rows_text(rows, MIGRATETYPE));
	if (*gfp)
		append(text, ".gfp=%s", gfp);
	if (!page && store_rows_type(rows, NODE) != STORE_NULL)
		append(text, ".node=%" G_GINT64_FORMAT, store_rows_int(rows, NODE));
	return g_string_free(text, FALSE);
}

/* Appends the fate, by state of the view alloc; the second one has a time. */
static void append_life(GString *text, StoreRows *rows)
{
	static const char *const formats[] = {
		"live at the end",
		"lives %s",
		"freed unseen, after %s at most",
		"given to kfree_rcu() after %s",
		"given to kfree_rcu(), not freed at the end",
	};
	g_autofree char *time = units_format_time(store_rows_int(rows, LIFETIME));
	gint64 state = store_rows_int(rows, STATE);
	const char *format = state >= 0 && state < 5 ? formats[state] : "?";
	g_auto(GStrv) parts = g_strsplit(format, "%s", 2);

	append(text, "%s%s%s", parts[0], parts[1] ? time : "", parts[1] ? parts[1] : "");
}

static char *comment_of(StoreRows *rows)
{
	gint64 taken = store_rows_int(rows, BYTES_ALLOC);
	const char *backing = store_rows_text(rows, BACKING);
	GString *text = g_string_new(NULL);

	if (*backing)
		append(text,
		       strcmp(backing, "kmalloc-large") ? "backs %s" : "is a large kmalloc%.0s",
		       backing);
	if (strcmp(store_rows_text(rows, EVENT), "percpu_alloc") == 0)
		append(text, "takes %" G_GINT64_FORMAT " on all CPUs", taken);
	else if (taken != store_rows_int(rows, BYTES_REQ))
		append(text, "takes %" G_GINT64_FORMAT, taken);
	append_life(text, rows);
	return g_string_free(text, FALSE);
}

static void print_call(Graph *graph, StoreRows *rows)
{
	g_autofree char *arguments = arguments_of(rows), *comment = comment_of(rows);
	gboolean page = store_rows_type(rows, ORDER) != STORE_NULL;

	print_time(graph, store_rows_int(rows, TIME));
	fprintf(graph->out, "%*s%s(%s) = %s%s /* %s */\n", (int)graph->open->len * 2, "",
		store_rows_text(rows, EVENT), arguments, page ? "pfn " : "",
		store_rows_text(rows, ADDR), comment);
}

/* ---- output ---- */

static void begin_flow(Graph *graph, StoreRows *rows)
{
	static const char *const contexts[] = { "", "soft interrupts", "hard interrupts" };
	const char *comm = store_rows_text(rows, COMM);
	gint64 context = store_rows_int(rows, CONTEXT), tid = store_rows_int(rows, TID);
	gint64 cpu = store_rows_int(rows, CPU);
	gboolean is_idle = !context && !tid;
	Flow flow = { context ? cpu : is_idle ? -1 - cpu : tid, context };

	if (graph->begun && flow.who == graph->flow.who && flow.context == graph->flow.context)
		return;
	leave(graph, 0);
	if (context > 0 && context < (gint64)G_N_ELEMENTS(contexts))
		fprintf(graph->out, "\n%s of CPU %" G_GINT64_FORMAT "\n", contexts[context], cpu);
	else if (is_idle)
		fprintf(graph->out, "\n%s-0 of CPU %" G_GINT64_FORMAT "\n", *comm ? comm : "?",
			cpu);
	else
		fprintf(graph->out, "\n%s-%" G_GINT64_FORMAT "\n", *comm ? comm : "?", tid);
	graph->begun = TRUE;
	graph->flow = flow;
}

static void print_mark(const Graph *graph, gint64 ns, const char *text)
{
	if (ns < graph->from_ns || ns > graph->to_ns)
		return;
	print_time(graph, ns);
	fprintf(graph->out, "%*s/* mark: %s */\n", (int)graph->open->len * 2, "", text);
}

/* Prints marks up to @ns. *@any: @marks has one. */
static void print_marks(Graph *graph, StoreRows *marks, gboolean *any, gint64 ns)
{
	while (*any && store_rows_int(marks, 1) <= ns) {
		print_mark(graph, store_rows_int(marks, 1), store_rows_text(marks, 2));
		*any = store_rows_next(marks);
	}
}

/* @marks is NULL without marks. */
static gboolean print_rows(Graph *graph, StoreRows *rows, StoreRows *marks, GError **error)
{
	gboolean any = store_rows_next(marks);

	while (store_rows_next(rows)) {
		begin_flow(graph, rows);
		read_stack(graph, rows);
		print_marks(graph, marks, &any, store_rows_int(rows, TIME));
		go_to_next(graph);
		print_call(graph, rows);
	}
	print_marks(graph, marks, &any, G_MAXINT64);
	leave(graph, 0);
	return store_rows_done(rows, error) && (!marks || store_rows_done(marks, error));
}

gboolean graph_print(const Printer *printer, gconstpointer data, GError **error)
{
	const GraphOptions *options = data;
	g_autofree char *cpu = g_strdup_printf("%d", options->cpu);
	g_autofree char *tid = g_strdup_printf("%d", options->tid);
	const char *params[] = { ":cpu", cpu, ":tid", tid, NULL };
	gboolean one = options->cpu != GRAPH_ALL || options->tid != GRAPH_ALL;
	g_autoptr(StoreRows) rows = NULL, marks = NULL;
	g_auto(Graph) graph = { 0 };

	graph_init(&graph, printer->out);
	if (selection_has_interval(printer->selection)) {
		graph.from_ns = printer->selection->from_ns;
		graph.to_ns = printer->selection->to_ns;
	}
	if (!read_names(printer->db, &graph, error))
		return FALSE;
	rows = store_query_named(printer->db, "graph", params, error);
	if (!rows)
		return FALSE;
	marks = one ? store_query_named(printer->db, "mark_list", NULL, error) : NULL;
	if (one && !marks)
		return FALSE;
	if (!print_rows(&graph, rows, marks, error))
		return FALSE;
	if (!graph.begun)
		fputs("\nnothing\n", printer->out);
	return TRUE;
}

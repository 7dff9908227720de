// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/leaks.h"

#include "base/units.h"
#include "report/holdertables.h"
#include "report/merged.h"

#define OLDER_NS	G_GINT64_CONSTANT(30000000000)

static gint64 old_bytes(const HoldersGroup *group)
{
	return group->old_bytes;
}

/* What is live of a module that is gone will not be freed by it, whatever went before. */
static Shape leaks_shape(const HoldersGroup *group)
{
	return group->orphaned ? SHAPE_ORPHANED : shape_of(group->curve);
}

static void leaks_members(const HoldersGroup *group, GString *json)
{
	const struct {
		const char *name;
		gint64 value;
	} members[] = {
		{ "old_bytes", group->old_bytes },   { "old_count", group->old_count },
		{ "live_bytes", group->live_bytes }, { "oldest_ns", group->oldest_ns },
		{ "age0", group->ages[0] },	     { "age1", group->ages[1] },
		{ "age2", group->ages[2] },	     { "age3", group->ages[3] },
		{ "age4", group->ages[4] },	     { "doubtful", group->doubtful },
	};

	for (gsize i = 0; i < G_N_ELEMENTS(members); i++)
		g_string_append_printf(json, "\"%s\":%" G_GINT64_FORMAT ",", members[i].name,
				       members[i].value);
	g_string_append_printf(json, "\"shape\":\"%s\"", shape_name(leaks_shape(group)));
}

static gint64 default_older(const Holders *holders)
{
	return MIN(OLDER_NS, holders->span_ns / 2);
}

typedef GPtrArray *Tops[HOLDERS_KINDS];

/* Of each kind the first, which are wanted then. */
static void take_tops(Holders *holders, guint limit, gint64 (*value)(const HoldersGroup *),
		      Tops tops)
{
	for (HoldersKind kind = 0; kind < HOLDERS_KINDS; kind++) {
		tops[kind] = holders_top(holders, kind, limit, value);
		for (guint i = 0; i < tops[kind]->len; i++)
			((HoldersGroup *)g_ptr_array_index(tops[kind], i))->wanted = TRUE;
	}
}

/* Leaves out what has another shape, then all but the first @limit. */
static void keep_shape(Tops tops, const char *name, guint limit)
{
	Shape shape = shape_find(name);

	for (HoldersKind kind = 0; kind < HOLDERS_KINDS; kind++) {
		for (guint i = tops[kind]->len; i-- > 0;) {
			if (leaks_shape(g_ptr_array_index(tops[kind], i)) != shape)
				g_ptr_array_remove_index(tops[kind], i);
		}
		if (tops[kind]->len > limit)
			g_ptr_array_set_size(tops[kind], (gint)limit);
	}
}

static gboolean print_tops(const Answer *answer, const HolderTable *table, Tops tops,
			   GError **error)
{
	gboolean any = FALSE;

	for (HoldersKind kind = 0; kind < HOLDERS_KINDS; kind++) {
		any |= tops[kind]->len > 0;
		if (!holder_table_print(answer, table, kind, tops[kind], error))
			return FALSE;
	}
	if (!any && !answer->json)
		fputs("\nnothing\n", answer->out);
	return TRUE;
}

static void print_own_kind(StoreRows *rows, GString *text)
{
	g_autofree char *size = units_format_size(store_rows_int(rows, 0));
	g_autofree char *number = units_format_count(store_rows_int(rows, 1));

	g_string_append_printf(text, "%s%s in %s of kind %s", text->len ? ", " : "", size, number,
			       store_rows_text(rows, 2));
}

/* What the tracer, and its recorder, allocated and still hold, which is in no table above. */
static gboolean print_own(const Answer *answer, const char *by, GError **error)
{
	const char *const params[] = { ":by", by, NULL };
	g_autoptr(StoreRows) rows = store_query_named(answer->db, "holders_own", params, error);
	g_autoptr(GString) text = g_string_new(NULL);
	g_autoptr(GError) local = NULL;

	if (!rows)
		return FALSE;
	if (answer->json)
		return answer_rows(answer, "tracer", rows, error);
	while (store_rows_next(rows, &local))
		print_own_kind(rows, text);
	if (text->len)
		fprintf(answer->out, "\n(without the tracer's own memory: %s)\n", text->str);
	if (!local)
		return TRUE;
	g_propagate_error(error, g_steal_pointer(&local));
	return FALSE;
}

static void free_tops(Tops tops)
{
	for (HoldersKind kind = 0; kind < HOLDERS_KINDS; kind++)
		g_ptr_array_unref(tops[kind]);
}

static gboolean print_leaks(const Answer *answer, Holders *holders, const LeaksOptions *options,
			    GError **error)
{
	gint64 older_ns = options->older_ns < 0 ? default_older(holders) : options->older_ns;
	g_autofree char *age = units_format_age((guint64)older_ns);
	const char *shape = options->shape;
	g_autofree char *title = g_strdup_printf("Live and older than %s%s%s: %%s", age,
						 shape ? ", of the shape " : "", shape ?: "");
	const HolderTable table = { .sql = "leaks", .by = options->by, .title = title,
				    .members = leaks_members };
	gboolean fine;
	Tops tops;

	if (!holders_read_live(holders, older_ns, error))
		return FALSE;
	take_tops(holders, shape ? G_MAXINT : options->limit, old_bytes, tops);
	if (answer->json)
		fprintf(answer->out, ",\n\"older_ns\": %" G_GINT64_FORMAT, older_ns);
	if (answer->json && shape)
		fprintf(answer->out, ",\n\"shape\": \"%s\"", shape);
	fine = holders_read_curves(holders, 0, MAX(holders->span_ns, 1), error);
	if (fine && shape)
		keep_shape(tops, shape, options->limit);
	fine = fine && print_tops(answer, &table, tops, error) &&
	       (options->site || print_own(answer, options->by, error)) &&
	       merged_print(answer, options->by, error);
	free_tops(tops);
	return fine;
}

gboolean leaks_print(const Answer *answer, gconstpointer data, GError **error)
{
	const LeaksOptions *options = data;
	g_auto(Holders) holders = { 0 };

	answer_say_live(answer);
	return holders_init(&holders, answer->db, options->by, options->site ? options->site : "",
			    error) &&
	       print_leaks(answer, &holders, options, error);
}

/* ---- what grew ---- */

static gint64 grown_bytes(const HoldersGroup *group)
{
	return group->curve[SHAPE_STEPS] - group->curve[0];
}

static void grow_members(const HoldersGroup *group, GString *json)
{
	g_string_append_printf(json,
			       "\"from_bytes\":%" G_GINT64_FORMAT ",\"from_count\":%" G_GINT64_FORMAT
			       ",\"to_bytes\":%" G_GINT64_FORMAT ",\"to_count\":%" G_GINT64_FORMAT
			       ",\"live_bytes\":%" G_GINT64_FORMAT ",\"shape\":\"%s\"",
			       group->curve[0], group->from_count, group->curve[SHAPE_STEPS],
			       group->to_count, group->live_bytes,
			       shape_name(shape_of(group->curve)));
}

static gboolean check_times(const Holders *holders, gint64 from_ns, gint64 to_ns, GError **error)
{
	g_autofree char *from = units_format_age(from_ns), *to = units_format_age(to_ns);
	g_autofree char *span = units_format_time(holders->span_ns);

	if (to_ns > MAX(holders->span_ns, 1))
		g_set_error(error, STORE_ERROR, STORE_ERROR_FAILED,
			    "%s is after the end of the trace, which has %s", to, span);
	else if (from_ns >= to_ns)
		g_set_error(error, STORE_ERROR, STORE_ERROR_FAILED,
			    "--to %s must be later than --from %s; the trace has %s",
			    to, from, span);
	else
		return TRUE;
	return FALSE;
}

static gboolean print_grow(const Answer *answer, Holders *holders, const LeaksOptions *options,
			   gint64 from_ns, gint64 to_ns, GError **error)
{
	g_autofree char *from = units_format_age(from_ns), *to = units_format_time(to_ns);
	g_autofree char *title = g_strdup_printf("Grew from %s to %s: %%s", from_ns ? from : "0s", to);
	const HolderTable table = { .sql = "grow", .by = options->by, .title = title,
				    .members = grow_members };
	gboolean fine;
	Tops tops;

	for (guint i = 0; i < holders->groups->len; i++)
		g_array_index(holders->groups, HoldersGroup, i).wanted = TRUE;
	if (!holders_read_live(holders, 0, error) ||
	    !holders_read_curves(holders, from_ns, to_ns, error))
		return FALSE;
	if (answer->json)
		fprintf(answer->out,
			",\n\"from_ns\": %" G_GINT64_FORMAT ",\n\"to_ns\": %" G_GINT64_FORMAT, from_ns,
			to_ns);
	take_tops(holders, options->limit, grown_bytes, tops);
	fine = print_tops(answer, &table, tops, error) && print_own(answer, options->by, error) &&
	       merged_print(answer, options->by, error);
	free_tops(tops);
	return fine;
}

gboolean grow_print(const Answer *answer, gconstpointer data, GError **error)
{
	const LeaksOptions *options = data;
	const char *from = options->from, *to = options->to;
	gint64 from_ns = MAX(options->from_ns, 0), to_ns = options->to_ns;
	g_auto(Holders) holders = { 0 };

	if (!holders_init(&holders, answer->db, options->by, "", error))
		return FALSE;
	if (to_ns < 0)
		to_ns = MAX(holders.span_ns, 1);
	if ((from && !between_time(answer->db, from, &from_ns, error)) ||
	    (to && !between_time(answer->db, to, &to_ns, error)) ||
	    !check_times(&holders, from_ns, to_ns, error))
		return FALSE;
	answer_say_live(answer);
	return print_grow(answer, &holders, options, from_ns, to_ns, error);
}

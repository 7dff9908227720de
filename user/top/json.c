// SPDX-License-Identifier: GPL-2.0-or-later
#include <json-glib/json-glib.h>

#include "base/escape.h"
#include "top/page.h"
#include "trace/event/kind.h"

static void set_text(JsonBuilder *builder, const char *name, const char *text)
{
	g_autofree char *valid = text ? g_utf8_make_valid(text, -1) : NULL;

	json_builder_set_member_name(builder, name);
	if (valid)
		json_builder_add_string_value(builder, valid);
	else
		json_builder_add_null_value(builder);
}

static void set_int(JsonBuilder *builder, const char *name, gint64 value)
{
	json_builder_set_member_name(builder, name);
	json_builder_add_int_value(builder, value);
}

static void set_double(JsonBuilder *builder, const char *name, double value)
{
	json_builder_set_member_name(builder, name);
	json_builder_add_double_value(builder, value);
}

static void set_rate(JsonBuilder *builder, const char *name, double value, gboolean known)
{
	if (known)
		set_double(builder, name, value);
	else
		set_text(builder, name, NULL);
}

static void add_row(JsonBuilder *builder, const TopRow *row, TopView view, gboolean rates)
{
	json_builder_begin_object(builder);
	set_text(builder, view == TOP_SITES ? "caller" : top_views[view], row->name);
	if (view == TOP_SITES)
		set_text(builder, "module", row->module);
	set_int(builder, "live_bytes", row->live_bytes);
	set_int(builder, "live_count", row->live_count);
	set_rate(builder, "growth_bytes_s", row->growth, rates);
	set_rate(builder, "allocs_s", row->churn, rates);
	json_builder_end_object(builder);
}

static void add_head(JsonBuilder *builder, const TopModel *model, const TopFacts *facts,
		     const TopLook *look)
{
	set_int(builder, "start_unix_s", facts->start);
	set_double(builder, "since_start_s", facts->span_ns / 1e9);
	set_int(builder, "events", facts->stats.written);
	set_int(builder, "lost", stats_lost_records(&facts->stats));
	set_int(builder, "unmatched_frees", top_model_unmatched(model));
	set_text(builder, "unseen", facts->unseen);
	set_text(builder, "filters", facts->filters);
	set_int(builder, "live_allocations", top_model_live(model));
	set_int(builder, "memory_bytes", facts->own_bytes);
	set_int(builder, "tracer_bytes", facts->tracer_bytes);
	set_text(builder, "kind", trace_kind_names[look->kind]);
	set_text(builder, "by", top_views[look->view]);
	set_text(builder, "sort", top_sorts[look->sort]);
}

char *top_json(const TopModel *model, const TopFacts *facts, const TopLook *look, guint limit)
{
	g_autoptr(GArray) rows =
		top_model_rows(model, look->view, look->kind, look->sort, look->filter);
	g_autoptr(JsonBuilder) builder = json_builder_new();
	g_autoptr(JsonGenerator) generator = json_generator_new();
	g_autoptr(JsonNode) root = NULL;
	g_autofree char *text = NULL;

	json_builder_begin_object(builder);
	add_head(builder, model, facts, look);
	json_builder_set_member_name(builder, "rows");
	json_builder_begin_array(builder);
	for (guint i = 0; i < rows->len && (!limit || i < limit); i++)
		add_row(builder, &g_array_index(rows, TopRow, i), look->view,
			top_model_has_rates(model));
	json_builder_end_array(builder);
	json_builder_end_object(builder);
	root = json_builder_get_root(builder);
	json_generator_set_root(generator, root);
	text = json_generator_to_data(generator, NULL);
	return escape_json(text);
}

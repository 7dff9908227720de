// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/object.h"
#include "top/page.h"
#include "trace/event/kind.h"

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
		object_add_text(builder, name, NULL);
}

static void add_row(JsonBuilder *builder, const TopRow *row, TopView view, gboolean rates)
{
	json_builder_begin_object(builder);
	object_add_text(builder, view == TOP_SITES ? "caller" : top_views[view], row->name);
	if (view == TOP_SITES)
		object_add_text(builder, "module", row->module);
	object_add_int(builder, "live_bytes", row->live_bytes);
	object_add_int(builder, "live_count", row->live_count);
	set_rate(builder, "growth_bytes_s", row->growth, rates);
	set_rate(builder, "allocs_s", row->churn, rates);
	json_builder_end_object(builder);
}

static void add_head(JsonBuilder *builder, const TopModel *model, const TopFacts *facts,
		     const TopLook *look)
{
	object_add_int(builder, "start_unix_s", facts->start);
	set_double(builder, "since_start_s", facts->span_ns / 1e9);
	object_add_int(builder, "events", facts->stats.written);
	object_add_int(builder, "lost", stats_lost_records(&facts->stats));
	object_add_int(builder, "unmatched_frees", top_model_unmatched(model));
	object_add_text(builder, "unseen", facts->unseen);
	object_add_text(builder, "filters", facts->filters);
	object_add_int(builder, "live_allocations", top_model_live(model));
	object_add_int(builder, "memory_bytes", facts->own_bytes);
	object_add_int(builder, "tracer_bytes", facts->tracer_bytes);
	object_add_text(builder, "kind", trace_kind_names[look->kind]);
	object_add_text(builder, "by", top_views[look->view]);
	object_add_text(builder, "sort", top_sorts[look->sort]);
}

char *top_json(const TopModel *model, const TopFacts *facts, const TopLook *look, guint limit)
{
	g_autoptr(GArray) rows =
		top_model_rows(model, look->view, look->kind, look->sort, look->filter);
	g_autoptr(JsonBuilder) builder = json_builder_new();

	json_builder_begin_object(builder);
	add_head(builder, model, facts, look);
	json_builder_set_member_name(builder, "rows");
	json_builder_begin_array(builder);
	for (guint i = 0; i < rows->len && (!limit || i < limit); i++)
		add_row(builder, &g_array_index(rows, TopRow, i), look->view,
			top_model_has_rates(model));
	json_builder_end_array(builder);
	json_builder_end_object(builder);
	return object_text(builder, FALSE);
}

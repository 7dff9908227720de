// SPDX-License-Identifier: GPL-2.0-or-later
#include <json-glib/json-glib.h>

#include "base/escape.h"
#include "capture/doctor/doctor.h"

static void add_text(JsonBuilder *builder, const char *name, const char *value)
{
	g_autofree char *valid = value ? g_utf8_make_valid(value, -1) : NULL;

	json_builder_set_member_name(builder, name);
	if (valid)
		json_builder_add_string_value(builder, valid);
	else
		json_builder_add_null_value(builder);
}

static void add_sources(JsonBuilder *builder, const GArray *sources)
{
	json_builder_set_member_name(builder, "sources");
	json_builder_begin_array(builder);
	for (guint i = 0; i < sources->len; i++) {
		const DoctorSource *source = &g_array_index(sources, DoctorSource, i);

		json_builder_begin_object(builder);
		add_text(builder, "source", source->name);
		json_builder_set_member_name(builder, "works");
		json_builder_add_boolean_value(builder, source->works);
		add_text(builder, "why", source->why);
		add_text(builder, "unseen", source->unseen);
		json_builder_end_object(builder);
	}
	json_builder_end_array(builder);
}

static void add_findings(JsonBuilder *builder, const GArray *findings)
{
	json_builder_set_member_name(builder, "findings");
	json_builder_begin_array(builder);
	for (guint i = 0; i < findings->len; i++) {
		const Finding *finding = &g_array_index(findings, Finding, i);

		json_builder_begin_object(builder);
		add_text(builder, "topic", finding->topic);
		add_text(builder, "level", finding_level_name(finding->level));
		add_text(builder, "text", finding->text);
		add_text(builder, "command", finding->command);
		json_builder_end_object(builder);
	}
	json_builder_end_array(builder);
}

char *doctor_to_json(const GArray *sources, const GArray *findings)
{
	g_autoptr(JsonBuilder) builder = json_builder_new();
	g_autoptr(JsonNode) root = NULL;
	g_autofree char *text = NULL;
	const DoctorSource *chosen = doctor_chosen(sources);

	json_builder_begin_object(builder);
	add_text(builder, "record_uses", chosen ? chosen->name : NULL);
	add_sources(builder, sources);
	add_findings(builder, findings);
	json_builder_end_object(builder);
	root = json_builder_get_root(builder);
	text = json_to_string(root, TRUE);
	return escape_json(text);
}

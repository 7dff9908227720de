// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/object.h"
#include "capture/doctor/doctor.h"

static void add_sources(JsonBuilder *builder, const GArray *sources)
{
	json_builder_set_member_name(builder, "sources");
	json_builder_begin_array(builder);
	for (guint i = 0; i < sources->len; i++) {
		const DoctorSource *source = &g_array_index(sources, DoctorSource, i);

		json_builder_begin_object(builder);
		object_add_text(builder, "source", source->name);
		object_add_bool(builder, "works", source->works);
		object_add_text(builder, "why", source->why);
		object_add_text(builder, "unseen", source->unseen);
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
		object_add_text(builder, "topic", finding->topic);
		object_add_text(builder, "level", finding_level_name(finding->level));
		object_add_text(builder, "text", finding->text);
		object_add_text(builder, "command", finding->command);
		json_builder_end_object(builder);
	}
	json_builder_end_array(builder);
}

char *doctor_to_json(const GArray *sources, const GArray *findings)
{
	g_autoptr(JsonBuilder) builder = json_builder_new();
	const DoctorSource *chosen = doctor_chosen(sources);

	json_builder_begin_object(builder);
	object_add_text(builder, "record_uses", chosen ? chosen->name : NULL);
	add_sources(builder, sources);
	add_findings(builder, findings);
	json_builder_end_object(builder);
	return object_text(builder, TRUE);
}

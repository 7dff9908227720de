// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/whole.h"

void whole_print_trust(const Trust *trust, int indent, FILE *out)
{
	g_autofree char *summary = trust_summary(trust);
	const char *sure = trust_is_incomplete(trust) ? "" : "complete; no event was lost";

	fprintf(out, "%*sTrust: %s%s%s%s\n", indent, "", sure, *sure && summary ? "; " : "",
		summary ? summary : "", *sure ? "" : ": what is live may have been freed unseen");
}

void whole_add_int(JsonBuilder *json, const char *name, gint64 value)
{
	json_builder_set_member_name(json, name);
	json_builder_add_int_value(json, value);
}

void whole_add_text(JsonBuilder *json, const char *name, const char *text)
{
	g_autofree char *valid = g_utf8_make_valid(text, -1);

	json_builder_set_member_name(json, name);
	json_builder_add_string_value(json, valid);
}

static void add_bool(JsonBuilder *json, const char *name, gboolean value)
{
	json_builder_set_member_name(json, name);
	json_builder_add_boolean_value(json, value);
}

void whole_add_trust(JsonBuilder *json, const Trust *trust)
{
	json_builder_set_member_name(json, "trust");
	json_builder_begin_array(json);
	json_builder_begin_object(json);
	add_bool(json, "complete", !trust_is_incomplete(trust));
	whole_add_int(json, "lost_events", trust->lost_events);
	whole_add_int(json, "lost_subbufs", trust->lost_subbufs);
	whole_add_int(json, "cut", trust->cut);
	whole_add_int(json, "cut_offset", trust->cut_offset);
	whole_add_int(json, "recovered_bytes", trust->left_out);
	whole_add_int(json, "recovered_places", trust->left_out_places);
	whole_add_int(json, "recovered_end", !trust->lost_end);
	whole_add_text(json, "unseen", trust->unseen);
	json_builder_end_object(json);
	json_builder_end_array(json);
}

void whole_print_json(JsonBuilder *json, FILE *out)
{
	g_autoptr(JsonNode) root = json_builder_get_root(json);
	g_autoptr(JsonGenerator) generator = json_generator_new();
	g_autofree char *text = NULL;

	json_generator_set_root(generator, root);
	json_generator_set_pretty(generator, TRUE);
	json_generator_set_indent(generator, 1);
	json_generator_set_indent_char(generator, '\t');
	text = json_generator_to_data(generator, NULL);
	fprintf(out, "%s\n", text);
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/object.h"

#include "base/escape.h"

static void add_name(JsonBuilder *json, const char *name)
{
	g_autofree char *valid = g_utf8_make_valid(name, -1);

	json_builder_set_member_name(json, valid);
}

void object_add_int(JsonBuilder *json, const char *name, gint64 value)
{
	add_name(json, name);
	json_builder_add_int_value(json, value);
}

void object_add_bool(JsonBuilder *json, const char *name, gboolean value)
{
	add_name(json, name);
	json_builder_add_boolean_value(json, value);
}

void object_add_text(JsonBuilder *json, const char *name, const char *text)
{
	g_autofree char *valid = text ? g_utf8_make_valid(text, -1) : NULL;

	add_name(json, name);
	if (valid)
		json_builder_add_string_value(json, valid);
	else
		json_builder_add_null_value(json);
}

char *object_text(JsonBuilder *json, gboolean pretty)
{
	g_autoptr(JsonNode) root = json_builder_get_root(json);
	g_autoptr(JsonGenerator) generator = json_generator_new();
	g_autofree char *text = NULL;

	json_generator_set_root(generator, root);
	json_generator_set_pretty(generator, pretty);
	json_generator_set_indent(generator, 1);
	json_generator_set_indent_char(generator, '\t');
	text = json_generator_to_data(generator, NULL);
	return escape_json(text);
}

void object_print(JsonBuilder *json, FILE *out)
{
	g_autofree char *text = object_text(json, TRUE);

	fputs(text, out);
}

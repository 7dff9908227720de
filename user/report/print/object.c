// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/print/object.h"

#include "base/escape.h"
#include "report/print/jsontext.h"

void object_add_int(JsonBuilder *json, const char *name, gint64 value)
{
	json_builder_set_member_name(json, name);
	json_builder_add_int_value(json, value);
}

void object_add_text(JsonBuilder *json, const char *name, const char *text)
{
	g_autofree char *valid = g_utf8_make_valid(text, -1);

	json_builder_set_member_name(json, name);
	json_builder_add_string_value(json, valid);
}

static void add_value(JsonBuilder *json, StoreRows *rows, int column)
{
	const char *name = store_rows_name(rows, column);

	switch (store_rows_type(rows, column)) {
	case STORE_INTEGER:
		object_add_int(json, name, store_rows_int(rows, column));
		break;
	case STORE_REAL:
		json_builder_set_member_name(json, name);
		jsontext_add_double(json, store_rows_double(rows, column));
		break;
	case STORE_NULL:
		json_builder_set_member_name(json, name);
		json_builder_add_null_value(json);
		break;
	default:
		object_add_text(json, name, store_rows_raw(rows, column));
	}
}

gboolean object_add_rows(JsonBuilder *json, const char *name, StoreRows *rows, GError **error)
{
	json_builder_set_member_name(json, name);
	json_builder_begin_array(json);
	while (store_rows_next(rows)) {
		json_builder_begin_object(json);
		for (int i = 0; i < store_rows_columns(rows); i++)
			add_value(json, rows, i);
		json_builder_end_object(json);
	}
	json_builder_end_array(json);
	return store_rows_done(rows, error);
}

void object_print(JsonBuilder *json, FILE *out)
{
	g_autoptr(JsonNode) root = json_builder_get_root(json);
	g_autoptr(JsonGenerator) generator = json_generator_new();
	g_autofree char *text = NULL, *visible = NULL;

	json_generator_set_root(generator, root);
	json_generator_set_pretty(generator, TRUE);
	json_generator_set_indent(generator, 1);
	json_generator_set_indent_char(generator, '\t');
	text = json_generator_to_data(generator, NULL);
	visible = escape_json(text);
	fputs(visible, out);
}

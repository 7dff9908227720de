// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/print/jsontext.h"

#include <math.h>

#include "base/escape.h"

char *jsontext_quote(const char *text)
{
	g_autofree char *valid = g_utf8_make_valid(text, -1);
	g_autoptr(JsonNode) node = json_node_init_string(json_node_alloc(), valid);
	g_autofree char *json = json_to_string(node, FALSE);

	return escape_json(json);
}

void jsontext_print(const char *text, FILE *out)
{
	g_autofree char *quoted = text ? jsontext_quote(text) : g_strdup("null");

	fputs(quoted, out);
}

void jsontext_add_double(JsonBuilder *json, double value)
{
	if (fabs(value) < 1e15)
		json_builder_add_double_value(json, value);
	else if (fabs(value) < (double)(G_GINT64_CONSTANT(1) << 62))
		json_builder_add_int_value(json, (gint64)value);
	else
		json_builder_add_null_value(json);
}

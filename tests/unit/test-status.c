// SPDX-License-Identifier: GPL-2.0-or-later
/* The status as JSON. */
#include <json-glib/json-glib.h>

#include "capture/tracer/status.h"

/* A filter may contain any bytes but 0. */
static void json_is_valid_with_any_filter_bytes(void)
{
	char *filters[] = { (char *)"cache \xf0\"\\", (char *)"\xff 1", NULL };
	Status status = {
		.source = "module",
		.filters = filters,
		.events = (char *)"slab \xc3",
		.cpus = g_array_new(FALSE, FALSE, sizeof(CaptureStats)),
		.memories = g_array_new(FALSE, FALSE, sizeof(StatsMemory)),
	};
	g_autoptr(JsonParser) parser = json_parser_new();
	g_autofree char *json = status_to_json(&status);
	JsonObject *object;

	g_assert_true(g_utf8_validate(json, -1, NULL));
	g_assert_true(json_parser_load_from_data(parser, json, -1, NULL));
	object = json_node_get_object(json_parser_get_root(parser));
	object = json_object_get_object_member(object, "filters");
	g_assert_cmpstr(json_object_get_string_member(object, "cache"), ==, "\xef\xbf\xbd\"\\");
	g_assert_cmpstr(json_object_get_string_member(object, "\xef\xbf\xbd"), ==, "1");
	g_array_unref(status.cpus);
	g_array_unref(status.memories);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/status/json_is_valid_with_any_filter_bytes",
			json_is_valid_with_any_filter_bytes);
	return g_test_run();
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/print/object_rows.h"

#include "report/print/jsontext.h"

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

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * SQL functions, for each connection of the tool and, as an extension, for the sqlite3 shell.
 * Documentation/schema.rst describes them. Private to the store.
 */
#ifndef KMT_STORE_SCHEMA_FUNCTIONS_H
#define KMT_STORE_SCHEMA_FUNCTIONS_H

#include <glib.h>

struct sqlite3;
struct sqlite3_context;
struct sqlite3_value;

/*
 * An address as the tables have it, or as the views do: 0x… FALSE if it is NULL, or none, which
 * the result of the function then tells.
 */
gboolean functions_take_addr(struct sqlite3_context *context, struct sqlite3_value *value,
			     guint64 *addr);

/* Adds them to the connection @handle. Returns a result code of SQLite. */
int functions_register(struct sqlite3 *handle);

/* Adds the table-valued function live_at(t), and the table slabs_at_end. The same. */
int live_at_register(struct sqlite3 *handle);

#endif

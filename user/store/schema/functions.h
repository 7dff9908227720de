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
 * Parses an address as in tables or, with 0x, as in views. Returns FALSE for NULL or an invalid
 * address, with the result of the function set.
 */
gboolean functions_take_addr(struct sqlite3_context *context, struct sqlite3_value *value,
			     guint64 *addr);

/* Adds the functions to the connection @handle. Returns a result code of SQLite. */
int functions_register(struct sqlite3 *handle);

/*
 * Adds the table-valued function live_at(t), and the table slabs_at_end. Returns a result code of
 * SQLite.
 */
int live_at_register(struct sqlite3 *handle);

#endif

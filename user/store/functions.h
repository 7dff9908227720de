/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions for SQL, in every connection of the tool and, as an extension, in the sqlite3 shell.
 * Documentation/schema.rst tells what each gives. Private to the store.
 */
#ifndef KMT_STORE_FUNCTIONS_H
#define KMT_STORE_FUNCTIONS_H

struct sqlite3;

/* Adds them to the connection @handle. Returns a result code of SQLite. */
int functions_register(struct sqlite3 *handle);

/* Adds the table-valued function live_at(t). The same. */
int live_at_register(struct sqlite3 *handle);

#endif

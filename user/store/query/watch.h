/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Ends the statements of a database that changes while they run: a statement that reads changed
 * pages may have endless rows. A thread checks the file, since SQLite doesn't always call a
 * progress handler, such as when it counts the rows of a table. Private to the store.
 */
#ifndef KMT_STORE_QUERY_WATCH_H
#define KMT_STORE_QUERY_WATCH_H

#include <sqlite3.h>

#include "store/schema/filelock.h"

typedef struct Watch Watch;

/*
 * Watches the file @fd of @handle, which had @state, until watch_end(); all must live until then.
 * NULL with errno if no thread can be created.
 */
Watch *watch_begin(sqlite3 *handle, int fd, const FileState *state);

/* Must be called before @handle is closed. NULL is allowed. */
void watch_end(Watch *watch);

#endif

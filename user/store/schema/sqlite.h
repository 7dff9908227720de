/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Includes SQLite in sources that are part of both the tool and the extension: the linked library,
 * or the one that loaded the extension. Private to the store.
 */
#ifndef KMT_STORE_SCHEMA_SQLITE_H
#define KMT_STORE_SCHEMA_SQLITE_H

#ifndef KMT_EXTENSION
#define SQLITE_CORE
#endif
#include <sqlite3ext.h>

SQLITE_EXTENSION_INIT3

#endif

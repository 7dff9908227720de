/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * SQLite for sources that are part of the tool and of the extension too: that which the tool is
 * linked with, or that which has loaded the extension. Private to the store.
 */
#ifndef KMT_STORE_SCHEMA_SQLITE_H
#define KMT_STORE_SCHEMA_SQLITE_H

#ifndef KMT_EXTENSION
#define SQLITE_CORE
#endif
#include <sqlite3ext.h>

SQLITE_EXTENSION_INIT3

#endif

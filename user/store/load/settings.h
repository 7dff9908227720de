/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a trace says of how it was made: which groups of events, which filters, which paths were
 * seen, and which modules came and went. Traces of before these could be chosen have none of it.
 * Private to the store.
 */
#ifndef KMT_STORE_LOAD_SETTINGS_H
#define KMT_STORE_LOAD_SETTINGS_H

#include "store/load/snapshots.h"
#include "symbols/moduletimes.h"

typedef struct {
	guint64 sample;      /* one address in so many was traced; 1: all */
	gboolean overwrites; /* full buffers dropped their oldest events, at the start */
} Settings;

/* Writes the tables event_group, filter and path. */
Settings settings_load(Snapshots *snapshots, Db *db);

/* Never NULL. */
ModuleTimes *settings_load_modules(Snapshots *snapshots);

/* Writes the table module; times are told from @start_ns on. */
void settings_write_modules(const ModuleTimes *times, guint64 start_ns, Db *db);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The tracer settings recorded in a trace: event groups, filters, paths, and modules that were
 * loaded and unloaded. Older traces lack some of them. Private to the store.
 */
#ifndef KMT_STORE_LOAD_SETTINGS_H
#define KMT_STORE_LOAD_SETTINGS_H

#include "store/load/snapshots.h"
#include "symbols/moduletimes.h"

typedef struct {
	guint64 sample;      /* N: one address in N was traced; 1: all */
	gboolean overwrites; /* full buffers drop their oldest events, by the text of the start */
} Settings;

/* Writes the tables event_group, filter and path. */
Settings settings_load(Snapshots *snapshots, Db *db);

/* Reads the modules' times. Never NULL. */
ModuleTimes *settings_load_modules(Snapshots *snapshots);

/* Writes the table module; times are relative to @start_ns. */
void settings_write_modules(const ModuleTimes *times, guint64 start_ns, Db *db);

#endif

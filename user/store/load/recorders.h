/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The processes that recorded a trace, as its files name them. Private to the store.
 */
#ifndef KMT_STORE_LOAD_RECORDERS_H
#define KMT_STORE_LOAD_RECORDERS_H

#include "store/schema/db.h"
#include "trace/file/reader.h"

/* Writes the table recorder; if the trace doesn't name the recorders, finish.sql fills it. */
void recorders_write(struct trace_reader *reader, Db *db);

#endif

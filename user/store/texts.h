/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The texts that a trace carries besides its events, and what is learned from them. Lines that make no
 * sense are skipped and counted: a trace from a kernel that we don't know must still load.
 */
#ifndef KMT_STORE_TEXTS_H
#define KMT_STORE_TEXTS_H

#include <glib.h>

#include "analysis/tasks.h"
#include "store/writer.h"
#include "trace/reader.h"

/*
 * The snapshot @name of @phase. NULL without an error if the trace has none. The caller frees.
 */
char *texts_read(struct trace_reader *reader, const char *name, enum kmemtrace_phase phase, GError **error);

/* The same of the end or, where the recorder didn't come that far, of the start. */
char *texts_read_last(struct trace_reader *reader, const char *name, GError **error);

/* What "abi" tells of the traced kernel. */
typedef struct {
	guint64 linear_base;	/* virtual address of page frame 0; 0: not told */
	guint32 page_size;	/* bytes */
	guint32 gfp_dma, gfp_reclaimable, gfp_account;	/* bits; 0: not told */
} TextsAbi;

/* Parses "abi" and stores its names. */
void texts_store_abi(StoreWriter *writer, const char *text, TextsAbi *abi, guint *skipped);

/* Stores "host", lines "key=value", as meta. */
void texts_store_host(StoreWriter *writer, const char *text, guint *skipped);

/* Gives @tasks the names in "tasks", lines "tid tgid name". */
void texts_load_tasks(Tasks *tasks, const char *text, guint *skipped);

void texts_store_meminfo(StoreWriter *writer, int phase, const char *text, guint *skipped);
void texts_store_vmstat(StoreWriter *writer, int phase, const char *text, guint *skipped);
void texts_store_slabinfo(StoreWriter *writer, int phase, const char *text, guint *skipped);
void texts_store_buddyinfo(StoreWriter *writer, int phase, const char *text, guint *skipped);

#endif

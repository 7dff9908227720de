/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the texts of a trace into tables. Private to the store.
 */
#ifndef KMT_STORE_LOAD_SNAPSHOTS_H
#define KMT_STORE_LOAD_SNAPSHOTS_H

#include "analysis/kernel_abi.h"
#include "analysis/pairing/tasks.h"
#include "store/load/caches.h"
#include "trace/file/reader.h"

/* The text "recovered" of a trace that was damaged or cut; all zero for others. */
typedef struct {
	guint64 bytes; /* left out */
	guint64 places;
	gboolean has_end;
} Recovered;

/* Times within the trace when the tracer was disabled and recorded nothing. */
typedef struct {
	guint64 count;
	guint64 total_ns;
} Pauses;

typedef struct Snapshots Snapshots;

/* @reader and @db must outlive it. */
Snapshots *snapshots_new(struct trace_reader *reader, Db *db);
void snapshots_free(Snapshots *snapshots); /* NULL is allowed */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Snapshots, snapshots_free)

/*
 * Returns the text @name of @phase, owned by the caller. NULL if the trace has none, or if it
 * cannot be read: then snapshots_check() returns the error.
 */
char *snapshots_read(Snapshots *snapshots, const char *name, enum kmemtrace_phase phase);

/* The same for the start of the first file, or the end of the last one. */
char *snapshots_read_outer(Snapshots *snapshots, const char *name, enum kmemtrace_phase phase);

/* Calls @take for each line of a text. Returns FALSE if the trace lacks the text. */
typedef LineResult (*LineTaker)(char *line, gpointer data);
gboolean snapshots_each_line(Snapshots *snapshots, const char *name, enum kmemtrace_phase phase,
			     LineTaker take, gpointer data);

/* Returns FALSE with the first read error. */
gboolean snapshots_check(const Snapshots *snapshots, GError **error);

/* Adds unknown lines to their count, for readers of single texts. */
void snapshots_add_skipped(Snapshots *snapshots, guint64 lines);
guint64 snapshots_skipped(const Snapshots *snapshots);

/* Parse their text, and write its data into tables. */
KernelAbi snapshots_load_abi(Snapshots *snapshots, Caches *caches);
void snapshots_load_caches(Snapshots *snapshots, Caches *caches);
void snapshots_load_tasks(Snapshots *snapshots, Tasks *tasks);
Pauses snapshots_load_pauses(Snapshots *snapshots,
			     guint64 start_ns);           /* of the trace; writes nothing */
gboolean snapshots_load_host(Snapshots *snapshots);       /* whether BPF programs traced */
Recovered snapshots_load_recovered(Snapshots *snapshots); /* writes nothing */
void snapshots_load_memory(Snapshots *snapshots,
			   Caches *caches); /* meminfo, slabinfo, buddyinfo, vmstat */
void snapshots_load_free_times(Snapshots *snapshots, guint64 start_ns); /* of the trace */

#endif

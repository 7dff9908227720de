/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The texts of a trace, read out of it and into tables. Private to the store.
 */
#ifndef KMT_STORE_TEXTS_H
#define KMT_STORE_TEXTS_H

#include "analysis/snapshot.h"
#include "analysis/tasks.h"
#include "store/caches.h"
#include "trace/reader.h"

/* What "abi" tells of the traced kernel. */
typedef struct {
	guint64 page_size;	/* bytes, a power of two */
	guint page_shift;
	guint64 linear_base;	/* address of page frame 0; 0: not known */
	guint32 account_bits;	/* __GFP_ACCOUNT; 0: not known */
} KernelAbi;

/* What "recovered" tells of a trace that was damaged or cut. Of all others: nothing is missing. */
typedef struct {
	guint64 bytes;		/* left out */
	guint64 places;
	gboolean has_end;
} Recovered;

/* Times within the trace when the tracer was disabled: what happened then is not in it. */
typedef struct {
	guint64 count;
	guint64 total_ns;
} Pauses;

typedef struct Texts Texts;

/* @reader and @db must outlive it. */
Texts *texts_new(struct trace_reader *reader, Db *db);
void texts_free(Texts *texts);	/* NULL is allowed */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Texts, texts_free)

/*
 * The text @name of @phase, owned by the caller. NULL if the trace has none, and if it can't be
 * read, which is then an error that texts_check() tells.
 */
char *texts_read(Texts *texts, const char *name, enum kmemtrace_phase phase);

/* Calls @take for each line of a text. FALSE if the trace doesn't have the text. */
typedef LineResult (*LineTaker)(Texts *texts, char *line, gpointer data);
gboolean texts_each_line(Texts *texts, const char *name, enum kmemtrace_phase phase, LineTaker take,
			 gpointer data);

/* FALSE with the first error that reading had. */
gboolean texts_check(const Texts *texts, GError **error);

/* Lines that were not understood; added to by whoever reads a text on its own. */
void texts_add_skipped(Texts *texts, guint64 lines);
guint64 texts_skipped(const Texts *texts);

/* These read their text and write what belongs into tables on the way. */
KernelAbi texts_load_abi(Texts *texts, Caches *caches);
void texts_load_caches(Texts *texts, Caches *caches);
void texts_load_tasks(Texts *texts, Tasks *tasks);
Pauses texts_load_pauses(Texts *texts, guint64 start_ns);	/* of the trace; writes nothing */
void texts_load_host(Texts *texts);
Recovered texts_load_recovered(Texts *texts);	/* writes nothing */
void texts_load_memory(Texts *texts, Caches *caches);	/* meminfo, slabinfo, buddyinfo, vmstat */
void texts_load_free_times(Texts *texts, guint64 start_ns);	/* of the trace */

#endif

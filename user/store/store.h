/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The database: created once from a trace by store_load(), then read-only. This header hides
 * SQLite: commands and reports get rows. Documentation/schema.rst describes the schema.
 */
#ifndef KMT_STORE_STORE_H
#define KMT_STORE_STORE_H

#include <glib.h>
#include <signal.h>
#include <sys/stat.h>

#include "base/outfile.h"
#include "symbols/debugplaces.h"
#include "symbols/symbols.h"

#define STORE_ERROR (store_error_quark())
GQuark store_error_quark(void);

typedef enum {
	STORE_ERROR_FAILED,    /* the file can't be read or written, or a statement failed */
	STORE_ERROR_FORMAT,    /* the file is not a database of kmemtrace, or of a newer version */
	STORE_ERROR_READ_ONLY, /* the statement would change the database */
	STORE_ERROR_STOPPED,   /* cancelled by the progress function */
} StoreError;

/* Sets STORE_ERROR_FAILED. Returns FALSE, for its caller to return. */
gboolean store_fail(GError **error, const char *format, ...) G_GNUC_PRINTF(2, 3);

/* ---- load ---- */

/* The result of a load, for the line that the command prints. */
typedef struct {
	guint64 events; /* records decoded */
	guint64 rows;   /* allocations stored */
	guint64 lost;   /* records lost, by the kernel's count, all CPUs and reasons */
	gboolean cut;   /* a file lacks its end */
} StoreLoadResult;

/*
 * Called from time to time. @done and @total are bytes of the trace. Returning FALSE cancels the
 * load with an error.
 */
typedef gboolean (*StoreProgress)(guint64 done, guint64 total, gpointer data);

/*
 * Loads the trace @kmt_path into a new database @db_path. It is built in a temporary file and
 * renamed when complete: an existing file is replaced, and on any error nothing is left behind. A
 * trace that is cut before its first event is an error. @progress may be NULL.
 */
gboolean store_load(const char *kmt_path, const char *db_path, StoreProgress progress,
		    gpointer data, StoreLoadResult *result, GError **error);

/* The same with @count traces @paths, parts of one recording in any order. */
gboolean store_load_all(const char *const *paths, guint count, const char *db_path,
			StoreProgress progress, gpointer data, StoreLoadResult *result,
			GError **error);

/* ---- query ---- */

typedef struct StoreDb StoreDb;     /* an open database */
typedef struct StoreRows StoreRows; /* the rows of a statement, read in order */

/*
 * Opens a database read-only and checks that it is one of kmemtrace, of a known version. Until it
 * is closed, SQLite does not write to it; no program may be writing now.
 */
StoreDb *store_open(const char *path, GError **error);
void store_close(StoreDb *db); /* NULL is allowed */

/* The same for the file that @db reads, without the restriction of @db. */
StoreDb *store_open_again(const StoreDb *db, GError **error);

#define STORE_CHANGED_FORMAT                                                                       \
	"%s was changed while it was read, so the answer is not reliable: try again"

/*
 * Returns FALSE if another program has changed @db since store_open(), so that answers may be
 * wrong.
 */
gboolean store_check_unchanged(const StoreDb *db, GError **error);

/*
 * Returns the path of a database that another program changed between store_open() and
 * store_close(), so that answers may be wrong; NULL: none.
 */
const char *store_changed(void);

/*
 * Returns a database in memory of the trace @kmt_path, with totals and everything else except rows
 * for allocations: its memory depends on the number of live allocations. Otherwise as store_load(),
 * also in its errors.
 */
StoreDb *store_totals(const char *kmt_path, StoreProgress progress, gpointer data,
		      StoreLoadResult *result, GError **error);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(StoreDb, store_close)

/* A database of kmemtrace, of any version, complete or not, for outfile.h. */
extern const OutFileKind store_kind;

/* fstat(2) of the file that @db reads. */
int store_stat(const StoreDb *db, struct stat *st);

/*
 * Returns TRUE if @db was made only from the trace @kmt_path, with its current contents, regardless
 * of name and time.
 */
gboolean store_is_of(StoreDb *db, const char *kmt_path);

/*
 * Restricts @db to some allocations. @params: pairs of a parameter and its value, as of
 * store_query(), that are named in restrict.sql; NULL-terminated.
 *
 * ":from", ":to": allocated from the first time on and before the second, in nanoseconds after the
 * first event. ":kind", ":cache", ":site", ":module", ":process", ":thread": names. ":cpu_least",
 * ":cpu_most", and so for stack, node, order, size (bytes) and age (nanoseconds): ranges with both
 * ends. ":origins": a JSON array of numbers.
 *
 * Their later data is unchanged (lifetime, free, live at the end), as is everything else: names,
 * losses, unmatched frees, temporaries. To be called once for each @db.
 */
gboolean store_restrict(StoreDb *db, const char *const *params, GError **error);

gboolean store_is_restricted(const StoreDb *db);

/*
 * After store_restrict(): recounts the temporaries for the remaining allocations only. May sort all
 * events, so it takes time. They are counted by time; a message is printed if the clock advanced in
 * ticks.
 */
gboolean store_restrict_temporaries(StoreDb *db, GError **error);

/*
 * Starts the single statement @sql. A statement that would write is rejected
 * (STORE_ERROR_READ_ONLY). @params has values for named parameters: NULL, or a NULL-terminated list
 * of pairs ":name", "value" (values that look like integers are bound as such). A parameter without
 * a value is an error that names it.
 */
StoreRows *store_query(StoreDb *db, const char *sql, const char *const *params, GError **error);

/*
 * Starts the first of the statements *@sql, which must not have parameters, and advances *@sql past
 * it. NULL without an error if there is none left.
 */
StoreRows *store_query_first(StoreDb *db, const char **sql, GError **error);

/* Returns TRUE if @sql ends with the semicolon of a statement. */
gboolean store_is_complete(const char *sql);

/*
 * Makes statements end with an error while *@stop, which a signal handler may set, isn't 0. NULL:
 * never again. @stop must live as long as @db.
 */
void store_stop_when(StoreDb *db, const volatile sig_atomic_t *stop);

/* As store_query(), for a statement in store/sql/@name.sql. */
StoreRows *store_query_named(StoreDb *db, const char *name, const char *const *params,
			     GError **error);

/*
 * As store_query_named(), with {order} replaced by the ORDER BY terms @order, which must not be a
 * user's text.
 */
StoreRows *store_query_ordered(StoreDb *db, const char *name, const char *order,
			       const char *const *params, GError **error);

/*
 * As store_query_named(), for a statement that always returns a row: positioned at the first one.
 * No row is an error.
 */
StoreRows *store_query_row(StoreDb *db, const char *name, const char *const *params,
			   GError **error);

/*
 * Adds the functions line() and lines(), from debug files in @places. @in_stacks: stacks are then
 * displayed with lines. FALSE with an error if a named file is unusable, or, with @in_stacks, none
 * is found for the kernel; see lines_check().
 */
gboolean store_open_lines(StoreDb *db, const DebugPlaces *places, gboolean in_stacks,
			  GError **error);

/* Returns TRUE after store_open_lines(): store_find_lines() may find something. */
gboolean store_has_lines(const StoreDb *db);

/*
 * Returns DebugLines, as lines_find(): those of the call that returns to @addr in the function
 * @symbol. NULL: unknown. Valid until the next call.
 */
const GPtrArray *store_find_lines(StoreDb *db, const Symbol *symbol, guint64 addr);

void store_rows_free(StoreRows *rows);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(StoreRows, store_rows_free)

/*
 * Advances to the next row. Returns FALSE at the end, on an error, and if @rows is NULL: see
 * store_rows_done().
 */
gboolean store_rows_next(StoreRows *rows);

/* Returns TRUE unless store_rows_next() had an error, which is then set, or @rows is NULL. */
gboolean store_rows_done(const StoreRows *rows, GError **error);

/* Calls @take for each row of the named statement. FALSE with an error. */
typedef void (*StoreTakeRow)(StoreRows *rows, gpointer data);
gboolean store_each(StoreDb *db, const char *name, const char *const *params, StoreTakeRow take,
		    gpointer data, GError **error);

typedef enum { STORE_NULL, STORE_INTEGER, STORE_REAL, STORE_TEXT, STORE_BLOB } StoreType;

int store_rows_columns(StoreRows *rows);
const char *store_rows_name(StoreRows *rows, int column);

/* Returns whether the column's type is OPTIONAL: a report leaves it out if it has no values. */
gboolean store_rows_is_optional(StoreRows *rows, int column);

/*
 * Return data of the current row. Text is "" for NULL, owned by @rows, and valid until the next
 * call of store_rows_next(). store_rows_text() is for display: escape_text() of the value.
 * store_rows_raw() is the stored value, for comparison, or for a format with its own escapes: it
 * may contain escape sequences of a terminal.
 */
StoreType store_rows_type(StoreRows *rows, int column);
gint64 store_rows_int(StoreRows *rows, int column);
double store_rows_double(StoreRows *rows, int column);
const char *store_rows_text(StoreRows *rows, int column);
const char *store_rows_raw(StoreRows *rows, int column);

#endif

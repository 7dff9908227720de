/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The database: made once from a trace by store_load(), read-only from then on. SQLite is hidden
 * below this header: commands and reports get rows. Documentation/schema.rst describes the schema.
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
	STORE_ERROR_FORMAT,    /* the file is no database of ours, or of a newer version */
	STORE_ERROR_READ_ONLY, /* the statement would change the database */
	STORE_ERROR_STOPPED,   /* the progress function said so */
} StoreError;

/* Sets STORE_ERROR_FAILED. FALSE, for its caller to return. */
gboolean store_fail(GError **error, const char *format, ...) G_GNUC_PRINTF(2, 3);

/* ---- load ---- */

/* The result of a load, for the line that the command prints. */
typedef struct {
	guint64 events; /* records decoded */
	guint64 rows;   /* allocations stored */
	guint64 lost;   /* records lost, by the kernel's count, all CPUs and reasons */
	gboolean cut;   /* a file lacks its end */
} StoreLoadResult;

/* @done and @total in bytes of trace; called now and then. FALSE ends the load, as an error. */
typedef gboolean (*StoreProgress)(guint64 done, guint64 total, gpointer data);

/*
 * Loads the trace @kmt_path into a new database @db_path. It is built beside its place and renamed
 * when it is whole: an existing file is replaced, and on any error nothing is left behind. A trace
 * that is cut before its first event is an error.
 * @progress may be NULL.
 */
gboolean store_load(const char *kmt_path, const char *db_path, StoreProgress progress,
		    gpointer data, StoreLoadResult *result, GError **error);

/* The same with @count traces @paths, parts of one recording in any order. */
gboolean store_load_all(const char *const *paths, guint count, const char *db_path,
			StoreProgress progress, gpointer data, StoreLoadResult *result,
			GError **error);

/* ---- query ---- */

typedef struct StoreDb StoreDb;     /* an open database */
typedef struct StoreRows StoreRows; /* the rows of one statement, read one after the other */

/* Opens a database read-only and checks that it is one of ours, of a version that we know. */
StoreDb *store_open(const char *path, GError **error);
void store_close(StoreDb *db);

/*
 * A database in memory of the trace @kmt_path, with totals and everything else except rows for
 * allocations: its memory depends on the number of live allocations. Otherwise as store_load(),
 * also in its errors.
 */
StoreDb *store_totals(const char *kmt_path, StoreProgress progress, gpointer data,
		      StoreLoadResult *result, GError **error);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(StoreDb, store_close)

/* A database of kmemtrace, of any version, be it whole or not, for outfile.h. */
extern const OutFileKind store_kind;

/* fstat(2) of the file that @db reads. */
int store_stat(const StoreDb *db, struct stat *st);

/* TRUE if it was made of the trace @kmt_path alone, as that is now, whatever its name and time. */
gboolean store_is_of(StoreDb *db, const char *kmt_path);

/*
 * Restricts @db to some allocations. @params: pairs of a parameter and its value, as of
 * store_query(), that restrict.sql names; NULL ends them.
 *
 * ":from", ":to": made from the first time on and before the second, in nanoseconds after the first
 * event. ":kind", ":cache", ":site", ":module", ":process", ":thread": names. ":cpu_least",
 * ":cpu_most", and so for stack, node, order, size (bytes) and age (nanoseconds): ranges with both
 * ends. ":origins": a JSON array of numbers.
 *
 * Their later data is unchanged (lifetime, free, live at the end), as is everything else: names,
 * losses, unmatched frees, temporaries. Once for each @db.
 */
gboolean store_restrict(StoreDb *db, const char *const *params, GError **error);

gboolean store_is_restricted(const StoreDb *db);

/*
 * Behind that: the temporaries of the remaining allocations alone. May sort all events, so it takes
 * its time.
 */
gboolean store_restrict_temporaries(StoreDb *db, GError **error);

/*
 * Starts the single statement @sql. A statement that would write is refused
 * (STORE_ERROR_READ_ONLY).
 * @params gives values for named parameters: NULL, or a NULL-terminated list of pairs
 * ":name", "value" (values that look like integers are bound as such). A parameter that is left
 * without a value is an error that names it.
 */
StoreRows *store_query(StoreDb *db, const char *sql, const char *const *params, GError **error);

/*
 * Starts the first of the statements *@sql, which may have no parameters, and moves *@sql behind
 * it. NULL without an error if there is none left.
 */
StoreRows *store_query_first(StoreDb *db, const char **sql, GError **error);

/* TRUE if @sql ends with the semicolon of a statement, so that it can be run. */
gboolean store_is_complete(const char *sql);

/*
 * While *@stop isn't 0, which a signal's handler may see to, statements end with an error. NULL:
 * no more. It must live as long as @db.
 */
void store_stop_when(StoreDb *db, const volatile sig_atomic_t *stop);

/* As store_query(), for a statement kept in store/sql/@name.sql. */
StoreRows *store_query_named(StoreDb *db, const char *name, const char *const *params,
			     GError **error);

/*
 * As store_query_named(), with the ORDER BY terms @order, which are no text of a user, in place of
 * {order}.
 */
StoreRows *store_query_ordered(StoreDb *db, const char *name, const char *order,
			       const char *const *params, GError **error);

/*
 * As store_query_named(), of a statement that always gives a row: it's at its first one. No row is
 * an error.
 */
StoreRows *store_query_row(StoreDb *db, const char *name, const char *const *params,
			   GError **error);

/*
 * Adds the functions line() and lines(), from debug files in @places. @in_stacks: all texts of
 * stacks show lines from now on. FALSE with an error if a named file can't be used, or, with
 * @in_stacks, none is found for the kernel; see lines_check().
 */
gboolean store_open_lines(StoreDb *db, const DebugPlaces *places, gboolean in_stacks,
			  GError **error);

/* TRUE after that: store_find_lines() may find something. */
gboolean store_has_lines(const StoreDb *db);

/*
 * Of DebugLine, as lines_find(): those of the call that returns to @addr in the function @symbol.
 * NULL: not known. Valid until the next call.
 */
const GPtrArray *store_find_lines(StoreDb *db, const Symbol *symbol, guint64 addr);

void store_rows_free(StoreRows *rows);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(StoreRows, store_rows_free)

/*
 * Goes to the next row. FALSE at the end, on an error, and if @rows is NULL: store_rows_done()
 * tells which it is.
 */
gboolean store_rows_next(StoreRows *rows);

/* TRUE unless store_rows_next() met an error, which is then set, or @rows is NULL. */
gboolean store_rows_done(const StoreRows *rows, GError **error);

/* Gives each row of the named statement to @take. FALSE with an error. */
typedef void (*StoreTakeRow)(StoreRows *rows, gpointer data);
gboolean store_each(StoreDb *db, const char *name, const char *const *params, StoreTakeRow take,
		    gpointer data, GError **error);

typedef enum { STORE_NULL, STORE_INTEGER, STORE_REAL, STORE_TEXT, STORE_BLOB } StoreType;

int store_rows_columns(StoreRows *rows);
const char *store_rows_name(StoreRows *rows, int column);

/* Its type is OPTIONAL: a report leaves it out if there is nothing in it. */
gboolean store_rows_is_optional(StoreRows *rows, int column);

/*
 * Of the current row. Text is "" for NULL, owned by @rows, and valid until the next call of
 * store_rows_next(). store_rows_text() is for people: what escape_text() makes of it.
 * store_rows_raw() is what is stored, to compare with, or to write in a format that escapes for
 * itself: a terminal may obey what is in it.
 */
StoreType store_rows_type(StoreRows *rows, int column);
gint64 store_rows_int(StoreRows *rows, int column);
double store_rows_double(StoreRows *rows, int column);
const char *store_rows_text(StoreRows *rows, int column);
const char *store_rows_raw(StoreRows *rows, int column);

#endif

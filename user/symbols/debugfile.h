/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One ELF file with debug information: its symbols, and the source lines and inlined functions of
 * an address. Addresses are the file's own: those that it was linked for or, in a module, which is
 * not linked, those that libdw assigns to its sections.
 */
#ifndef KMT_SYMBOLS_DEBUGFILE_H
#define KMT_SYMBOLS_DEBUGFILE_H

#include <glib.h>

#define SYMBOLS_ERROR (symbols_error_quark())
GQuark symbols_error_quark(void);

typedef enum {
	SYMBOLS_ERROR_FAILED, /* the file can't be read, or has no debug information */
	SYMBOLS_ERROR_OTHER,  /* it is of another build than the one that was traced */
} SymbolsError;

typedef struct DebugFile DebugFile;

typedef struct {
	const char *name; /* owned by the DebugFile */
	guint64 addr;
	guint section; /* it moves with, when it is loaded; 0: with all of the file */
} DebugSymbol;

/*
 * A function, and the place in it that is running or that calls the one before it. The DebugFile
 * owns the texts.
 */
typedef struct {
	const char *function; /* NULL: not known */
	const char *file;     /* as below the folder in which it was compiled, if it lies there */
	guint line;           /* 0: not known */
} DebugLine;

/*
 * NULL with an error that names @path if it is no ELF file or has no debug information. Where the
 * search in a file takes more processor time than its length allows, the process ends.
 */
DebugFile *debugfile_open(const char *path, GError **error);
void debugfile_close(DebugFile *file); /* NULL is allowed */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DebugFile, debugfile_close)

const char *debugfile_path(const DebugFile *file);

/* In hexadecimal; NULL if it has none. */
const char *debugfile_build_id(const DebugFile *file);

/* The first of the symbols named @name, *@count of them at different places; NULL: none. */
const DebugSymbol *debugfile_find(DebugFile *file, const char *name, guint *count);

/*
 * Of DebugLine: those of the instruction at @addr, the innermost inlined function first, the
 * function that isn't inlined last. NULL: not known. For g_ptr_array_unref().
 */
GPtrArray *debugfile_lines(DebugFile *file, guint64 addr);

#endif

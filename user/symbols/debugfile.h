/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One ELF file with debug information: its symbols, and the source lines and inlined functions of
 * an address. Addresses are the file's own: link addresses or, in a relocatable module, those that
 * libdw assigns to its sections.
 */
#ifndef KMT_SYMBOLS_DEBUGFILE_H
#define KMT_SYMBOLS_DEBUGFILE_H

#include <glib.h>

#define SYMBOLS_ERROR (symbols_error_quark())
GQuark symbols_error_quark(void);

typedef enum {
	SYMBOLS_ERROR_FAILED, /* the file cannot be read, or has no debug information */
	SYMBOLS_ERROR_OTHER,  /* it is of another build than the traced one */
} SymbolsError;

typedef struct DebugFile DebugFile;

typedef struct {
	const char *name; /* owned by the DebugFile */
	guint64 addr;
	guint section; /* moves with this section; 0: with the whole file */
} DebugSymbol;

/*
 * A function, and the position in it: the instruction, or the call of the previous function. The
 * DebugFile owns the texts.
 */
typedef struct {
	const char *function; /* NULL: unknown */
	const char *file;     /* relative to the compilation folder, if it is below it */
	guint line;           /* 0: unknown */
} DebugLine;

/*
 * Returns NULL with an error that names @path if it is not an ELF file or has no debug information.
 * If the search in a file takes more processor time than is allowed for its length, the process
 * exits.
 */
DebugFile *debugfile_open(const char *path, GError **error);
void debugfile_close(DebugFile *file); /* NULL is allowed */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DebugFile, debugfile_close)

const char *debugfile_path(const DebugFile *file);

/* Returns the build id in hexadecimal; NULL if there is none. */
const char *debugfile_build_id(const DebugFile *file);

/* Returns the first of *@count symbols named @name, at different addresses; NULL: none. */
const DebugSymbol *debugfile_find(DebugFile *file, const char *name, guint *count);

/*
 * Returns the DebugLines of the instruction at @addr, the innermost inlined function first, the
 * function that is not inlined last. NULL: unknown. For g_ptr_array_unref().
 */
GPtrArray *debugfile_lines(DebugFile *file, guint64 addr);

#endif

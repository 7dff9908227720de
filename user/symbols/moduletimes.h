/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the module at an address at a time, from the text "module_times" of a trace: modules are
 * loaded and unloaded, and a later one may reuse the addresses of an earlier one. Also the function
 * names of removed code, from the text "module_functions".
 *
 * The init code of a module is at a different address, and is freed afterwards: it counts here as a
 * separate module with the same name.
 *
 * An era is a time without relevant changes: it ends when a module is loaded, when one of two that
 * share addresses is unloaded, a second after any is unloaded, and when init code is freed. Most
 * traces have one era, and then times are not looked up.
 */
#ifndef KMT_SYMBOLS_MODULETIMES_H
#define KMT_SYMBOLS_MODULETIMES_H

#include "symbols/symbols.h"

typedef struct ModuleTimes ModuleTimes;

typedef struct {
	const char *name;         /* owned by the ModuleTimes */
	guint64 base, size;       /* bytes */
	guint64 load_ns;          /* 0: before the trace */
	guint64 unload_ns;        /* 0: never */
	gboolean is_init;         /* init code */
	const Symbols *functions; /* owned by the ModuleTimes; NULL: unknown */
} ModuleTime;

/*
 * @text: lines "load_ns unload_ns base size name"; NULL if missing. @functions: lines "init|text
 * load_ns unload_ns base size name", each followed by the functions, as in kallsyms; NULL if
 * missing. Never NULL.
 */
ModuleTimes *moduletimes_new(const char *text, const char *functions);
void moduletimes_free(ModuleTimes *times); /* NULL is allowed */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(ModuleTimes, moduletimes_free)

/* Return the number of eras, 1 to 65536, and the index of the era of @time_ns. */
guint moduletimes_eras(const ModuleTimes *times);
guint moduletimes_era(const ModuleTimes *times, guint64 time_ns);

/* A range of eras, without its end. */
typedef struct {
	guint first, end;
} ModuleEras;

/*
 * Returns the number, from 1, of the module of the return address @addr; 0: none. Narrows *@same,
 * if it is not NULL, to eras with the same result.
 */
guint moduletimes_at(const ModuleTimes *times, guint64 addr, guint era, ModuleEras *same);

/*
 * Finds the function of module @number with the return address @addr. Returns FALSE if it is
 * unknown, as for all modules that were still loaded at the end.
 */
gboolean moduletimes_resolve(const ModuleTimes *times, guint number, guint64 addr, Symbol *out);

/*
 * Finds the function with the return address @addr, whose module is @number, or 0. @end and @start:
 * of the trace, or NULL. Ignores symbols of other modules and, where no module was loaded, of any
 * module whose times are known.
 */
gboolean moduletimes_symbol(const ModuleTimes *times, guint number, const Symbols *end,
			    const Symbols *start, guint64 addr, Symbol *out);

guint moduletimes_count(const ModuleTimes *times);
ModuleTime moduletimes_get(const ModuleTimes *times, guint number);

/* Returns the number of invalid lines. */
guint64 moduletimes_skipped_lines(const ModuleTimes *times);

#endif

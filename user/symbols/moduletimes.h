/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which module lay at an address at a time, by the text "module_times" of a trace: modules come and
 * go, and a later one may lie where an earlier one lay. Also the function names of removed code,
 * from the text "module_functions".
 *
 * The init code of a module is at a different address, and is freed afterwards: it counts here as a
 * separate module with the same name.
 *
 * An era is a time in which nothing changes that matters: it ends when one of two modules that
 * shared addresses comes or goes, and when code that initialises one does. Most traces have one
 * era, and then the time isn't asked for.
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
	gboolean is_init;         /* what initialises it */
	const Symbols *functions; /* owned by the ModuleTimes; NULL: they are not known */
} ModuleTime;

/*
 * @text: lines "load_ns unload_ns base size name"; NULL if there is none. @functions: lines
 * "init|text load_ns unload_ns base size name", and behind each the functions, as in kallsyms; NULL
 * if there is none. Never NULL.
 */
ModuleTimes *moduletimes_new(const char *text, const char *functions);
void moduletimes_free(ModuleTimes *times); /* NULL is allowed */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(ModuleTimes, moduletimes_free)

/* How many eras there are, 1 to 65536, and the number of the one that holds @time_ns, from 0. */
guint moduletimes_eras(const ModuleTimes *times);
guint moduletimes_era(const ModuleTimes *times, guint64 time_ns);

/* Eras from the first up to the end, which is not among them. */
typedef struct {
	guint first, end;
} ModuleEras;

/*
 * The number of the module, from 1, that the return address @addr lay in; 0: in none. Narrows
 * *@same, if it is not NULL, to eras with the same answer.
 */
guint moduletimes_at(const ModuleTimes *times, guint64 addr, guint era, ModuleEras *same);

/*
 * The function of module @number that the return address @addr lies in. FALSE if it isn't known,
 * as with all of modules that were still loaded at the end.
 */
gboolean moduletimes_resolve(const ModuleTimes *times, guint number, guint64 addr, Symbol *out);

guint moduletimes_count(const ModuleTimes *times);
ModuleTime moduletimes_get(const ModuleTimes *times, guint number);

/* Lines that were not understood. */
guint64 moduletimes_skipped_lines(const ModuleTimes *times);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which module lay at an address at a time, by the text "module_times" of a trace: modules come and
 * go, and a later one may lie where an earlier one lay.
 *
 * An era is a time in which nothing changes that matters: it ends when one of two modules that
 * shared addresses comes or goes. Most traces have one era, and then the time isn't asked for.
 */
#ifndef KMT_SYMBOLS_MODULETIMES_H
#define KMT_SYMBOLS_MODULETIMES_H

#include <glib.h>

typedef struct ModuleTimes ModuleTimes;

typedef struct {
	const char *name;	/* owned by the ModuleTimes */
	guint64 base, size;	/* bytes */
	guint64 load_ns;	/* 0: before the trace */
	guint64 unload_ns;	/* 0: never */
} ModuleTime;

/* @text: lines "load_ns unload_ns base size name"; NULL if there is none. Never NULL. */
ModuleTimes *moduletimes_new(const char *text);
void moduletimes_free(ModuleTimes *times);	/* NULL is allowed */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(ModuleTimes, moduletimes_free)

/* How many eras there are, 1 to 65536, and the number of the one that holds @time_ns, from 0. */
guint moduletimes_eras(const ModuleTimes *times);
guint moduletimes_era(const ModuleTimes *times, guint64 time_ns);

/* The number of the module, from 1, that the return address @addr lay in; 0: in none. */
guint moduletimes_at(const ModuleTimes *times, guint64 addr, guint era);

guint moduletimes_count(const ModuleTimes *times);
ModuleTime moduletimes_get(const ModuleTimes *times, guint number);

/* Lines that were not understood. */
guint64 moduletimes_skipped_lines(const ModuleTimes *times);

#endif

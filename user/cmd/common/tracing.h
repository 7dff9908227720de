/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Options of record and start that select what is traced, and buffer sizes; and messages about
 * losses.
 */
#ifndef KMT_CMD_COMMON_TRACING_H
#define KMT_CMD_COMMON_TRACING_H

#include "capture/tracer/settings.h"
#include "capture/tracer/stats.h"

/* The values are static: one command runs in a process. */
extern const GOptionEntry tracing_entries[];
extern const GOptionEntry tracing_sample_entries[]; /* for commands that can sample */

/* --source of commands that use a tracer without a recorder. */
extern const GOptionEntry tracing_source_entries[];

/* *@source: as given, or NULL. Returns FALSE, after a message, if it is invalid. */
gboolean tracing_source(const char **source);

/* Fills *@settings with the options. Returns FALSE, after a message, if a value is invalid. */
gboolean tracing_settings(Settings *settings);

/* Returns one of the options that were given, as "--cache"; NULL: none. */
const char *tracing_given(void);

/*
 * Prints @error of a command that traces, and suggests doctor if the machine is the cause. Frees
 * it, and returns EXIT_FAILED.
 */
int tracing_failed(GError *error);

/* Prints filters that matched nothing in the finished recording. */
void tracing_say_missed(void);

#define TRACING_FROZEN                                                                             \
	"INCOMPLETE: an oops of the kernel stopped the tracer, which keeps the events before it: " \
	"later ones were not recorded"

/*
 * Prints whether an oops stopped the tracer, and overwritten events; then the losses for each
 * reason, with a remedy.
 */
void tracing_say_lost(const CaptureStats *stats);

#endif

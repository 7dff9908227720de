/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Option parsing that all commands share.
 */
#ifndef KMT_CMD_COMMON_OPTIONS_H
#define KMT_CMD_COMMON_OPTIONS_H

#include <glib.h>

#define CMD_DEFAULT_TRACE "kmemtrace.kmt"

/* Help text of FILE for commands that read a database. */
#define CMD_FILE_HELP                                                                              \
	"FILE is a trace (.kmt), which is loaded first, or a database (.db); default: the newest " \
	"of kmemtrace.kmt, kmemtrace.db, demo.kmt and demo.db here."

/* The same for commands that read a trace. */
#define CMD_TRACE_HELP "default: the newer one of kmemtrace.kmt and demo.kmt here"

/*
 * Marks the command as a reader of a trace or a database: it has the option --max-memory, and
 * parsing its options sets the limit.
 */
void options_bound_memory(void);

/*
 * Marks the command as one that prints a report, a table or a list to stdout: it has the terminal
 * options, which parsing applies to stdout. @unpaged: without a pager.
 */
void options_print(gboolean unpaged);

/*
 * Parses the options of the command argv[0] with GOption. @usage: the text after the command's name
 * ("[-o FILE] …"); @summary: one or more sentences. Returns FALSE, after a message, if they are
 * invalid. The remaining arguments are in *@argc and *@argv.
 */
gboolean options_parse(const GOptionEntry *entries, const char *usage, const char *summary,
		       int *argc, char ***argv);

/* The same with several groups of options, NULL-terminated. */
gboolean options_parse_groups(const GOptionEntry *const *groups, const char *usage,
			      const char *summary, int *argc, char ***argv);

/*
 * The same as options_parse_groups(), for a command without arguments: the first argument, and
 * options after it, are left for the caller to reject.
 */
gboolean options_parse_first(const GOptionEntry *const *groups, const char *usage,
			     const char *summary, int *argc, char ***argv);

/* The same, with @data for the callbacks of options. */
gboolean options_parse_with(const GOptionEntry *const *groups, gpointer data, const char *usage,
			    const char *summary, int *argc, char ***argv);

/* Returns FALSE, after a message, if @limit, the rows of a table, is less than 1. */
gboolean options_check_rows(int limit);

/* Returns FALSE, after a message, if there are arguments. */
gboolean options_no_argument(int argc, char **argv);

/*
 * Returns the one file argument of a command that has at least one. NULL, after a message, if there
 * are more; for parts of a recording it explains how to join them.
 */
const char *options_one_file(int argc, char **argv);

/*
 * Removes "--between MARK MARK" from the arguments, before options_parse(): GOption has no options
 * with two values. Two times may be one argument, "2s,3s", which is split. *@from and *@to stay
 * NULL without it. Returns FALSE, after a message, if it is given twice, or with less than two
 * marks.
 */
gboolean options_take_interval(int *argc, char ***argv, const char **from, const char **to);

/* Its entry in --help. */
#define OPTIONS_BETWEEN                                                                            \
	{                                                                                          \
		"between", 0, 0, G_OPTION_ARG_CALLBACK, (gpointer)options_refuse_interval,         \
			"Show only allocations from one mark, or time, to another", "MARK MARK"    \
	}

/* Rejects "--between=MARK" for that entry. */
gboolean options_refuse_interval(const char *name, const char *value, gpointer data,
				 GError **error);

#endif

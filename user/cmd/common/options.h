/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Option parsing that all commands share.
 */
#ifndef KMT_CMD_COMMON_OPTIONS_H
#define KMT_CMD_COMMON_OPTIONS_H

#include <glib.h>

#define CMD_DEFAULT_TRACE "kmemtrace.kmt"

/* What --help says of FILE where a command reads a database. */
#define CMD_FILE_HELP                                                                              \
	"FILE is a trace (.kmt), which is loaded first, or a database (.db); default: the newest " \
	"of kmemtrace.kmt, kmemtrace.db, demo.kmt and demo.db here."

/* The same where a command reads a trace. */
#define CMD_TRACE_HELP "default: the newer one of kmemtrace.kmt and demo.kmt here"

/*
 * Marks the command as a reader of a trace or a database: it has the option --max-memory, which
 * limits the process once its options are parsed.
 */
void options_bound_memory(void);

/*
 * Marks the command as one that prints a report, a table or a list to stdout: it has the options of
 * a terminal, which stdout follows once they are parsed. @unpaged: no pager is wanted.
 */
void options_print(gboolean unpaged);

/*
 * Parses the options of the command argv[0] with GOption. @usage: what follows the command's name
 * ("[-o FILE] …"); @summary: one or more sentences. FALSE, after saying why, if they are wrong. The
 * arguments that are left are in *@argc and *@argv.
 */
gboolean options_parse(const GOptionEntry *entries, const char *usage, const char *summary,
		       int *argc, char ***argv);

/* The same with several groups of options, NULL behind the last. */
gboolean options_parse_groups(const GOptionEntry *const *groups, const char *usage,
			      const char *summary, int *argc, char ***argv);

/*
 * The same as options_parse_groups(), for a command that takes no words: the first of them, and
 * what looks like an option behind it, is left for the caller to complain of.
 */
gboolean options_parse_first(const GOptionEntry *const *groups, const char *usage,
			     const char *summary, int *argc, char ***argv);

/* The same, where callbacks of options get @data. */
gboolean options_parse_with(const GOptionEntry *const *groups, gpointer data, const char *usage,
			    const char *summary, int *argc, char ***argv);

/* FALSE, after saying so, if @limit, the rows of a table, is less than 1. */
gboolean options_check_rows(int limit);

/* FALSE, after saying so, if arguments are left. */
gboolean options_no_argument(int argc, char **argv);

/*
 * The one file argument of a command that has one at least. NULL, after saying so, if there are
 * more; of parts of a recording it says how they are read together.
 */
const char *options_one_file(int argc, char **argv);

/*
 * Takes "--between MARK MARK" out of the arguments, before options_parse(): GOption has no options
 * of two values. Two times may be one argument, "2s,3s", which is cut. *@from and *@to stay NULL if
 * it isn't there. FALSE, after saying so, if it is there twice, or with less than two.
 */
gboolean options_take_interval(int *argc, char ***argv, const char **from, const char **to);

/* The entry that --help lists it by. */
#define OPTIONS_BETWEEN                                                                            \
	{                                                                                          \
		"between", 0, 0, G_OPTION_ARG_CALLBACK, (gpointer)options_refuse_interval,         \
			"Show only allocations from one mark, or time, to another", "MARK MARK"    \
	}

/* For that: rejects "--between=MARK". */
gboolean options_refuse_interval(const char *name, const char *value, gpointer data,
				 GError **error);

#endif

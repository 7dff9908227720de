/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs a command of the tool in a fuzz target's process: its output goes into a file of the
 * target's folder, and its messages into memory. The folder is its working directory.
 */
#ifndef KMT_TESTS_FUZZ_COMMAND_H
#define KMT_TESTS_FUZZ_COMMAND_H

#include <glib.h>

/*
 * Of each connection to SQLite that is made from now on: @steps of its machine for a statement, and
 * @bytes for a value (0: as many as SQLite allows).
 */
void command_limit_sql(int steps, int bytes);

/* The exit code of @command, with @argv as it wants it. */
int command_run(int (*command)(int argc, char **argv), int argc, char **argv);

/* The output of the last one must be JSON, unless it's more than a few megabytes. */
void command_check_json(void);

/*
 * Its output and messages must be UTF-8 without control sequences of a terminal, unless it's more
 * than a few megabytes. @command is for the message.
 */
void command_check_text(const char *command);

/* A small trace for it: objects of two CPUs, half of them freed, and a block of pages. */
void command_write_trace(const char *path);

#endif

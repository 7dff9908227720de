/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs a command of the tool in the process of a fuzz target: its output goes to a file in the
 * target's folder, and its messages to memory. The folder is its working directory.
 */
#ifndef KMT_TESTS_FUZZ_COMMAND_H
#define KMT_TESTS_FUZZ_COMMAND_H

#include <glib.h>

/*
 * Limits each later connection to SQLite: @steps of its virtual machine for a statement, and @bytes
 * for a value (0: SQLite's own limit).
 */
void command_limit_sql(int steps, int bytes);

/* Returns the exit code of @command, which is called with @argv. */
int command_run(int (*command)(int argc, char **argv), int argc, char **argv);

/* Checks that the last command's output is JSON, unless it exceeds a few megabytes. */
void command_check_json(void);

/*
 * Checks that its output and messages are UTF-8 without terminal control sequences, unless the
 * output exceeds a few megabytes. @command is for the message.
 */
void command_check_text(const char *command);

/* Builds a small trace for it: objects on two CPUs, half of them freed, and a block of pages. */
void command_write_trace(const char *path);

#endif

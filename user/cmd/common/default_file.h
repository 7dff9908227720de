/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The default input file of commands: the newest trace or database in the current directory with
 * the default name of record and load, or that of make demo.
 */
#ifndef KMT_CMD_COMMON_DEFAULT_FILE_H
#define KMT_CMD_COMMON_DEFAULT_FILE_H

#include <glib.h>

typedef enum {
	DEFAULT_TRACE, /* only traces */
	DEFAULT_ANY,   /* traces and databases */
} DefaultFile;

/* Returns the file's name, a constant; NULL if there is none. */
const char *default_file_look(DefaultFile kind);

/* The same, and prints which file is read. NULL, after a message, if there is none. */
const char *default_file_find(DefaultFile kind);

/*
 * Returns the one file argument of a command; without one, default_file_find(). NULL, after a
 * message, if there are several, or no file.
 */
const char *default_file_or_argument(int argc, char **argv, DefaultFile kind);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The file names of a recording with several files: "x.1.kmt", "x.2.kmt".
 */
#ifndef KMT_CAPTURE_RECORDING_PARTS_H
#define KMT_CAPTURE_RECORDING_PARTS_H

#include <glib.h>

/* The name of file @number of @path, "x.kmt" or another. For g_free(). */
char *parts_path(const char *path, guint number);

/*
 * How many files of @path with a number above @number there are; *@first is the lowest of those
 * numbers. 0 also where the folder can't be read.
 */
guint parts_after(const char *path, guint number, guint *first);

#endif

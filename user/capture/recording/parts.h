/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The file names of a recording with several files: "x.1.kmt", "x.2.kmt".
 */
#ifndef KMT_CAPTURE_RECORDING_PARTS_H
#define KMT_CAPTURE_RECORDING_PARTS_H

#include <glib.h>

/* Returns the name of file @number of the recording @path, "x.kmt" or another. For g_free(). */
char *parts_path(const char *path, guint number);

/*
 * Returns how many files of @path have a number above @number; *@first is the lowest of these
 * numbers. 0 also if the folder can't be read.
 */
guint parts_after(const char *path, guint number, guint *first);

/*
 * Reserves the name of the file after number @last by creating it, empty: with the suffix .part if
 * @is_whole, for TraceFileOptions.whole. Returns its number, which is higher if the name is taken;
 * a message says so. If no name is free, creating the returned one fails.
 */
guint parts_reserve(const char *path, guint last, gboolean is_whole);

#endif

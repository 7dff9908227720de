/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes output to a file, completely or not at all; only its owner can read it, like a trace.
 */
#ifndef KMT_CMD_COMMON_OUTPUT_FILE_H
#define KMT_CMD_COMMON_OUTPUT_FILE_H

#include <glib.h>
#include <stdio.h>

#include "store/store.h"

typedef gboolean (*NewFileFunc)(gpointer data, FILE *out, GError **error);

/*
 * Writes the output of @print for @db to the file @path, and replaces an older one of the same
 * @format ("html", or one of export's), see outfile.h. Fails if @db was changed meanwhile. @path
 * NULL: standard output.
 */
gboolean output_file_write(const char *path, const char *format, const StoreDb *db,
			   NewFileFunc print, gpointer data, GError **error);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A file that a command makes of its answer. It is there when it is whole, or not at all, and like
 * a trace it is its owner's alone, who may share it.
 */
#ifndef KMT_CMD_NEWFILE_H
#define KMT_CMD_NEWFILE_H

#include <glib.h>
#include <stdio.h>

typedef gboolean (*NewFileFunc)(gpointer data, FILE *out, GError **error);

/*
 * What @print prints becomes the file @path, in place of one that may be replaced, see outfile.h.
 * NULL is standard output.
 */
gboolean newfile_write(const char *path, NewFileFunc print, gpointer data, GError **error);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A folder of its own for a fuzz target that needs files: below TMPDIR, and gone when the process
 * ends by itself. After a find it stays; tests/fuzz/run clears up.
 */
#ifndef KMT_TESTS_FUZZ_FOLDER_H
#define KMT_TESTS_FUZZ_FOLDER_H

#include <glib.h>

/* The folder's path, made with the first call. Each process, forked ones too, has its own. */
const char *folder_path(void);

/* How many files are in it. */
guint folder_count(void);

/* Removes all files in it but @kept. FALSE: there is no folder any more. */
gboolean folder_clear(const char *kept);

#endif

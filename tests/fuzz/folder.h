/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A folder for a fuzz target that needs files: it is below TMPDIR, and removed when the process
 * exits normally. After a find it stays, and tests/fuzz/run removes it.
 */
#ifndef KMT_TESTS_FUZZ_FOLDER_H
#define KMT_TESTS_FUZZ_FOLDER_H

#include <glib.h>

/*
 * Returns the folder's path, and creates the folder on the first call. Each process, also a forked
 * one, has its own.
 */
const char *folder_path(void);

/* Returns the number of files in it. */
guint folder_count(void);

/* Removes all files in it except @kept. Returns FALSE if the folder no longer exists. */
gboolean folder_clear(const char *kept);

#endif

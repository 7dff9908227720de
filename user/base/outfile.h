/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The output files of commands. A new file replaces a regular file that this tool wrote, or an
 * empty one: never another file, a device, a FIFO, a directory or a symbolic link. It is always a
 * new file (mode 0600). All of this is done with the permissions of the user who called sudo, doas
 * or pkexec: see sudo_user.h.
 */
#ifndef KMT_BASE_OUTFILE_H
#define KMT_BASE_OUTFILE_H

#include <glib.h>

#define OUTFILE_START_MAX 4096 /* bytes that identify a file's type */

/* A kind of output file. */
typedef struct {
	const char *name; /* as in "is not a NAME" */
	/* Returns whether a file that begins with these bytes was written by this tool. */
	gboolean (*is_own)(const guint8 *start, gsize len);
} OutFileKind;

/*
 * Returns whether a new file may be created at @path. FALSE with an error if it would replace
 * another kind of file.
 */
gboolean outfile_check(const char *path, const OutFileKind *kind, GError **error);

/*
 * Until outfile_leave(), all files in the folder of @path are created, replaced and removed in the
 * folder that has this name now, even if another folder gets the name. For one thread.
 */
gboolean outfile_stay(const char *path, GError **error);
void outfile_leave(void);

/*
 * Returns the names in the folder of @path, for g_ptr_array_unref(); none if the user may not read
 * it.
 */
GPtrArray *outfile_list(const char *path);

/*
 * Creates the file @path, open for reading and writing, and replaces an earlier one. Returns its
 * descriptor, or -1.
 */
int outfile_create(const char *path, const OutFileKind *kind, GError **error);

/*
 * The same for a file that is useful before it is complete: outfile_abandon() keeps it.
 * outfile_finish() renames it; if it does not become complete, outfile_keep_part() ends it.
 */
int outfile_create_part(const char *part, const OutFileKind *kind, GError **error);
void outfile_keep_part(const char *part);

/*
 * Creates a temporary file beside @path, which outfile_finish() renames to @path. Returns its
 * descriptor, or -1. *@beside is its name, for outfile_finish() or outfile_drop().
 */
int outfile_begin(const char *path, const OutFileKind *kind, char **beside, GError **error);

/* Renames the file @beside to @path. If that fails, @beside stays. */
gboolean outfile_finish(const char *beside, const char *path, const OutFileKind *kind,
			GError **error);

/* Removes unfinished files of outfile_begin(), in a process that exits for lack of memory. */
void outfile_abandon(void);

/* Removes a file that this program created. Returns 0, or errno. */
int outfile_drop(const char *path);

#endif

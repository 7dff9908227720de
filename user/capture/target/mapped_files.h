/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which files the names of mapped files mean. A name is a device, an inode and a path, and another
 * file may get all of them: a program is compiled again, or a package is upgraded. So the identity
 * of a file, with its build id, counts for the mappings of that file alone.
 *
 * Texts have one number for device and inode, which is the same in each recording. It is not the
 * inode number: a user can mount a file system that gives any inode number to any file.
 */
#ifndef KMT_CAPTURE_TARGET_MAPPED_FILES_H
#define KMT_CAPTURE_TARGET_MAPPED_FILES_H

#include "capture/process/lookup.h"

typedef struct MappedFiles MappedFiles;

/* @lookup must outlive it. */
MappedFiles *mapped_files_new(Lookup *lookup);
void mapped_files_free(MappedFiles *files);

/*
 * A process had a file mapped at @wall_ns, in nanoseconds since 1970. If it is written after that,
 * it's no longer the same. Returns the number of @inode of @device.
 */
guint64 mapped_files_note_process(MappedFiles *files, guint64 device, guint64 inode,
				  const char *path, gint64 wall_ns);

/*
 * The tracer's list, lines "id inode ctime_ns size major:minor path". Lines of another form are
 * left out.
 */
void mapped_files_note_list(MappedFiles *files, const char *list);

/*
 * Looks at those that are not known yet, for about @most_us: a path can be made that costs many
 * milliseconds, and any number of names have it. The next call goes on with the others.
 */
void mapped_files_identify(MappedFiles *files, gint64 most_us);

/*
 * The text "files": the tracer's list as lines "id number path". Files that are not, or no longer,
 * the one that is known by its name have " (replaced)" behind their path. For g_free().
 */
char *mapped_files_list(const MappedFiles *files);

/* The text "elf_files": lines "number size mtime_ns build_id path". For g_free(). */
char *mapped_files_identities(const MappedFiles *files);

#endif

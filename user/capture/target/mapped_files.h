/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which files the names of mapped files mean. A name is an inode and a path, and another file may
 * get both: a program is compiled again, or a package is upgraded. So the identity of a file, with
 * its build id, counts for the mappings of that file alone.
 */
#ifndef KMT_CAPTURE_TARGET_MAPPED_FILES_H
#define KMT_CAPTURE_TARGET_MAPPED_FILES_H

#include "capture/process/lookup.h"

typedef struct MappedFiles MappedFiles;

/* @lookup must outlive it. */
MappedFiles *mapped_files_new(Lookup *lookup);
void mapped_files_free(MappedFiles *files);

/*
 * A process had the file @name, "inode path", mapped at @wall_ns, in nanoseconds since 1970. If it
 * is written after that, it's no longer the same.
 */
void mapped_files_note_process(MappedFiles *files, const char *name, gint64 wall_ns);

/* The tracer's list, lines "id inode ctime_ns size path". Lines of another form are left out. */
void mapped_files_note_list(MappedFiles *files, const char *list);

/* Looks at those that are not known yet. */
void mapped_files_identify(MappedFiles *files);

/*
 * The text "files": the tracer's list as lines "id inode path". Files that are not, or no longer,
 * the one that is known by its name have " (replaced)" behind their path. For g_free().
 */
char *mapped_files_list(const MappedFiles *files);

/* The text "elf_files": lines "inode size mtime_ns build_id path". For g_free(). */
char *mapped_files_identities(const MappedFiles *files);

#endif

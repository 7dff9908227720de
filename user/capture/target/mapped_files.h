/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which files the names of mapped files mean. A name is a device, an inode and a path, and another
 * file may get all of them: a program is compiled again, or a package is upgraded. So the identity
 * of a file, with its build id, counts for the mappings of that file alone.
 *
 * Texts have one number for device and inode, which is the same in each recording. It is not the
 * inode number: a user can mount a file system that gives any inode number to any file.
 *
 * Of files on btrfs and overlayfs the tracer knows another device than stat(). There, what a
 * process had and what the tracer saw are two names, which get one number once both are known to
 * be the same.
 */
#ifndef KMT_CAPTURE_TARGET_MAPPED_FILES_H
#define KMT_CAPTURE_TARGET_MAPPED_FILES_H

#include "capture/process/lookup.h"

typedef struct MappedFiles MappedFiles;

/* @lookup must outlive it. */
MappedFiles *mapped_files_new(Lookup *lookup);
void mapped_files_free(MappedFiles *files);

/* What a process has mapped, as stat() gives it. */
typedef struct {
	guint64 device, inode;
	gint64 ctime_ns; /* since 1970 */
	gint64 size;     /* bytes; -1: neither is known, and the rest is from /proc/PID/maps */
} MappedFile;

#define MAPPED_FILES_MAX 65536 /* names that are kept, a quarter of them for one user */

/*
 * A process had @file mapped at @wall_ns, in nanoseconds since 1970. If it is written after that,
 * it's no longer the same. @uid: see owner_of_process(). Returns the number of its device and
 * inode.
 */
guint64 mapped_files_note_process(MappedFiles *files, const MappedFile *file, const char *path,
				  gint64 wall_ns, guint32 uid);

/* How many mappings of processes have got no name, so that their file is never identified. */
guint64 mapped_files_refused(const MappedFiles *files);

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

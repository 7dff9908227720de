/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Identifies mapped files. A name is a device, an inode and a path. Another file may get all of
 * them, when a program is compiled again or a package is upgraded. So the identity of a file, with
 * its build id, applies only to mappings of that file.
 *
 * Texts have one number for device and inode, which is the same in each recording. It is not the
 * inode number: a user can mount a file system that gives any inode number to any file.
 *
 * For files on btrfs and overlayfs, the tracer sees another device than stat(). There, the files of
 * processes and those of the tracer have two names, which get one number once both are known to be
 * the same.
 */
#ifndef KMT_CAPTURE_TARGET_MAPPED_FILES_H
#define KMT_CAPTURE_TARGET_MAPPED_FILES_H

#include "capture/process/lookup.h"

typedef struct MappedFiles MappedFiles;

/* @lookup must outlive it. */
MappedFiles *mapped_files_new(Lookup *lookup);
void mapped_files_free(MappedFiles *files);

/* A file mapped by a process, as stat() reports it. */
typedef struct {
	guint64 device, inode;
	gint64 ctime_ns; /* since 1970 */
	gint64 size; /* bytes; -1: unknown, like the time, and the rest is from /proc/PID/maps */
} MappedFile;

#define MAPPED_FILES_MAX 65536 /* limit of names, a quarter of them for one user */

/*
 * Notes that a process had @file mapped at @wall_ns, in nanoseconds since 1970. If the file is
 * written later, it is no longer the same file. @uid: see owners_find(). Returns the number of
 * its device and inode.
 */
guint64 mapped_files_note_process(MappedFiles *files, const MappedFile *file, const char *path,
				  gint64 wall_ns, guint32 uid);

/* Returns how many mappings of processes have no name, so that their files are never identified. */
guint64 mapped_files_refused(const MappedFiles *files);

/* Reads the tracer's list, lines "id inode ctime_ns size major:minor path". Ignores other lines. */
void mapped_files_note_list(MappedFiles *files, const char *list);

/*
 * Looks up unidentified files, for about @most_us: a path may take many milliseconds, and any
 * number of names may have it. The next call continues with the others.
 */
void mapped_files_identify(MappedFiles *files, gint64 most_us);

/*
 * Returns the text "files": the tracer's list as lines "id number path". A file that is not, or no
 * longer, the one identified by its name has " (replaced)" after its path. For g_free().
 */
char *mapped_files_list(const MappedFiles *files);

/* Returns the text "elf_files": lines "number size mtime_ns build_id path". For g_free(). */
char *mapped_files_identities(const MappedFiles *files);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The files that processes had mapped, from the trace's texts.
 */
#ifndef KMT_ANALYSIS_SPACES_SPACE_FILES_H
#define KMT_ANALYSIS_SPACES_SPACE_FILES_H

#include <glib.h>

typedef struct {
	guint64 inode; /* or the number that stands for device and inode */
	const char *path;
	const char *build_id;   /* in hexadecimal digits; NULL: none, or unknown */
	guint64 size, mtime_ns; /* of the file at the end of the trace; 0: it was removed */
} SpaceFile;

typedef struct SpaceFiles SpaceFiles;

SpaceFiles *space_files_new(void);
void space_files_free(SpaceFiles *files);

/*
 * Returns the number of a file, from 1 on, which is added if it is new. 0: the path is longer than
 * a kernel's, PATH_MAX.
 */
guint32 space_files_add(SpaceFiles *files, guint64 inode, const char *path);

/* Adds a line of the text "files": "id inode path", with the id in the tracer's events. */
void space_files_take_tracer_line(SpaceFiles *files, char *line);

/* Adds a line of "elf_files": "inode size mtime_ns build_id path"; a build id of "-" means none. */
void space_files_take_elf_line(SpaceFiles *files, char *line);

/* Returns the number of the file with the tracer's @id; 0: none. */
guint32 space_files_by_id(const SpaceFiles *files, guint32 id);

guint32 space_files_count(const SpaceFiles *files);
const SpaceFile *space_files_get(const SpaceFiles *files, guint32 number);

#endif

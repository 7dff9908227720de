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
	const char *build_id;   /* in hexadecimal digits; NULL: it has none, or that isn't known */
	guint64 size, mtime_ns; /* of the file, if it was there at the end; else 0 */
} SpaceFile;

typedef struct SpaceFiles SpaceFiles;

SpaceFiles *space_files_new(void);
void space_files_free(SpaceFiles *files);

/* The number of a file, from 1 on; a new one if it has none. */
guint32 space_files_add(SpaceFiles *files, guint64 inode, const char *path);

/* A line of the text "files": "id inode path", with the id that the tracer's events have. */
void space_files_take_tracer_line(SpaceFiles *files, char *line);

/* Of "elf_files": "inode size mtime_ns build_id path"; a build id of "-" means none. */
void space_files_take_elf_line(SpaceFiles *files, char *line);

/* The number of the file with the tracer's @id; 0: none. */
guint32 space_files_by_id(const SpaceFiles *files, guint32 id);

guint32 space_files_count(const SpaceFiles *files);
const SpaceFile *space_files_get(const SpaceFiles *files, guint32 number);

#endif

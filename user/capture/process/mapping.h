/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A mapping of another process, and which file it is of. A path doesn't say that, nor do the device
 * and inode in /proc/PID/maps: all subvolumes of btrfs have the same device there.
 */
#ifndef KMT_CAPTURE_PROCESS_MAPPING_H
#define KMT_CAPTURE_PROCESS_MAPPING_H

#include <glib.h>

/*
 * Appends @line of /proc/PID/maps to @text if it is code of a file, in the form that lookup_maps()
 * describes. @map_files: the folder /proc/PID/map_files, or -1. A mapping that has ended meanwhile
 * is left out.
 */
void mapping_append(int map_files, const char *line, GString *text);

#endif

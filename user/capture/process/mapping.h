/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A mapping of another process, and its file. Neither the path nor the device and inode in
 * /proc/PID/maps identify it: all subvolumes of btrfs have the same device there.
 */
#ifndef KMT_CAPTURE_PROCESS_MAPPING_H
#define KMT_CAPTURE_PROCESS_MAPPING_H

#include <glib.h>

/*
 * Appends @line of /proc/PID/maps to @text if it is code of a file, in the format of lookup_maps().
 * @map_files: the folder /proc/PID/map_files, or -1. Leaves out a mapping that has ended meanwhile.
 */
void mapping_append(int map_files, const char *line, GString *text);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The device of a file's file system, as in /proc/PID/maps and in the tracer's list of files. For
 * files on btrfs and overlayfs, stat() returns another one.
 */
#ifndef KMT_CAPTURE_PROCESS_DEVICE_H
#define KMT_CAPTURE_PROCESS_DEVICE_H

#include <glib.h>
#include <sys/stat.h>

typedef enum {
	DEVICE_OTHER,
	DEVICE_SAME,
	DEVICE_IF_MAPPED, /* device_is_of_mapping() tells */
} DeviceMatch;

/* Returns whether the file @fd, which may be open with O_PATH, with *@st, is on @device. */
DeviceMatch device_match(int fd, const struct stat *st, dev_t device);

/*
 * Returns whether a mapping of the file @fd, which is open for reading, has @device: before Linux
 * 6.6, overlayfs shows the device of the underlying file system there.
 */
gboolean device_is_of_mapping(int fd, dev_t device);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The device of a file's file system, as in /proc/PID/maps and in the tracer's list of files. For
 * files on btrfs and overlayfs, stat() returns another one.
 */
#ifndef KMT_CAPTURE_PROCESS_DEVICE_H
#define KMT_CAPTURE_PROCESS_DEVICE_H

#include <glib.h>
#include <sys/stat.h>

/* Returns TRUE if the open file @fd, with *@st, is on @device. */
gboolean device_is(int fd, const struct stat *st, dev_t device);

#endif

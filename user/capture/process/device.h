/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The device of a file's file system, as the kernel names it in /proc/PID/maps and in the tracer's
 * list of files. stat() names another one for files of btrfs and overlayfs.
 */
#ifndef KMT_CAPTURE_PROCESS_DEVICE_H
#define KMT_CAPTURE_PROCESS_DEVICE_H

#include <glib.h>
#include <sys/stat.h>

/* TRUE if the file that @fd has open, with *@st, is one of @device. */
gboolean device_is(int fd, const struct stat *st, dev_t device);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The module as a source of events: settings in sysfs, views in debugfs. If they are not
 * accessible, one line says why, and what to do.
 */
#ifndef KMT_CAPTURE_TRACER_MODULE_CONTROL_H
#define KMT_CAPTURE_TRACER_MODULE_CONTROL_H

#include <stdio.h>
#include <sys/types.h>

#include "capture/tracer/control.h"

struct stat;

/*
 * Finds the files of a loaded module, and checks that this process may use them and knows their
 * ABI.
 */
Control *module_control_open(GError **error);

/* Uses the settings and views in the folder @dir, for tests. */
Control *module_control_new(const char *dir);

/*
 * Returns the folder of the views; NULL for another source. A process that has it or a stream in it
 * open holds the tracer.
 */
const char *module_control_views(const Control *control);

/*
 * Returns the process that has locked the file with the device and inode of @st, from the text of
 * /proc/locks; 0: none is visible from here, or none was found within a second. Any user can have
 * locks, and the kernel takes minutes to list 100,000 of them.
 */
pid_t module_control_find_lock_holder(FILE *locks, const struct stat *st);

#endif

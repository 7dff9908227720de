/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The subsystem of a source file. Paths in debug files are relative to the compilation folder, or
 * absolute, as often for assembler files.
 */
#ifndef KMT_REPORT_GROUPS_SUBSYSTEM_H
#define KMT_REPORT_GROUPS_SUBSYSTEM_H

#include <glib.h>

/*
 * Finds the root of the source by paths (of char *) of files of the kernel itself: the most
 * frequent prefix of absolute paths before a folder of the kernel's source. It ends with a slash.
 * NULL: unknown. For g_free().
 */
char *subsystem_root(const GPtrArray *paths);

/*
 * Returns the folder of the subsystem of source file @path: "mm" for mm/slub.c; two levels where
 * the first has many subsystems ("fs/ext4", "drivers/net", "net/ipv4", "arch/x86", "sound/pci",
 * "security/apparmor"). @root: as above. @module: the file is of a module, which may be out of
 * tree, so its folder must be one of the kernel's. NULL: none. For g_free().
 */
char *subsystem_of(const char *path, const char *root, gboolean module);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The subsystem of a source file. Paths in debug files are relative to the folder in which the
 * kernel was compiled, or absolute, as those of assembler files often are.
 */
#ifndef KMT_REPORT_GROUPS_SUBSYSTEM_H
#define KMT_REPORT_GROUPS_SUBSYSTEM_H

#include <glib.h>

/*
 * Where the source lies, by paths (of char *) of files of the kernel itself: what most of those
 * that begin with / have in front of a folder as the kernel's source has them. It ends with a
 * slash. NULL: not known. For g_free().
 */
char *subsystem_root(const GPtrArray *paths);

/*
 * The folder of the subsystem of source file @path: "mm" for mm/slub.c; two levels where the first
 * holds many ("fs/ext4", "drivers/net", "net/ipv4", "arch/x86", "sound/pci", "security/apparmor").
 * @root: as above. @module: the file is of a module, which may be out of tree, so its folder has to
 * be one of the kernel's. NULL if there is none. For g_free().
 */
char *subsystem_of(const char *path, const char *root, gboolean module);

#endif

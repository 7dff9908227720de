/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The build id of an ELF file: it identifies a build, and a file with the debugging symbols of
 * that build has the same. In hexadecimal digits, for g_free(); NULL: there is none.
 */
#ifndef KMT_BASE_BUILDID_H
#define KMT_BASE_BUILDID_H

#include <glib.h>
#include <libelf.h>

char *buildid_of(Elf *elf);

/*
 * That of the program or library that is open as @fd, by its program headers. What is read, and the
 * memory for it, has a limit whatever the headers say, as libelf's has not: who runs the program
 * may have written them.
 */
char *buildid_read(int fd);

/*
 * That in @len bytes of notes of this machine, as /sys/kernel/notes and a module's notes in /sys
 * have them.
 */
char *buildid_of_notes(const void *notes, gsize len);

#endif

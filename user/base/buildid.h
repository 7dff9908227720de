/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The build id of an ELF file: it identifies a build, and a file with the debugging symbols of that
 * build has the same. In hexadecimal digits, for g_free(); NULL if none.
 */
#ifndef KMT_BASE_BUILDID_H
#define KMT_BASE_BUILDID_H

#include <glib.h>
#include <libelf.h>

char *buildid_of(Elf *elf);

/*
 * That of the program or library open as @fd, by its program headers. Reads a bounded number of
 * bytes into bounded memory, whatever the headers say, unlike libelf: the file may be hostile.
 */
char *buildid_read(int fd);

/*
 * That in @len bytes of notes of this machine, as /sys/kernel/notes and a module's notes in /sys
 * have them.
 */
char *buildid_of_notes(const void *notes, gsize len);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The build id of an ELF file: it identifies a build; the file with the debugging symbols of that
 * build has the same id. In hexadecimal digits, for g_free(); NULL if none.
 */
#ifndef KMT_BASE_BUILDID_H
#define KMT_BASE_BUILDID_H

#include <glib.h>
#include <libelf.h>

char *buildid_of(Elf *elf);

/*
 * Returns the build id of the program or library open as @fd, by its program headers. Unlike
 * libelf, it reads a bounded number of bytes into bounded memory, whatever the headers say: the
 * file may be hostile.
 */
char *buildid_read(int fd);

/*
 * The same without waiting for the file's lock, which a user may hold, or for a disk. *@uncached:
 * TRUE if that would be necessary.
 */
char *buildid_read_cached(int fd, gboolean *uncached);

/*
 * Returns the build id in @len bytes of notes of this machine, as in /sys/kernel/notes and in a
 * module's notes in /sys.
 */
char *buildid_of_notes(const void *notes, gsize len);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The notes of an ELF file, as /sys/kernel/notes and a module's notes in /sys have them.
 */
#ifndef KMT_BASE_ELFNOTE_H
#define KMT_BASE_ELFNOTE_H

#include <glib.h>

/*
 * The build id, in hexadecimal, in @len bytes of notes of this machine. NULL: none. For g_free().
 */
char *elfnote_build_id(const void *notes, gsize len);

#endif

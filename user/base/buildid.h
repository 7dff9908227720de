/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The build id of an ELF file: the same for the same build alone, and the same in the file with its
 * debugging symbols.
 */
#ifndef KMT_BASE_BUILDID_H
#define KMT_BASE_BUILDID_H

#include <glib.h>

/* That of the file that is open as @fd, in hexadecimal digits, for g_free(); NULL: it has none. */
char *buildid_read(int fd);

#endif

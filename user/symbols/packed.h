/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Limits the size of compressed sections of an ELF file. */
#ifndef KMT_SYMBOLS_PACKED_H
#define KMT_SYMBOLS_PACKED_H

#include <glib.h>

/*
 * Returns FALSE if the sections of the ELF file open as @fd, uncompressed, would exceed 16 times
 * the length of the file without its holes, and 4 MiB: debug information compresses to a third.
 * libdw decompresses without a limit.
 */
gboolean packed_check(int fd);

#endif

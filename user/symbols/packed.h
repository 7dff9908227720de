/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How much memory the packed sections of an ELF file will take. */
#ifndef KMT_SYMBOLS_PACKED_H
#define KMT_SYMBOLS_PACKED_H

#include <glib.h>

/*
 * FALSE if the sections of the ELF file that is open as @fd would have more than 16 times the
 * length of the file without its holes, and 4 MiB, unpacked: debug information packs to a third.
 * libdw unpacks without a limit.
 */
gboolean packed_check(int fd);

#endif

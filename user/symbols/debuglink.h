/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the debug file of a stripped ELF file. The stripped file names it (.gnu_debuglink), and
 * that name can be hostile: only its last component is used, only in known folders, and only a
 * regular file with the same build id (or CRC) is accepted.
 */
#ifndef KMT_SYMBOLS_DEBUGLINK_H
#define KMT_SYMBOLS_DEBUGLINK_H

#include <glib.h>

struct stat;

typedef struct {
	const char *path;       /* of the stripped file */
	const struct stat *own; /* of the stripped file */
	const char *build_id;   /* in hexadecimal; NULL: none, then @crc is compared */
	const char *name;       /* from the link; NULL: none, then "FILE.debug" */
	guint32 crc;            /* of the whole debug file, from the link */
} DebugLink;

/* Returns a descriptor for reading, or -1 if there is no such file. */
int debuglink_open(const DebugLink *link);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Identifies a trace file by its contents, whatever its name and times are; a file that has grown
 * is another one. Private to the store.
 */
#ifndef KMT_STORE_SCHEMA_IDENTITY_H
#define KMT_STORE_SCHEMA_IDENTITY_H

#include <glib.h>

/*
 * Of the file @path: a SHA-256 in hexadecimal of its size, of the headers of all its chunks, which
 * have the CRCs of what is in them, and of its first and last 64 KiB. For g_free(); NULL: it can't
 * be read.
 */
char *identity_of_trace(const char *path);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Identifies a trace file by its contents, regardless of its name and times; a file that has grown
 * is a different one. Private to the store.
 */
#ifndef KMT_STORE_SCHEMA_IDENTITY_H
#define KMT_STORE_SCHEMA_IDENTITY_H

#include <glib.h>

/*
 * Returns a SHA-256, in hexadecimal, of the file's size, the headers of all its chunks, which have
 * CRCs of their payloads, and its first and last 64 KiB. For g_free(); NULL: it cannot be read.
 */
char *identity_of_trace(const char *path);

#endif

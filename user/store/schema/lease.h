/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Excludes writers of a file by a lease of the kernel. Stores to a mapping that is already dirty
 * change neither the times of a file nor its size. But a process with such a mapping has the file
 * open for writing, and then the kernel grants no lease. Private to the store.
 */
#ifndef KMT_STORE_SCHEMA_LEASE_H
#define KMT_STORE_SCHEMA_LEASE_H

#include <glib.h>

typedef enum {
	LEASE_NONE, /* the file system has no leases, or not for this user */
	LEASE_HELD,
	LEASE_BUSY, /* another program has the file open for writing */
} Lease;

/*
 * Takes a read lease on the file @fd, which is open for reading only, until its last descriptor is
 * closed. A program that opens the file for writing meanwhile waits until then, for lease_end(), or
 * for the time in /proc/sys/fs/lease-break-time.
 */
Lease lease_take(int fd);

/* Returns FALSE if another program has opened the file for writing, or is waiting to. */
gboolean lease_is_held(int fd);

/* Lets a waiting program open the file. The lease is not held afterwards. */
void lease_end(int fd);

#endif

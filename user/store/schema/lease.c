// SPDX-License-Identifier: GPL-2.0-or-later
#include "store/schema/lease.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <signal.h>
#include <sys/vfs.h>

#define F2FS_MAGIC 0xf2f52010U
#define XFS_MAGIC  0x58465342U

/*
 * Returns whether this kernel knows all writers of a file on this file system. Some file systems
 * grant leases without that (overlayfs, FUSE), or refuse them for other reasons (NFS).
 */
static gboolean knows_writers(int fd)
{
	struct statfs fs;

	if (fstatfs(fd, &fs))
		return FALSE;
	switch ((guint32)fs.f_type) {
	case BTRFS_SUPER_MAGIC:
	case EXT4_SUPER_MAGIC:
	case F2FS_MAGIC:
	case TMPFS_MAGIC:
	case XFS_MAGIC:
		return TRUE;
	default:
		return FALSE;
	}
}

/*
 * Takes a lease. The signal of a broken lease would end the process by default, so choose one that
 * does not.
 */
Lease lease_take(int fd)
{
	if (!knows_writers(fd) || fcntl(fd, F_SETSIG, SIGURG))
		return LEASE_NONE;
	if (fcntl(fd, F_SETLEASE, F_RDLCK) == 0)
		return LEASE_HELD;
	return errno == EAGAIN ? LEASE_BUSY : LEASE_NONE;
}

gboolean lease_is_held(int fd)
{
	return fcntl(fd, F_GETLEASE) == F_RDLCK;
}

void lease_end(int fd)
{
	fcntl(fd, F_SETLEASE, F_UNLCK);
}

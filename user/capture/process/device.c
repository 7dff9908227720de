// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/process/device.h"

#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

/*
 * Calls @take with each line of @path and *@value until it returns TRUE. Returns FALSE if it never
 * does.
 */
static gboolean find_line(const char *path, gboolean (*take)(const char *line, guint64 *value),
			  guint64 *value)
{
	FILE *file = fopen(path, "re");
	gboolean found = FALSE;
	char *line = NULL;
	size_t size = 0;

	while (file && !found && getline(&line, &size, file) > 0)
		found = take(line, value);
	free(line);
	if (file)
		fclose(file);
	return found;
}

/* Sets *@value to the id of the mount. */
static gboolean take_mount(const char *line, guint64 *value)
{
	return sscanf(line, "mnt_id: %" G_GUINT64_FORMAT, value) == 1;
}

/* *@value: the id of a mount, replaced by its device. */
static gboolean take_device_of_mount(const char *line, guint64 *value)
{
	unsigned int major, minor;
	guint64 id;

	if (sscanf(line, "%" G_GUINT64_FORMAT " %*u %u:%u", &id, &major, &minor) != 3 ||
	    id != *value)
		return FALSE;
	*value = makedev(major, minor);
	return TRUE;
}

/* *@value: the start of the mapping, replaced by its device. */
static gboolean take_device_of_mapping(const char *line, guint64 *value)
{
	unsigned int major, minor;
	guint64 start;

	if (sscanf(line, "%" G_GINT64_MODIFIER "x-%*x %*s %*x %x:%x", &start, &major, &minor) !=
		    3 ||
	    start != *value)
		return FALSE;
	*value = makedev(major, minor);
	return TRUE;
}

/* Returns whether the mounted file system has this device. */
static gboolean is_of_mount(int fd, dev_t device)
{
	g_autofree char *path = g_strdup_printf("/proc/self/fdinfo/%d", fd);
	guint64 value;

	return find_line(path, take_mount, &value) &&
	       find_line("/proc/self/mountinfo", take_device_of_mount, &value) && value == device;
}

gboolean device_is_of_mapping(int fd, dev_t device)
{
	long page = sysconf(_SC_PAGESIZE);
	void *map = mmap(NULL, page, PROT_READ, MAP_PRIVATE, fd, 0);
	guint64 value = (guintptr)map;
	gboolean found;

	if (map == MAP_FAILED)
		return FALSE;
	found = find_line("/proc/self/maps", take_device_of_mapping, &value);
	munmap(map, page);
	return found && value == device;
}

static gboolean is_stacked(int fd)
{
	struct statfs fs;

	return fstatfs(fd, &fs) == 0 && fs.f_type == OVERLAYFS_SUPER_MAGIC;
}

DeviceMatch device_match(int fd, const struct stat *st, dev_t device)
{
	if (st->st_dev == device)
		return DEVICE_SAME;
	if (major(st->st_dev)) /* a disk: its file systems have no devices of their own */
		return DEVICE_OTHER;
	if (is_of_mount(fd, device))
		return DEVICE_SAME;
	return is_stacked(fd) ? DEVICE_IF_MAPPED : DEVICE_OTHER;
}

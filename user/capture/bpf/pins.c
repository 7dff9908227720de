// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/bpf/pins.h"

#include <bpf/bpf.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "capture/tracer/control_class.h"
#include "capture/tracer/module_control.h"

#define MOUNT           "/sys/fs/bpf"
#define BPF_FS_MAGIC    0xcafe4a11 /* linux/magic.h */
#define OPEN_FOLDER     (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
#define MODE_OTHERS     (S_IRWXG | S_IRWXO)
#define MODE_CHANGEABLE (S_IWGRP | S_IWOTH)
#define LOCK_US         G_USEC_PER_SEC
#define RETRY_US        10000

struct Pins {
	int folder; /* −1: it does not exist */
};

Pins *pins_new(void)
{
	Pins *pins = g_new(Pins, 1);

	pins->folder = -1;
	return pins;
}

static void close_folder(Pins *pins)
{
	if (pins->folder >= 0)
		close(pins->folder);
	pins->folder = -1;
}

void pins_free(Pins *pins)
{
	if (!pins)
		return;
	close_folder(pins);
	g_free(pins);
}

char *pins_path(const char *name)
{
	return g_build_filename(PINS_FOLDER, name, NULL);
}

gboolean pins_are_there(const Pins *pins)
{
	return pins->folder >= 0;
}

/* ---- the folder ---- */

gboolean pins_are_meant(void)
{
	struct stat st;

	return !lstat(PINS_FOLDER, &st) && (st.st_uid == 0 || st.st_uid == geteuid());
}

static gboolean check_mount(GError **error)
{
	struct statfs fs;

	if (!statfs(MOUNT, &fs) && (guint32)fs.f_type == BPF_FS_MAGIC)
		return TRUE;
	return control_fail(
		error, CAPTURE_ERROR_NO_TRACER,
		"bpffs is not mounted, in which programs stay without a recorder: mount -t bpf -o mode=700 bpf " MOUNT);
}

/* Other users can't change names in the root of the mount, so the path leads to this folder. */
static gboolean is_ours(int folder)
{
	struct stat st, above;

	return !fstat(folder, &st) && st.st_uid == geteuid() && !(st.st_mode & MODE_OTHERS) &&
	       !stat(MOUNT, &above) && (above.st_uid == 0 || above.st_uid == geteuid()) &&
	       (!(above.st_mode & MODE_CHANGEABLE) || above.st_mode & S_ISVTX);
}

gboolean pins_open(Pins *pins, GError **error)
{
	struct statfs fs;

	close_folder(pins);
	pins->folder = open(PINS_FOLDER, OPEN_FOLDER);
	if (pins->folder < 0 && errno == ENOENT)
		return TRUE;
	if (pins->folder < 0)
		return control_fail(error,
				    errno == EACCES ? CAPTURE_ERROR_NOT_ROOT : CAPTURE_ERROR_FAILED,
				    "can't open %s: %s", PINS_FOLDER, g_strerror(errno));
	if (!fstatfs(pins->folder, &fs) && (guint32)fs.f_type == BPF_FS_MAGIC &&
	    is_ours(pins->folder))
		return TRUE;
	close_folder(pins);
	return control_fail(
		error, CAPTURE_ERROR_FAILED,
		"%s is not used: it must be on bpffs, of this user, and closed to all others (mode 0700)",
		PINS_FOLDER);
}

static gboolean is_at_path(int folder)
{
	struct stat st, named;

	return !fstat(folder, &st) && !lstat(PINS_FOLDER, &named) && st.st_dev == named.st_dev &&
	       st.st_ino == named.st_ino;
}

gboolean pins_lock(Pins *pins)
{
	gint64 until = g_get_monotonic_time() + LOCK_US;

	if (pins->folder < 0)
		return TRUE;
	while (flock(pins->folder, LOCK_EX | LOCK_NB)) {
		if (g_get_monotonic_time() > until)
			return FALSE;
		g_usleep(RETRY_US);
	}
	if (!is_at_path(pins->folder))
		close_folder(pins);
	return TRUE;
}

gboolean pins_make(Pins *pins, GError **error)
{
	if (!check_mount(error))
		return FALSE;
	if (mkdir(PINS_FOLDER, S_IRWXU))
		return control_fail(
			error, errno == EEXIST ? CAPTURE_ERROR_BUSY : CAPTURE_ERROR_FAILED,
			"can't make %s, in which programs stay without a recorder: %s", PINS_FOLDER,
			errno == EEXIST ? "another process has just done so" : g_strerror(errno));
	if (!pins_open(pins, error)) {
		rmdir(PINS_FOLDER); /* it is empty */
		return FALSE;
	}
	if (pins_lock(pins) && pins_are_there(pins))
		return TRUE;
	return control_fail(error, CAPTURE_ERROR_BUSY, "another process has just removed %s",
			    PINS_FOLDER);
}

pid_t pins_lock_holder(const Pins *pins)
{
	FILE *locks = pins->folder >= 0 ? fopen("/proc/locks", "re") : NULL;
	pid_t holder = 0;
	struct stat st;

	if (!locks)
		return 0;
	if (!fstat(pins->folder, &st))
		holder = module_control_find_lock_holder(locks, &st);
	fclose(locks);
	return holder == getpid() ? 0 : holder;
}

/* ---- its contents ---- */

gboolean pins_put(const char *name, int fd, GError **error)
{
	g_autofree char *path = pins_path(name);

	return !bpf_obj_pin(fd, path) || control_fail(error, CAPTURE_ERROR_FAILED,
						      "can't pin %s: %s", path, g_strerror(errno));
}

/* Checks the kind of a descriptor by the name that the kernel gives it. */
static gboolean is_kind(int fd, PinsKind kind)
{
	static const char *const names[] = {
		[PINS_MAP] = "anon_inode:bpf-map",
		[PINS_PROGRAM] = "anon_inode:bpf-prog",
	};
	g_autofree char *path = g_strdup_printf("/proc/self/fd/%d", fd);
	g_autofree char *target = g_file_read_link(path, NULL);

	return !g_strcmp0(target, names[kind]);
}

int pins_get(const char *name, PinsKind kind)
{
	g_autofree char *path = pins_path(name);
	int fd = bpf_obj_get(path);

	if (fd < 0 || is_kind(fd, kind))
		return fd;
	close(fd);
	errno = EINVAL;
	return -1;
}

gboolean pins_has(const char *name)
{
	g_autofree char *path = pins_path(name);

	return !access(path, F_OK);
}

void pins_remove(const char *name)
{
	g_autofree char *path = pins_path(name);

	(void)!unlink(path);
}

gboolean pins_rename(const char *from, const char *to, GError **error)
{
	g_autofree char *old_path = pins_path(from), *new_path = pins_path(to);

	return !rename(old_path, new_path) ||
	       control_fail(error, CAPTURE_ERROR_FAILED, "can't pin %s: %s", new_path,
			    g_strerror(errno));
}

static gboolean fail_drop(const char *name, GError **error)
{
	g_autofree char *path = pins_path(name);

	return control_fail(error, CAPTURE_ERROR_FAILED, "can't remove %s: %s", path,
			    g_strerror(errno));
}

static gboolean drop_one(const Pins *pins, const char *name, GError **error)
{
	return !unlinkat(pins->folder, name, 0) ||
	       (errno == EISDIR && !unlinkat(pins->folder, name, AT_REMOVEDIR)) ||
	       errno == ENOENT || fail_drop(name, error);
}

static GPtrArray *list_names(const Pins *pins)
{
	GPtrArray *names = g_ptr_array_new_with_free_func(g_free);
	int copy = openat(pins->folder, ".", OPEN_FOLDER);
	DIR *entries = copy >= 0 ? fdopendir(copy) : NULL;
	struct dirent *entry;

	if (!entries && copy >= 0)
		close(copy);
	while (entries && (entry = readdir(entries))) {
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			g_ptr_array_add(names, g_strdup(entry->d_name));
	}
	if (entries)
		closedir(entries);
	return names;
}

gboolean pins_drop(const Pins *pins, const char *prefix, GError **error)
{
	g_autoptr(GPtrArray) names = pins_are_there(pins) ? list_names(pins) : NULL;

	for (guint i = 0; names && i < names->len; i++) {
		if (g_str_has_prefix(names->pdata[i], prefix) &&
		    !drop_one(pins, names->pdata[i], error))
			return FALSE;
	}
	return TRUE;
}

/* The folder stays locked, for all who have opened it, until it is removed. */
gboolean pins_drop_all(Pins *pins, GError **error)
{
	if (!pins_are_there(pins))
		return TRUE;
	if (!pins_drop(pins, "", error))
		return FALSE;
	if (rmdir(PINS_FOLDER) && errno != ENOENT)
		return fail_drop("", error);
	close_folder(pins);
	return TRUE;
}

gboolean pins_fail_content(const char *name, GError **error)
{
	g_autofree char *path = pins_path(name);

	return control_fail(
		error, CAPTURE_ERROR_FAILED,
		"%s is not what kmemtrace-user start pins: kmemtrace-user stop --source bpf --discard removes it",
		path);
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <gio/gio.h>
#include <glib/gstdio.h>
#include <limits.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/sudo_user.h"

#define MODE 0600 /* traces and what is made of them show addresses of the kernel */

static gboolean fail(const char *path, const char *why, GError **error)
{
	g_set_error(error, G_IO_ERROR, G_IO_ERROR_FAILED, "can't write %s: %s", path, why);
	return FALSE;
}

static gboolean fail_errno(const char *path, GError **error)
{
	gboolean refused = errno == EACCES || errno == EPERM;
	g_autofree char *why = g_strdup(g_strerror(errno)),
			*caller = refused ? sudo_user_describe() : NULL;
	g_autofree char *text = g_strconcat(why, caller, NULL);

	return fail(path, text, error);
}

/* ---- what is there already ---- */

static const char *name_of_type(mode_t mode)
{
	switch (mode & S_IFMT) {
	case S_IFLNK:
		return "it is a symbolic link, which is not followed";
	case S_IFDIR:
		return "it is a directory";
	case S_IFIFO:
		return "it is a FIFO";
	case S_IFSOCK:
		return "it is a socket";
	default:
		return "it is a device";
	}
}

/* @fd: opened with O_PATH, so nothing has happened to the file yet. Returns bytes, or −1. */
static gssize read_start(int fd, guint8 *start)
{
	g_autofree char *link = g_strdup_printf("/proc/self/fd/%d", fd);
	int file = open(link, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	gssize got;

	if (file < 0)
		return -1;
	got = read(file, start, OUTFILE_START_MAX);
	close(file);
	return got;
}

static gboolean check_file(int fd, const char *path, const OutFileKind *kind, GError **error)
{
	guint8 start[OUTFILE_START_MAX];
	g_autofree char *other = NULL;
	struct stat st;
	gssize len;

	if (fstat(fd, &st))
		return fail_errno(path, error);
	if (!S_ISREG(st.st_mode))
		return fail(path, name_of_type(st.st_mode), error);
	if (!st.st_size)
		return TRUE;
	len = read_start(fd, start);
	if (len < 0)
		return fail_errno(path, error);
	if (kind->is_own(start, len))
		return TRUE;
	other = g_strdup_printf(
		"it exists and is not a %s of kmemtrace (remove it, or choose another name)",
		kind->name);
	return fail(path, other, error);
}

static gboolean check(const char *path, const OutFileKind *kind, GError **error)
{
	int fd = open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	gboolean fine;

	if (fd < 0)
		return errno == ENOENT || fail_errno(path, error);
	fine = check_file(fd, path, kind, error);
	close(fd);
	return fine;
}

gboolean outfile_check(const char *path, const OutFileKind *kind, GError **error)
{
	gboolean fine;

	sudo_user_enter();
	fine = check(path, kind, error);
	sudo_user_leave();
	return fine;
}

/* ---- files that are not whole yet ---- */

#define BEGUN_MAX 8 /* at a time; more are not abandoned */

/* Kept so that removing them takes no memory. */
static struct {
	int dir; /* O_PATH; below 0: free */
	char name[NAME_MAX + 1];
} begun[BEGUN_MAX] = { [0 ... BEGUN_MAX - 1] = { .dir = -1 } };

static GMutex begun_lock; /* not for outfile_abandon(), behind which nothing comes */

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static void note_begun(const char *path)
{
	g_autofree char *folder = g_path_get_dirname(path);

	g_mutex_lock(&begun_lock);
	for (guint i = 0; i < BEGUN_MAX; i++) {
		if (begun[i].dir >= 0)
			continue;
		g_strlcpy(begun[i].name, last_part(path), sizeof(begun[i].name));
		begun[i].dir = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
		break;
	}
	g_mutex_unlock(&begun_lock);
}

static void note_ended(const char *path)
{
	g_mutex_lock(&begun_lock);
	for (guint i = 0; i < BEGUN_MAX; i++) {
		if (begun[i].dir < 0 || strcmp(begun[i].name, last_part(path)) != 0)
			continue;
		close(begun[i].dir);
		begun[i].dir = -1;
		break;
	}
	g_mutex_unlock(&begun_lock);
}

/* In the directory where they were created, whatever has its name by now. */
void outfile_abandon(void)
{
	for (guint i = 0; i < BEGUN_MAX; i++) {
		if (begun[i].dir >= 0)
			unlinkat(begun[i].dir, begun[i].name, 0);
	}
}

/* ---- new files ---- */

/* The name may be another user's by now: then nothing is created. */
static int replace(const char *path, GError **error)
{
	int fd;

	if (g_unlink(path) && errno != ENOENT) {
		fail_errno(path, error);
		return -1;
	}
	fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, MODE);
	if (fd < 0)
		fail_errno(path, error);
	return fd;
}

int outfile_create(const char *path, const OutFileKind *kind, GError **error)
{
	int fd;

	sudo_user_enter();
	fd = check(path, kind, error) ? replace(path, error) : -1;
	sudo_user_leave();
	return fd;
}

int outfile_begin(const char *path, const OutFileKind *kind, char **beside, GError **error)
{
	g_autofree char *name = g_strconcat(path, ".XXXXXX", NULL);
	sigset_t all, before;
	int fd = -1;

	sigfillset(&all);
	sudo_user_enter();
	if (check(path, kind, error)) {
		/* No signal ends the process before outfile_abandon() knows of the file. */
		pthread_sigmask(SIG_BLOCK, &all, &before);
		fd = g_mkstemp_full(name, O_RDWR | O_CLOEXEC, MODE);
		if (fd < 0)
			fail_errno(path, error);
		else
			note_begun(name);
		pthread_sigmask(SIG_SETMASK, &before, NULL);
	}
	sudo_user_leave();
	*beside = fd < 0 ? NULL : g_steal_pointer(&name);
	return fd;
}

gboolean outfile_finish(const char *beside, const char *path, const OutFileKind *kind,
			GError **error)
{
	gboolean fine;

	sudo_user_enter();
	fine = check(path, kind, error) && (!g_rename(beside, path) || fail_errno(path, error));
	sudo_user_leave();
	if (fine)
		note_ended(beside);
	return fine;
}

int outfile_drop(const char *path)
{
	int failed;

	sudo_user_enter();
	failed = g_unlink(path) ? errno : 0;
	sudo_user_leave();
	note_ended(path);
	return failed;
}

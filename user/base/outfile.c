// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/outfile.h"

#include <dirent.h>
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

#define MODE 0600 /* traces and files made from them have kernel addresses */

static gboolean outfile_fail(const char *path, const char *why, GError **error)
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

	return outfile_fail(path, text, error);
}

/* ---- existing files ---- */

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

/* @fd: opened with O_PATH, without effect on the file. Returns the number of bytes, or -1. */
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
		return outfile_fail(path, name_of_type(st.st_mode), error);
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
	return outfile_fail(path, other, error);
}

/* ---- folders ---- */

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/*
 * Returns the name of @path in its folder; if it ends with a slash, that is the folder's own name.
 */
static const char *name_in_folder(const char *path)
{
	const char *name = last_part(path);

	return *name ? name : ".";
}

/* The folder of outfile_stay(). */
static struct {
	char *name; /* NULL: none */
	int dir;    /* O_PATH */
} staying;

/*
 * Opens the folder once for all operations: otherwise a user who can rename it could have a name
 * checked in one folder and replaced in another. Returns a descriptor (O_PATH), or -1.
 */
static int open_folder(const char *path)
{
	g_autofree char *folder = g_path_get_dirname(path);

	if (!*path) {
		errno = ENOENT;
		return -1;
	}
	if (!g_strcmp0(folder, staying.name))
		return fcntl(staying.dir, F_DUPFD_CLOEXEC, 0);
	return open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

gboolean outfile_stay(const char *path, GError **error)
{
	int folder;

	sudo_user_enter();
	folder = open_folder(path);
	if (folder < 0)
		fail_errno(path, error);
	sudo_user_leave();
	if (folder < 0)
		return FALSE;
	outfile_leave();
	staying.name = g_path_get_dirname(path);
	staying.dir = folder;
	return TRUE;
}

void outfile_leave(void)
{
	if (staying.name)
		close(staying.dir);
	g_clear_pointer(&staying.name, g_free);
}

static DIR *read_folder(const char *path)
{
	int folder = open_folder(path);
	int fd = folder < 0 ? -1 : openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);

	if (fd >= 0 && !dir)
		close(fd);
	if (folder >= 0)
		close(folder);
	return dir;
}

GPtrArray *outfile_list(const char *path)
{
	GPtrArray *names = g_ptr_array_new_with_free_func(g_free);
	struct dirent *entry;
	DIR *dir;

	sudo_user_enter();
	dir = read_folder(path);
	while (dir && (entry = readdir(dir)))
		g_ptr_array_add(names, g_strdup(entry->d_name));
	if (dir)
		closedir(dir);
	sudo_user_leave();
	return names;
}

static gboolean check(int folder, const char *path, const OutFileKind *kind, GError **error)
{
	int fd = openat(folder, name_in_folder(path), O_PATH | O_NOFOLLOW | O_CLOEXEC);
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
	int folder;

	sudo_user_enter();
	folder = open_folder(path);
	if (folder >= 0)
		fine = check(folder, path, kind, error);
	else
		fine = errno == ENOENT || fail_errno(path, error);
	if (folder >= 0)
		close(folder);
	sudo_user_leave();
	return fine;
}

/* ---- unfinished files ---- */

#define BEGUN_MAX 8 /* at a time; others are not removed by outfile_abandon() */

/* Static, so that removing the files allocates nothing. */
static struct {
	int dir;          /* O_PATH; below 0: unused */
	gboolean is_part; /* outfile_abandon() keeps it */
	char name[NAME_MAX + 1];
} begun[BEGUN_MAX] = { [0 ... BEGUN_MAX - 1] = { .dir = -1 } };

static GMutex begun_lock; /* not taken by outfile_abandon(), after which the process exits */

/* Takes over @folder. */
static void note_begun(int folder, const char *path, gboolean is_part)
{
	g_mutex_lock(&begun_lock);
	for (guint i = 0; i < BEGUN_MAX && folder >= 0; i++) {
		if (begun[i].dir >= 0)
			continue;
		g_strlcpy(begun[i].name, last_part(path), sizeof(begun[i].name));
		begun[i].is_part = is_part;
		begun[i].dir = folder;
		folder = -1;
	}
	g_mutex_unlock(&begun_lock);
	if (folder >= 0)
		close(folder);
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

/*
 * Returns a descriptor of the folder in which @path was begun, or of the one that has this name
 * now; -1 on error.
 */
static int folder_of(const char *path)
{
	int folder = -1;

	g_mutex_lock(&begun_lock);
	for (guint i = 0; i < BEGUN_MAX && folder < 0; i++) {
		if (begun[i].dir >= 0 && !strcmp(begun[i].name, last_part(path)))
			folder = fcntl(begun[i].dir, F_DUPFD_CLOEXEC, 0);
	}
	g_mutex_unlock(&begun_lock);
	return folder < 0 ? open_folder(path) : folder;
}

/* Uses the folder in which they were created, whatever its name is now. */
void outfile_abandon(void)
{
	for (guint i = 0; i < BEGUN_MAX; i++) {
		if (begun[i].dir >= 0 && !begun[i].is_part)
			unlinkat(begun[i].dir, begun[i].name, 0);
	}
}

/* ---- new files ---- */

#define LETTERS 6 /* appended to the name of an unfinished file */
#define TRIES   100

static int create_file(int folder, const char *name)
{
	return openat(folder, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, MODE);
}

/* Replaces the file. Fails if the name belongs to another user's file by now. */
static int replace(int folder, const char *path, GError **error)
{
	const char *name = name_in_folder(path);
	int fd = -1;

	if (!unlinkat(folder, name, 0) || errno == ENOENT)
		fd = create_file(folder, name);
	if (fd < 0)
		fail_errno(path, error);
	return fd;
}

static int create(const char *path, const OutFileKind *kind, gboolean is_part, GError **error)
{
	int fd = -1, folder;

	sudo_user_enter();
	folder = open_folder(path);
	if (folder < 0)
		fail_errno(path, error);
	else if (check(folder, path, kind, error))
		fd = replace(folder, path, error);
	if (fd >= 0 && is_part)
		note_begun(folder, path, TRUE);
	else if (folder >= 0)
		close(folder);
	sudo_user_leave();
	return fd;
}

int outfile_create(const char *path, const OutFileKind *kind, GError **error)
{
	return create(path, kind, FALSE, error);
}

int outfile_create_part(const char *part, const OutFileKind *kind, GError **error)
{
	return create(part, kind, TRUE, error);
}

void outfile_keep_part(const char *part)
{
	note_ended(part);
}

/* Replaces the LETTERS letters at the end of @beside by random ones, and creates the file. */
static int create_beside(int folder, char *beside)
{
	static const char letters[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
	char *end = beside + strlen(beside) - LETTERS;
	int fd = -1;

	for (guint i = 0; i < TRIES && fd < 0 && (!i || errno == EEXIST); i++) {
		for (guint j = 0; j < LETTERS; j++)
			end[j] = letters[g_random_int_range(0, sizeof(letters) - 1)];
		fd = create_file(folder, last_part(beside));
	}
	return fd;
}

/* Takes over @folder. */
static int begin_in(int folder, const char *path, char *beside, GError **error)
{
	sigset_t all, before;
	int fd;

	sigfillset(&all);
	/* Block signals until outfile_abandon() knows the file. */
	pthread_sigmask(SIG_BLOCK, &all, &before);
	fd = create_beside(folder, beside);
	if (fd >= 0)
		note_begun(folder, beside, FALSE);
	else
		fail_errno(path, error);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (fd < 0)
		close(folder);
	return fd;
}

int outfile_begin(const char *path, const OutFileKind *kind, char **beside, GError **error)
{
	g_autofree char *name = g_strconcat(path, ".XXXXXX", NULL);
	int fd = -1, folder;

	sudo_user_enter();
	folder = open_folder(path);
	if (folder < 0)
		fail_errno(path, error);
	else if (check(folder, path, kind, error))
		fd = begin_in(folder, path, name, error);
	else
		close(folder);
	sudo_user_leave();
	*beside = fd < 0 ? NULL : g_steal_pointer(&name);
	return fd;
}

gboolean outfile_finish(const char *beside, const char *path, const OutFileKind *kind,
			GError **error)
{
	gboolean fine = FALSE;
	int folder;

	sudo_user_enter();
	folder = folder_of(beside);
	if (folder < 0)
		fail_errno(path, error);
	else if (check(folder, path, kind, error))
		fine = !renameat(folder, last_part(beside), folder, name_in_folder(path)) ||
		       fail_errno(path, error);
	if (folder >= 0)
		close(folder);
	sudo_user_leave();
	if (fine)
		note_ended(beside);
	return fine;
}

int outfile_drop(const char *path)
{
	int failed, folder;

	sudo_user_enter();
	folder = folder_of(path);
	failed = folder < 0 || unlinkat(folder, last_part(path), 0) ? errno : 0;
	if (folder >= 0)
		close(folder);
	sudo_user_leave();
	note_ended(path);
	return failed;
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include "store/schema/unmerged.h"

#include <fcntl.h>
#include <pwd.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/message.h"
#include "store/store.h"

/*
 * Opens a regular file; SQLite follows no link there either. Returns a descriptor, or below 0 if it
 * is not one.
 */
static int open_beside(const char *path, struct stat *st)
{
	int fd;

	if (lstat(path, st) || !S_ISREG(st->st_mode))
		return -1;
	fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0 || (fstat(fd, st) == 0 && S_ISREG(st->st_mode)))
		return fd;
	close(fd);
	return -1;
}

/* Returns TRUE if the first byte of @file is not 0, as in a journal that counts. Fills in *@st. */
static gboolean has_changes(const char *file, struct stat *st)
{
	int fd = open_beside(file, st);
	char first = 0;
	ssize_t got = -1;

	if (fd >= 0) {
		got = read(fd, &first, 1);
		close(fd);
	}
	return got == 1 && first;
}

/* Returns FALSE if the owner of @beside can't have written to @database. */
static gboolean is_writer(const struct stat *beside, const struct stat *database)
{
	return !beside->st_uid || beside->st_uid == database->st_uid ||
	       database->st_mode & (S_IWGRP | S_IWOTH);
}

static void say_ignored(const char *file, const struct stat *st)
{
	const struct passwd *owner = getpwuid(st->st_uid);

	message("%s is ignored: it belongs to %s, who can't write to the database", file,
		owner ? owner->pw_name : "another user");
}

/* Checks the files beside @name, which is a name of the database @path. */
static gboolean check_beside(const char *path, const char *name, const struct stat *database,
			     GError **error)
{
	static const char *const suffixes[] = { "-wal", "-journal" };

	for (gsize i = 0; i < G_N_ELEMENTS(suffixes); i++) {
		g_autofree char *file = g_strconcat(name, suffixes[i], NULL);
		struct stat st;

		if (!has_changes(file, &st))
			continue;
		if (is_writer(&st, database))
			return store_fail(
				error,
				"%s has changes in %s that are not in it yet: open it with sqlite3 once, or remove both and load the trace again",
				path, file);
		say_ignored(file, &st);
	}
	return TRUE;
}

/*
 * If @path is a symbolic link, the journals are beside the file itself, whose name is that of @fd.
 */
gboolean unmerged_check(int fd, const char *path, GError **error)
{
	g_autofree char *link = g_strdup_printf("/proc/self/fd/%d", fd);
	g_autofree char *name = g_file_read_link(link, NULL);
	g_autofree char *given = g_canonicalize_filename(path, NULL);
	struct stat st;

	if (fstat(fd, &st))
		return store_fail(error, "can't stat %s", path);
	return check_beside(path, path, &st, error) &&
	       (!name || !strcmp(name, given) || check_beside(path, name, &st, error));
}

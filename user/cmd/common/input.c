// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/common/input.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <linux/magic.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/exit_cleanup.h"
#include "base/memory.h"
#include "base/message.h"
#include "base/outfile.h"
#include "base/regular.h"
#include "base/sudo_user.h"
#include "cmd/common/options.h"
#include "kmemtrace_file.h"
#include "report/print/completeness.h"

#define DATABASE_MAGIC "SQLite format 3" /* and its NUL */

gboolean input_is_file(const char *word)
{
	return g_file_test(word, G_FILE_TEST_EXISTS) || g_str_has_suffix(word, ".kmt") ||
	       g_str_has_suffix(word, ".db");
}

static volatile sig_atomic_t is_stopped;
static struct sigaction earlier[ENDED_SIGNALS]; /* previous actions of the signals */

/* Cancels. A second signal of the same kind ends the program at once. */
static void stop(int signal)
{
	for (guint i = 0; i < ENDED_SIGNALS; i++) {
		if (ended_signals[i] == signal)
			sigaction(signal, &earlier[i], NULL);
	}
	is_stopped = 1;
}

/* Leaves ignored signals ignored. */
static void catch_signals(void)
{
	struct sigaction action = { .sa_handler = stop };

	is_stopped = 0;
	for (guint i = 0; i < ENDED_SIGNALS; i++) {
		sigaction(ended_signals[i], NULL, &earlier[i]);
		if (earlier[i].sa_handler != SIG_IGN)
			sigaction(ended_signals[i], &action, NULL);
	}
}

static void release_signals(void)
{
	for (guint i = 0; i < ENDED_SIGNALS; i++)
		sigaction(ended_signals[i], &earlier[i], NULL);
}

/* A StoreProgress: shows it, and cancels after a signal. */
static gboolean go_on(guint64 done, guint64 total, gpointer data)
{
	g_autofree char *text = NULL;
	const char *path = data;

	if (total && message_shows_progress()) {
		text = g_strdup_printf("reading %s: %3.0f%%", path, 100.0 * done / total);
		message_progress(text);
	}
	return !is_stopped;
}

char *input_db_path(const char *kmt_path)
{
	size_t len = strlen(kmt_path);

	if (g_str_has_suffix(kmt_path, ".kmt"))
		len -= strlen(".kmt");
	return g_strdup_printf("%.*s.db", (int)len, kmt_path);
}

gboolean input_load(const char *const *paths, guint count, const char *db_path,
		    StoreLoadResult *result, GError **error)
{
	gboolean fine;

	memory_note_input(paths[0]);
	catch_signals();
	fine = store_load_all(paths, count, db_path, go_on, (gpointer)paths[0], result, error);
	release_signals();
	if (message_shows_progress())
		message_progress("");
	return fine;
}

StoreDb *input_totals(const char *kmt_path, StoreLoadResult *result, GError **error)
{
	StoreDb *db;

	catch_signals();
	db = store_totals(kmt_path, go_on, (gpointer)kmt_path, result, error);
	release_signals();
	if (message_shows_progress())
		message_progress("");
	return db;
}

/* ---- kinds of files ---- */

/* Suggests sudo: traces are readable only by their owner, often root. */
static gboolean fail_open(const char *path, GError **error)
{
	int saved = errno;
	const struct passwd *owner;
	struct stat st;

	if (saved != EACCES || stat(path, &st))
		return store_fail(error, "can't open %s: %s", path, g_strerror(saved));
	owner = getpwuid(st.st_uid);
	return store_fail(error, "can't open %s: %s: it belongs to %s, so try sudo, or sudo chown",
			  path, g_strerror(saved), owner ? owner->pw_name : "another user");
}

gboolean input_check(const char *path, GError **error)
{
	gboolean fine;
	struct stat st;
	int fd = regular_open(path, &st);

	memory_note_input(path);
	if (fd < 0 && errno == EISDIR)
		fine = store_fail(
			error, "can't open %s: it is a directory, not a trace or a database", path);
	else if (fd < 0 && errno == EINVAL)
		fine = store_fail(error, "can't open %s: it is not a regular file", path);
	else if (fd < 0)
		fine = fail_open(path, error);
	else if (!st.st_size)
		fine = store_fail(error, "%s is empty", path);
	else
		fine = TRUE;
	if (fd >= 0)
		close(fd);
	return fine;
}

/* Returns whether @path begins with the @len bytes of @magic, at most 16. */
static gboolean begins_with(const char *path, const char *magic, size_t len)
{
	char bytes[16] = "";
	int fd = regular_open(path, NULL);
	ssize_t got = -1;

	if (fd >= 0) {
		got = read(fd, bytes, len);
		close(fd);
	}
	return got == (ssize_t)len && memcmp(bytes, magic, len) == 0;
}

static gboolean is_trace(const char *path)
{
	return begins_with(path, KMEMTRACE_FILE_MAGIC, KMEMTRACE_FILE_MAGIC_LEN);
}

gboolean input_check_trace(const char *command, const char *path, GError **error)
{
	if (!input_check(path, error))
		return FALSE;
	if (!begins_with(path, DATABASE_MAGIC, sizeof(DATABASE_MAGIC)))
		return TRUE;
	return store_fail(error, "%s is a database: %s needs the .kmt trace that it was made from",
			  path, command);
}

/* ---- the database of a trace ---- */

/* Returns whether the database can be written, and belongs to this user. */
static gboolean check_place(const char *kmt_path, const char *db_path, GError **error)
{
	g_autofree char *folder = g_path_get_dirname(db_path), *caller = NULL;
	g_autoptr(GError) local = NULL;
	int refused;

	if (!outfile_check(db_path, &store_kind, &local))
		return store_fail(error,
				  "%s: kmemtrace-user load -o ELSEWHERE.db %s makes it there",
				  local->message, kmt_path);
	sudo_user_enter();
	refused = faccessat(AT_FDCWD, folder, W_OK, AT_EACCESS) ? errno : 0;
	sudo_user_leave();
	if (!refused)
		return TRUE;
	caller = sudo_user_describe();
	return store_fail(
		error, "can't make %s: %s%s: kmemtrace-user load -o ELSEWHERE.db %s makes it there",
		db_path, g_strerror(refused), caller, kmt_path);
}

/*
 * Accepts a database beside a trace only if its owner could have written the trace as well, and no
 * one else could write it.
 */
static gboolean check_owner(const StoreDb *db, const char *kmt_path, const char *db_path,
			    GError **error)
{
	const struct passwd *owner;
	struct stat trace, file;

	if (store_stat(db, &file) || stat(kmt_path, &trace))
		return store_fail(error, "can't stat %s: %s", db_path, g_strerror(errno));
	if ((sudo_user_trusts(file.st_uid) || file.st_uid == trace.st_uid) && !(file.st_mode & 022))
		return TRUE;
	owner = getpwuid(file.st_uid);
	return store_fail(
		error,
		"%s belongs to %s, and %s: pass its name to use it, or kmemtrace-user load -o ELSEWHERE.db %s",
		db_path, owner ? owner->pw_name : "another user",
		file.st_mode & 022 ? "others can write it" : "the trace does not", kmt_path);
}

/* Rejects links such as /dev/stdin to /proc/self/fd/0: a database cannot be beside them. */
static gboolean check_name(const char *kmt_path, GError **error)
{
	g_autofree char *target = g_file_read_link(kmt_path, NULL);
	g_autofree char *folder = g_path_get_dirname(target ? target : kmt_path);
	g_autofree char *own = g_path_get_dirname(kmt_path);
	struct statfs fs;

	if ((statfs(folder, &fs) || fs.f_type != PROC_SUPER_MAGIC) &&
	    (statfs(own, &fs) || fs.f_type != PROC_SUPER_MAGIC))
		return TRUE;
	return store_fail(
		error,
		"%s has no folder for its database: kmemtrace-user load -o FILE.db %s makes it there",
		kmt_path, kmt_path);
}

static StoreDb *open_trace(const char *kmt_path, GError **error)
{
	g_autofree char *db_path = input_db_path(kmt_path);
	g_autoptr(StoreDb) db = NULL;
	StoreLoadResult result;

	if (!check_name(kmt_path, error))
		return NULL;
	if (!g_file_test(db_path, G_FILE_TEST_IS_SYMLINK))
		db = store_open(db_path, NULL);
	if (db && !check_owner(db, kmt_path, db_path, error))
		return NULL;
	/* A database that cannot be opened is of another version, or broken: replace it, too. */
	if (db && store_is_of(db, kmt_path))
		return g_steal_pointer(&db);
	if (!check_place(kmt_path, db_path, error) ||
	    !input_load(&kmt_path, 1, db_path, &result, error))
		return NULL;
	/* A user who can rename files there may have replaced it. */
	db = store_open(db_path, error);
	return db && check_owner(db, kmt_path, db_path, error) ? g_steal_pointer(&db) : NULL;
}

/* Warns about hard links: a journal beside another name of the database is not seen. */
static void note_links(const StoreDb *db, const char *path)
{
	struct stat st;

	if (store_stat(db, &st) == 0 && st.st_nlink > 1)
		message("%s has other names (hard links): a journal beside one of them is not seen",
			path);
}

StoreDb *input_open(const char *path, GError **error)
{
	StoreDb *db;

	if (!input_check(path, error))
		return NULL;
	db = is_trace(path) ? open_trace(path, error) : store_open(path, error);
	if (db)
		note_links(db, path);
	return db;
}

int input_judge(StoreDb *db, GError *error)
{
	g_auto(Completeness) completeness = { 0 };

	if (!db || !completeness_read(db, &completeness, &error))
		return message_failed(error);
	if (!completeness_is_incomplete(&completeness))
		return EXIT_FINE;
	completeness_say(&completeness);
	return EXIT_INCOMPLETE;
}

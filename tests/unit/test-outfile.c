// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Output files replace only files of their kind, and under sudo are written with the calling user's
 * rights.
 */
#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <grp.h>
#include <pwd.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/sudo_user.h"
#include "base/exit_cleanup.h"
#include "base/outfile.h"

#define OWN	"own and more"
#define USER	54321
#define GROUP	54322

typedef struct {
	char *dir, *path, *other;
} Fixture;

static gboolean is_own(const guint8 *start, gsize len)
{
	return len >= 3 && memcmp(start, "own", 3) == 0;
}

static const OutFileKind kind = { "test", is_own };

static void setup(Fixture *f, gconstpointer unused)
{
	f->dir = g_dir_make_tmp("kmemtrace-outfile-XXXXXX", NULL);
	f->path = g_build_filename(f->dir, "t.kmt", NULL);
	f->other = g_build_filename(f->dir, "other", NULL);
}

static void teardown(Fixture *f, gconstpointer unused)
{
	g_unsetenv("SUDO_UID");
	g_unsetenv("SUDO_GID");
	g_unsetenv("PKEXEC_UID");
	g_unsetenv("DOAS_USER");
	g_remove(f->path);
	g_remove(f->other);
	g_assert_cmpint(g_rmdir(f->dir), ==, 0);	/* nothing is left beside it */
	g_free(f->path);
	g_free(f->other);
	g_free(f->dir);
}

static void write_file(const char *path, const char *text, guint mode)
{
	g_assert_true(
		g_file_set_contents_full(path, text, -1, G_FILE_SET_CONTENTS_NONE, mode, NULL));
	g_assert_cmpint(chmod(path, mode), ==, 0);
}

static void expect_text(const char *path, const char *expected)
{
	g_autofree char *text = NULL;

	g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
	g_assert_cmpstr(text, ==, expected);
}

/* Refused by all functions, with the same error. */
static void expect_refused(const char *path, const char *why)
{
	g_autoptr(GError) a = NULL, b = NULL, c = NULL, d = NULL;
	char *beside = NULL;

	g_assert_false(outfile_check(path, &kind, &a));
	if (!strstr(a->message, why))
		g_error("'%s' is not in '%s'", why, a->message);
	g_assert_cmpint(outfile_create(path, &kind, &b), <, 0);
	g_assert_cmpstr(b->message, ==, a->message);
	g_assert_cmpint(outfile_begin(path, &kind, &beside, &c), <, 0);
	g_assert_cmpstr(c->message, ==, a->message);
	g_assert_null(beside);
	beside = g_strconcat(path, ".beside", NULL);
	g_assert_false(outfile_finish(beside, path, &kind, &d));
	g_free(beside);
	g_assert_cmpstr(d->message, ==, a->message);
}

/* Written by both functions; @uid owns it, and its mode is 0600. */
static void expect_written(const char *path, uid_t uid, gid_t gid)
{
	GError *error = NULL;

	for (guint i = 0; i < 2; i++) {
		g_autofree char *beside = NULL;
		int fd = i ? outfile_begin(path, &kind, &beside, &error)
			   : outfile_create(path, &kind, &error);
		struct stat st;

		g_assert_no_error(error);
		g_assert_cmpint(write(fd, "own", 3), ==, 3);
		g_assert_cmpint(close(fd), ==, 0);
		if (beside)
			g_assert_true(outfile_finish(beside, path, &kind, &error));
		g_assert_no_error(error);
		expect_text(path, "own");
		g_assert_cmpint(lstat(path, &st), ==, 0);
		g_assert_cmpint(st.st_mode, ==, S_IFREG | 0600);
		g_assert_cmpuint(st.st_uid, ==, uid);
		g_assert_cmpuint(st.st_gid, ==, gid);
	}
}

static void own_and_empty_files_are_replaced(Fixture *f, gconstpointer unused)
{
	expect_written(f->path, geteuid(), getegid());
	write_file(f->path, OWN, 0644);
	expect_written(f->path, geteuid(), getegid());
	write_file(f->path, "", 0666);
	expect_written(f->path, geteuid(), getegid());
}

static void other_files_are_not_replaced(Fixture *f, gconstpointer unused)
{
	write_file(f->path, "a text", 0644);
	expect_refused(f->path, "exists and is not a test of kmemtrace");
	expect_text(f->path, "a text");
	g_unlink(f->path);
	g_assert_cmpint(g_mkdir(f->path, 0700), ==, 0);
	expect_refused(f->path, "it is a directory");
	g_rmdir(f->path);
	g_assert_cmpint(mkfifo(f->path, 0600), ==, 0);
	expect_refused(f->path, "it is a FIFO");
	g_unlink(f->path);
	expect_refused("/dev/null", "it is a device");
}

static void missing_folder_is_an_error(Fixture *f, gconstpointer unused)
{
	g_autoptr(GError) error = NULL;
	char *beside;

	g_assert_true(outfile_check("/nowhere/t.kmt", &kind, NULL));
	g_assert_cmpint(outfile_begin("/nowhere/t.kmt", &kind, &beside, &error), <, 0);
	g_assert_cmpstr(error->message, ==, "can't write /nowhere/t.kmt: No such file or directory");
	g_assert_cmpint(outfile_create("/nowhere/t.kmt", &kind, NULL), <, 0);
	g_clear_error(&error);
	g_assert_cmpint(outfile_create("", &kind, &error), <, 0);
	g_assert_cmpstr(error->message, ==, "can't write : No such file or directory");
}

static void links_are_not_followed(Fixture *f, gconstpointer unused)
{
	write_file(f->other, OWN, 0644);
	g_assert_cmpint(symlink(f->other, f->path), ==, 0);
	expect_refused(f->path, "it is a symbolic link");
	g_unlink(f->path);
	g_assert_cmpint(symlink("/nowhere", f->path), ==, 0);
	expect_refused(f->path, "it is a symbolic link");
	g_unlink(f->path);
	/* Another name of the same file stays unchanged. */
	g_assert_cmpint(link(f->other, f->path), ==, 0);
	expect_written(f->path, geteuid(), getegid());
	expect_text(f->other, OWN);
}

/* The name came to belong to another file while the new one was written. */
static void name_is_checked_again_at_the_end(Fixture *f, gconstpointer unused)
{
	g_autoptr(GError) error = NULL;
	g_autofree char *beside = NULL;
	int fd = outfile_begin(f->path, &kind, &beside, NULL);

	g_assert_cmpint(fd, >=, 0);
	close(fd);
	write_file(f->path, "a text", 0644);
	g_assert_false(outfile_finish(beside, f->path, &kind, &error));
	expect_text(f->path, "a text");
	g_assert_cmpint(outfile_drop(beside), ==, 0);
	g_assert_cmpint(outfile_drop(beside), ==, ENOENT);
}

/* Others may own the parent folder, and put another folder in its place. */
static void folder_may_not_be_exchanged(Fixture *f, gconstpointer unused)
{
	g_autofree char *moved = g_strconcat(f->dir, ".moved", NULL);
	g_autofree char *whole = g_build_filename(moved, "t.kmt", NULL);

	for (guint i = 0; i < 2; i++) {
		g_autofree char *beside = NULL;
		int fd = outfile_begin(f->path, &kind, &beside, NULL);

		g_assert_cmpint(write(fd, OWN, strlen(OWN)), ==, strlen(OWN));
		close(fd);
		g_assert_cmpint(g_rename(f->dir, moved), ==, 0);
		g_assert_cmpint(g_mkdir(f->dir, 0700), ==, 0);
		write_file(f->path, "a text", 0600);
		write_file(beside, "another text", 0600);
		if (i) {
			g_assert_true(outfile_finish(beside, f->path, &kind, NULL));
			expect_text(whole, OWN);
			g_remove(whole);
		} else {
			g_assert_cmpint(outfile_drop(beside), ==, 0);
		}
		expect_text(f->path, "a text");
		expect_text(beside, "another text");
		g_remove(f->path);
		g_remove(beside);
		g_assert_cmpint(g_rmdir(moved), ==, 0);
	}
}

/* ---- sudo ---- */

static gboolean become_sudo(void)
{
	if (geteuid() != 0) {
		g_test_skip("only root can be called by sudo");
		return FALSE;
	}
	g_setenv("SUDO_UID", G_STRINGIFY(USER), TRUE);
	g_setenv("SUDO_GID", G_STRINGIFY(GROUP), TRUE);
	return TRUE;
}

static void file_under_sudo_belongs_to_the_user(Fixture *f, gconstpointer unused)
{
	if (!become_sudo())
		return;
	g_assert_cmpint(chown(f->dir, USER, GROUP), ==, 0);
	expect_written(f->path, USER, GROUP);
}

static void file_under_sudo_needs_rights_of_the_user(Fixture *f, gconstpointer unused)
{
	if (!become_sudo())
		return;
	expect_refused(f->path, "Permission denied (with the rights of user 54321, who called sudo)");
	g_assert_cmpint(chmod(f->dir, 0755), ==, 0);
	g_assert_true(outfile_check(f->path, &kind, NULL));
	g_assert_cmpint(outfile_create(f->path, &kind, NULL), <, 0);
	write_file(f->path, OWN, 0644);
	g_assert_cmpint(outfile_create(f->path, &kind, NULL), <, 0);
	g_assert_cmpint(outfile_drop(f->path), ==, EACCES);
	expect_text(f->path, OWN);
}

/* This thread's value, as in "CapEff: 000001ffffffffff", for g_free(). */
static char *effective_caps(void)
{
	g_autofree char *status = NULL;
	const char *line;

	g_assert_true(g_file_get_contents("/proc/thread-self/status", &status, NULL, NULL));
	line = strstr(status, "CapEff:");
	return g_strndup(line, strcspn(line, "\n"));
}

static void rights_of_root_are_restored(Fixture *f, gconstpointer unused)
{
	g_autofree char *caps_before = effective_caps(), *caps_after = NULL;
	gid_t before[64], after[64];
	int count = getgroups(G_N_ELEMENTS(before), before);

	if (!become_sudo())
		return;
	sudo_user_enter();
	g_assert_cmpint(access("/", W_OK), ==, 0);	/* the real user's */
	g_assert_cmpint(open(f->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC), <, 0);
	sudo_user_leave();
	sudo_user_leave();
	caps_after = effective_caps();
	g_assert_cmpstr(caps_after, ==, caps_before);
	write_file(f->path, OWN, 0600);
	g_assert_cmpint(getgroups(G_N_ELEMENTS(after), after), ==, count);
	g_assert_cmpmem(before, count * sizeof(*before), after, count * sizeof(*after));
}

static void file_under_doas_or_pkexec_needs_rights_of_the_user(Fixture *f, gconstpointer unused)
{
	if (!become_sudo())
		return;
	g_setenv("SUDO_UID", "0", TRUE);	/* doas may preserve it */
	g_setenv("PKEXEC_UID", G_STRINGIFY(USER), TRUE);
	expect_refused(f->path, "Permission denied (with the rights of user 54321, who called pkexec)");
	g_unsetenv("PKEXEC_UID");
	g_setenv("DOAS_USER", "daemon", TRUE);
	expect_refused(f->path, "Permission denied (with the rights of user daemon, who called doas)");
	g_setenv("DOAS_USER", "no such user", TRUE);
	g_assert_cmpint(outfile_create(f->path, &kind, NULL), <, 0);
	g_setenv("DOAS_USER", "root", TRUE);
	expect_written(f->path, 0, 0);
}

static void two_callers_are_nobody(Fixture *f, gconstpointer unused)
{
	if (!become_sudo())
		return;
	g_assert_cmpint(chown(f->dir, USER, GROUP), ==, 0);
	g_setenv("PKEXEC_UID", G_STRINGIFY(USER), TRUE);
	g_assert_true(outfile_check(f->path, &kind, NULL));
	g_setenv("DOAS_USER", "daemon", TRUE);
	for (guint i = 0; i < 2; i++) { /* neither of them may write */
		uid_t owner = i ? getpwnam("daemon")->pw_uid : USER;

		g_assert_cmpint(chown(f->dir, owner, GROUP), ==, 0);
		g_assert_cmpint(outfile_create(f->path, &kind, NULL), <, 0);
	}
}

static void groups_of_root_give_no_rights(Fixture *f, gconstpointer unused)
{
	const gid_t groups[] = { 4 };
	gid_t before[64];
	int count = getgroups(G_N_ELEMENTS(before), before);

	if (!become_sudo())
		return;
	g_assert_cmpint(setgroups(1, groups), ==, 0);
	g_assert_cmpint(chown(f->dir, 0, groups[0]), ==, 0);
	g_assert_cmpint(chmod(f->dir, 0770), ==, 0);
	expect_refused(f->path, "Permission denied (with the rights of user 54321, who called sudo)");
	g_assert_cmpint(setgroups(count, before), ==, 0);
}

/* The next file of a recording goes where the first one is; only there is an old one removed. */
static void files_stay_in_one_folder(Fixture *f, gconstpointer unused)
{
	g_autofree char *folder = g_build_filename(f->dir, "folder", NULL);
	g_autofree char *moved = g_build_filename(f->dir, "moved", NULL);
	g_autofree char *victim = g_build_filename(f->dir, "victim", NULL);
	static const char *const names[] = { "first", "second" };
	char *path[2], *kept[2], *made[2];

	g_assert_cmpint(g_mkdir(folder, 0755), ==, 0);
	g_assert_cmpint(g_mkdir(victim, 0755), ==, 0);
	for (guint i = 0; i < 2; i++) {
		path[i] = g_build_filename(folder, names[i], NULL);
		kept[i] = g_build_filename(victim, names[i], NULL);
		made[i] = g_build_filename(moved, names[i], NULL);
		write_file(kept[i], OWN, 0600);
	}
	g_assert_true(outfile_stay(path[0], NULL));
	g_assert_cmpint(close(outfile_create(path[0], &kind, NULL)), ==, 0);
	g_assert_cmpint(g_rename(folder, moved), ==, 0);
	g_assert_cmpint(symlink("victim", folder), ==, 0);
	g_assert_cmpint(close(outfile_create(path[1], &kind, NULL)), ==, 0);
	g_assert_cmpint(outfile_drop(path[0]), ==, 0);
	outfile_leave();
	for (guint i = 0; i < 2; i++) {
		g_autofree char *text = NULL;

		g_assert_true(g_file_get_contents(kept[i], &text, NULL, NULL));
		g_assert_cmpstr(text, ==, OWN);
		g_assert_cmpint(g_remove(made[i]), ==, i ? 0 : -1);
	}
	g_assert_cmpint(outfile_drop(path[0]), ==, 0); /* the name counts again */
	g_assert_cmpint(g_remove(kept[1]), ==, 0);
	g_assert_cmpint(g_remove(folder), ==, 0);
	g_assert_cmpint(g_rmdir(victim), ==, 0);
	g_assert_cmpint(g_rmdir(moved), ==, 0);
	for (guint i = 0; i < 2; i++) {
		g_free(path[i]);
		g_free(kept[i]);
		g_free(made[i]);
	}
}

/* Root may follow /proc/PID/cwd into a folder below one that the user can't enter. */
static void no_process_leads_into_a_closed_folder(Fixture *f, gconstpointer unused)
{
	g_autofree char *open_dir = g_build_filename(f->dir, "open", NULL), *path = NULL;
	pid_t pid;

	if (!become_sudo())
		return;
	g_assert_cmpint(mkdir(open_dir, 0700), ==, 0);
	g_assert_cmpint(chmod(open_dir, 0777), ==, 0);
	g_assert_cmpint(chdir(open_dir), ==, 0);
	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		pause();
		_exit(0);
	}
	g_assert_cmpint(chdir("/"), ==, 0);
	path = g_strdup_printf("/proc/%d/cwd/t.kmt", pid);
	g_assert_cmpint(access(path, F_OK), <, 0);
	g_assert_cmpint(errno, ==, ENOENT);	/* root can get there */
	expect_refused(path, "Permission denied (with the rights of user 54321, who called sudo)");
	g_assert_cmpint(kill(pid, SIGKILL), ==, 0);
	g_assert_cmpint(waitpid(pid, NULL, 0), ==, pid);
	g_assert_cmpint(g_rmdir(open_dir), ==, 0);
}

static void file_without_sudo_belongs_to_root(Fixture *f, gconstpointer unused)
{
	static const char *const roots[] = { "0", NULL };

	if (!become_sudo())
		return;
	for (guint i = 0; i < G_N_ELEMENTS(roots); i++) {
		g_autofree char *text = NULL;

		if (roots[i])
			g_setenv("SUDO_UID", roots[i], TRUE);
		else
			g_unsetenv("SUDO_UID");
		text = sudo_user_describe();
		g_assert_cmpstr(text, ==, "");
		expect_written(f->path, 0, 0);
	}
}

/* The file must not be written with the rights of root. */
static void invalid_sudo_uid_never_writes_as_root(Fixture *f, gconstpointer unused)
{
	static const char *const strange[] = {
		"", "-1", "12x", "4294967295", "4294967294", "2147483648",
	};

	if (!become_sudo())
		return;
	for (guint i = 0; i < G_N_ELEMENTS(strange); i++) {
		g_setenv("SUDO_UID", strange[i], TRUE);
		g_assert_cmpint(outfile_create(f->path, &kind, NULL), <, 0);
		g_assert_false(g_file_test(f->path, G_FILE_TEST_EXISTS));
	}
}

/* Out of memory: unfinished files are removed, finished ones stay. */
static void abandon_removes_unfinished_files_only(Fixture *f, gconstpointer unused)
{
	g_autofree char *whole = NULL, *dropped = NULL, *begun = NULL;
	g_autofree char *part = g_strconcat(f->path, ".part", NULL);

	close(outfile_begin(f->path, &kind, &whole, NULL));
	g_assert_true(outfile_finish(whole, f->path, &kind, NULL));
	close(outfile_begin(f->other, &kind, &dropped, NULL));
	g_assert_cmpint(outfile_drop(dropped), ==, 0);
	g_assert_cmpint(link(f->path, dropped), ==, 0);	/* belongs to somebody else by now */
	close(outfile_begin(f->other, &kind, &begun, NULL));
	close(outfile_create_part(part, &kind, NULL));
	outfile_abandon();
	g_assert_true(g_file_test(part, G_FILE_TEST_EXISTS));
	g_assert_cmpint(outfile_drop(part), ==, 0);
	g_assert_false(g_file_test(begun, G_FILE_TEST_EXISTS));
	g_assert_true(g_file_test(f->path, G_FILE_TEST_EXISTS));
	g_assert_cmpint(g_remove(dropped), ==, 0);
}

/* The process still dies of the same signal. */
static void signals_remove_unfinished_files(Fixture *f, gconstpointer unused)
{
	for (guint i = 0; i < ENDED_SIGNALS; i++) {
		pid_t pid = fork();
		char *beside = NULL;
		int status;

		if (!pid) {
			signal(ended_signals[i], SIG_DFL);
			exit_cleanup_watch();
			if (outfile_begin(f->path, &kind, &beside, NULL) >= 0)
				raise(ended_signals[i]);
			_exit(1);
		}
		g_assert_cmpint(waitpid(pid, &status, 0), ==, pid);
		g_assert_true(WIFSIGNALED(status));
		g_assert_cmpint(WTERMSIG(status), ==, ended_signals[i]);
	}	/* teardown() checks that nothing is left */
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
#define ADD(test) g_test_add("/outfile/" #test, Fixture, NULL, setup, test, teardown)
	ADD(own_and_empty_files_are_replaced);
	ADD(other_files_are_not_replaced);
	ADD(missing_folder_is_an_error);
	ADD(links_are_not_followed);
	ADD(name_is_checked_again_at_the_end);
	ADD(folder_may_not_be_exchanged);
	ADD(files_stay_in_one_folder);
	ADD(file_under_sudo_belongs_to_the_user);
	ADD(file_under_sudo_needs_rights_of_the_user);
	ADD(rights_of_root_are_restored);
	ADD(file_under_doas_or_pkexec_needs_rights_of_the_user);
	ADD(two_callers_are_nobody);
	ADD(groups_of_root_give_no_rights);
	ADD(no_process_leads_into_a_closed_folder);
	ADD(file_without_sudo_belongs_to_root);
	ADD(invalid_sudo_uid_never_writes_as_root);
	ADD(abandon_removes_unfinished_files_only);
	ADD(signals_remove_unfinished_files);
	return g_test_run();
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The command of a recording: its start, and its OOM score. The recorder is killed last, if it has
 * the privilege to request that; its command as usual.
 */
#include <fcntl.h>
#include <glib.h>
#include <linux/capability.h>
#include <linux/ioprio.h>
#include <linux/keyctl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "capture/process/oom.h"
#include "capture/process/workload.h"

static char *score(void)
{
	char *text = NULL;

	g_assert_true(g_file_get_contents("/proc/self/oom_score_adj", &text, NULL, NULL));
	return text;
}

static void oom_score_is_lowered_and_restored(void)
{
	g_autofree char *before = score(), *during = NULL, *after = NULL;

	oom_protect();
	during = score();
	oom_release();
	after = score();
	/* Lowering it needs a privilege that the test may lack, even as root. */
	if (strcmp(during, before) != 0)
		g_assert_cmpstr(during, ==, "-999\n");
	else
		g_test_message("the score can't be lowered here");
	g_assert_cmpstr(after, ==, before);
}

static void command_keeps_the_oom_score(void)
{
	char *const argv[] = { (char *)"cat", (char *)"/proc/self/oom_score_adj", NULL };
	g_autofree char *before = score();
	GError *error = NULL;
	Workload workload = { 0 };
	char text[32] = "";
	int fds[2], status;
	ssize_t len;

	g_assert_cmpint(pipe(fds), ==, 0);
	oom_protect();
	g_assert_true(workload_prepare(&workload, argv, NULL, fds[1], &error));
	g_assert_no_error(error);
	close(fds[1]);
	workload_go(&workload);
	len = read(fds[0], text, sizeof(text) - 1);
	g_assert_cmpint(len, >, 0);
	g_assert_cmpstr(text, ==, before);
	close(fds[0]);
	while (!workload_has_ended(&workload, &status))
		g_usleep(1000);
	oom_release();
}

/* With --user, another user may send it signals. */
static void stopped_child_blocks_nothing(void)
{
	char *const argv[] = { (char *)"true", NULL };
	g_autofree char *path = NULL;
	GError *error = NULL;
	Workload workload = { 0 };
	int kept = open("/dev/null", O_RDONLY), closed = open("/dev/null", O_RDONLY | O_CLOEXEC);
	int status;

	g_assert_true(workload_prepare(&workload, argv, NULL, STDOUT_FILENO, &error));
	g_assert_no_error(error);
	path = g_strdup_printf("/proc/%d/fd/%d", workload.pid, closed);
	while (g_file_test(path, G_FILE_TEST_IS_SYMLINK))
		g_usleep(1000);
	g_free(path);
	path = g_strdup_printf("/proc/%d/fd/%d", workload.pid, kept);
	g_assert_true(g_file_test(path, G_FILE_TEST_IS_SYMLINK));
	g_assert_cmpint(kill(workload.pid, SIGSTOP), ==, 0);
	workload_go(&workload);	/* returns */
	g_assert_false(workload_has_ended(&workload, &status));
	g_assert_cmpint(kill(workload.pid, SIGCONT), ==, 0);
	while (!workload_has_ended(&workload, &status))
		g_usleep(1000);
	g_assert_true(workload_check(&workload, argv[0], &error));
	g_assert_cmpint(status, ==, 0);
	close(kept);
	close(closed);
}

/* A command that runs as nobody, and the pipe with its output. */
typedef struct {
	Workload workload;
	int output;
} Nobody;

static void nobody_prepare(Nobody *nobody, char *const *argv)
{
	GError *error = NULL;
	int fds[2];

	nobody->workload = (Workload){ 0 };
	g_assert_cmpint(pipe(fds), ==, 0);
	g_assert_true(workload_prepare(&nobody->workload, argv, "nobody", fds[1], &error));
	g_assert_no_error(error);
	close(fds[1]);
	nobody->output = fds[0];
}

/* Everything that it writes until it ends; for g_free(). */
static char *nobody_run(Nobody *nobody)
{
	GString *text = g_string_new(NULL);
	char bytes[512];
	ssize_t len;
	int status;

	workload_go(&nobody->workload);
	while ((len = read(nobody->output, bytes, sizeof(bytes))) > 0)
		g_string_append_len(text, bytes, len);
	close(nobody->output);
	while (!workload_has_ended(&nobody->workload, &status))
		g_usleep(1000);
	return g_string_free(text, FALSE);
}

static void command_of_other_user_has_its_own_session(void)
{
	char *const argv[] = { (char *)"cat", (char *)"/proc/self/stat", NULL };
	g_autofree char *text = NULL;
	int pid, group, session;
	Nobody nobody;

	if (geteuid()) {
		g_test_skip("only root can change its user");
		return;
	}
	nobody_prepare(&nobody, argv);
	text = nobody_run(&nobody);
	g_assert_cmpint(sscanf(text, "%d (cat) %*c %*d %d %d", &pid, &group, &session), ==, 3);
	g_assert_cmpint(session, ==, pid);
}

/* Root's session keyring has tickets, disk passphrases. */
static void other_user_has_no_keys_of_root(void)
{
	char *const argv[] = { (char *)"sh", (char *)"-c", (char *)"grep -c kmt-test-secret /proc/keys", NULL };
	g_autofree char *text = NULL;
	Nobody nobody;

	if (geteuid() || syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL) < 0 ||
	    syscall(SYS_add_key, "user", "kmt-test-secret", "x", 1, KEY_SPEC_SESSION_KEYRING) < 0) {
		g_test_skip("no keyrings here, or not root");
		return;
	}
	nobody_prepare(&nobody, argv);
	text = nobody_run(&nobody);
	g_assert_cmpstr(text, ==, "0\n");
}

/*
 * With @terminal as its controlling terminal: runs another user's command, which leaves a process
 * behind.
 */
static void run_at_terminal(const char *terminal)
{
	char *const argv[] = { (char *)"sh", (char *)"-c", (char *)
		"for fd in 0 1 2 9; do test -t $fd && echo terminal $fd; done; echo out; echo err >&2; "
		"(trap '' PIPE; sleep 1; echo later) 2>/dev/null & exec sh -c 'read -r x; echo \"end $?\"'", NULL };
	GError *error = NULL;
	Workload workload = { 0 };
	int fd = open(terminal, O_RDWR | O_NOCTTY), status;

	for (int i = 0; i < 3; i++)
		dup2(fd, i);
	dup2(fd, 9);
	if (!workload_prepare(&workload, argv, "nobody", STDOUT_FILENO, &error))
		_exit(1);
	workload_go(&workload);
	while (!workload_has_ended(&workload, &status))
		g_usleep(1000);
	if (write(STDOUT_FILENO, "ended\n", 6) != 6)
		_exit(1);
	sleep(2);
	_exit(!WIFEXITED(status) || WEXITSTATUS(status));
}

/*
 * With a descriptor of the terminal, processes that the command leaves behind could read later
 * input.
 */
static void other_user_gets_no_terminal(void)
{
	int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC), status;
	g_autoptr(GString) shown = g_string_new(NULL);
	struct termios modes;
	char bytes[512];
	ssize_t len;
	pid_t pid;

	if (geteuid()) {
		g_test_skip("only root can change its user");
		return;
	}
	g_assert_cmpint(grantpt(master), ==, 0);
	g_assert_cmpint(unlockpt(master), ==, 0);
	g_assert_cmpint(tcgetattr(master, &modes), ==, 0);
	modes.c_lflag &= ~ECHO;
	g_assert_cmpint(tcsetattr(master, TCSANOW, &modes), ==, 0);
	g_assert_cmpint(write(master, "typed\n", 6), ==, 6);
	pid = fork();
	if (!pid)
		run_at_terminal(ptsname(master));
	/* It ends with EIO when no process has the terminal open any more. */
	while ((len = read(master, bytes, sizeof(bytes))) > 0)
		g_string_append_len(shown, bytes, len);
	g_assert_cmpint(waitpid(pid, &status, 0), ==, pid);
	g_assert_cmpint(status, ==, 0);
	g_assert_cmpstr(shown->str, ==, "out\r\nerr\r\nend 1\r\nended\r\n");
	close(master);
}

/* Root's groups, and a negative nice value (field 19). */
static void other_user_gets_neither_groups_nor_nice_value_of_root(void)
{
	char *const argv[] = { (char *)"sh", (char *)"-c",
			       (char *)"id -G; cut -d ' ' -f 19 /proc/$$/stat", NULL };
	g_autofree char *text = NULL;
	int before = getpriority(PRIO_PROCESS, 0);
	Nobody nobody;

	if (geteuid() || setpriority(PRIO_PROCESS, 0, -5)) {
		g_test_skip("only root can change its user, and some machines allow no priority");
		return;
	}
	nobody_prepare(&nobody, argv);
	g_assert_cmpint(setpriority(PRIO_PROCESS, 0, before), ==, 0);
	text = nobody_run(&nobody);
	g_assert_cmpstr(text, ==, "65534\n0\n");
}

/* A descriptor, an inheritable capability, the nice value (field 19) and the policy (41). */
static void other_user_gets_no_privileges_of_root(void)
{
	char *const argv[] = { (char *)"sh", (char *)"-c",
			       (char *)"ls /proc/self/fd | grep -cx 77; grep CapInh /proc/self/status; "
				       "cut -d ' ' -f 19,41 /proc/$$/stat", NULL };
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct caps[2], more[2];
	const struct sched_param first = { .sched_priority = 1 };
	struct sched_param normal = { 0 };
	g_autofree char *text = NULL, *expected = NULL;
	Nobody nobody;

	if (geteuid() || syscall(SYS_capget, &header, caps) ||
	    sched_setscheduler(0, SCHED_FIFO, &first)) {
		g_test_skip("only root can change its user, and some machines allow no real time");
		return;
	}
	g_assert_cmpint(dup2(STDERR_FILENO, 77), ==, 77);
	more[0] = caps[0];
	more[1] = caps[1];
	more[0].inheritable |= 1U << CAP_CHOWN;
	g_assert_cmpint(syscall(SYS_capset, &header, more), ==, 0);
	nobody_prepare(&nobody, argv);
	g_assert_cmpint(sched_setscheduler(0, SCHED_OTHER, &normal), ==, 0);
	g_assert_cmpint(syscall(SYS_capset, &header, caps), ==, 0);
	close(77);
	text = nobody_run(&nobody);
	/* The tests may run with lower priority. */
	expected = g_strdup_printf("0\nCapInh:\t0000000000000000\n%d 0\n",
				   MAX(getpriority(PRIO_PROCESS, 0), 0));
	g_assert_cmpstr(text, ==, expected);
}

static gboolean set_score(const char *text)
{
	FILE *file = fopen("/proc/self/oom_score_adj", "w");

	return file && fputs(text, file) >= 0 && fclose(file) == 0;
}

/* Root's real-time I/O class, and its protection from the OOM killer. */
static void other_user_gets_no_precedence_of_root(void)
{
	char *const argv[] = { (char *)"sh", (char *)"-c",
			       (char *)"ionice; cat /proc/self/oom_score_adj", NULL };
	const int first = IOPRIO_PRIO_VALUE(IOPRIO_CLASS_RT, 0);
	g_autofree char *before = score(), *text = NULL, *expected = NULL;
	gboolean is_protected;
	Nobody nobody;

	if (geteuid() || syscall(SYS_ioprio_set, IOPRIO_WHO_PROCESS, 0, first)) {
		g_test_skip("only root can change its user, and some machines allow no real time");
		return;
	}
	is_protected = set_score("-500\n");
	nobody_prepare(&nobody, argv);
	g_assert_cmpint(syscall(SYS_ioprio_set, IOPRIO_WHO_PROCESS, 0, 0), ==, 0);
	g_assert_true(!is_protected || set_score(before));
	text = nobody_run(&nobody);
	expected = g_strconcat("none: prio 0\n", is_protected ? "0\n" : before, NULL);
	g_assert_cmpstr(text, ==, expected);
}

static void missing_command_is_an_error(void)
{
	char *const argv[] = { (char *)"/nonexistent", NULL };
	GError *error = NULL;
	Workload workload = { 0 };
	int status;

	g_assert_true(workload_prepare(&workload, argv, NULL, STDOUT_FILENO, &error));
	g_assert_no_error(error);
	workload_go(&workload);
	while (!workload_has_ended(&workload, &status))
		g_usleep(1000);
	g_assert_false(workload_check(&workload, argv[0], &error));
	g_assert_nonnull(strstr(error->message, "can't run '/nonexistent'"));
	g_clear_error(&error);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/workload/oom_score_is_lowered_and_restored", oom_score_is_lowered_and_restored);
	g_test_add_func("/workload/command_keeps_the_oom_score", command_keeps_the_oom_score);
	g_test_add_func("/workload/stopped_child_blocks_nothing", stopped_child_blocks_nothing);
	g_test_add_func("/workload/command_of_other_user_has_its_own_session", command_of_other_user_has_its_own_session);
	g_test_add_func("/workload/other_user_has_no_keys_of_root", other_user_has_no_keys_of_root);
	g_test_add_func("/workload/other_user_gets_no_terminal", other_user_gets_no_terminal);
	g_test_add_func("/workload/other_user_gets_no_privileges_of_root", other_user_gets_no_privileges_of_root);
	g_test_add_func("/workload/other_user_gets_neither_groups_nor_nice_value_of_root",
			other_user_gets_neither_groups_nor_nice_value_of_root);
	g_test_add_func("/workload/other_user_gets_no_precedence_of_root", other_user_gets_no_precedence_of_root);
	g_test_add_func("/workload/missing_command_is_an_error", missing_command_is_an_error);
	return g_test_run();
}

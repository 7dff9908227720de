// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The pager is in the terminal's foreground process group, as is this process, which exits after
 * it: so the pager keeps the terminal, and restores its settings even after Ctrl-C.
 */
#include "base/pager.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/message.h"
#include "base/sudo_user.h"

#define LESS_DEFAULT "FRX" /* quit if it fits the screen, colours, leave the output on the screen */

static struct {
	volatile pid_t pid; /* 0: none */
	gboolean has_stderr;
} state;

/* ---- the command ---- */

static gboolean is_privileged(void)
{
	return sudo_user_is_other() || geteuid() != getuid() || getegid() != getgid();
}

/* Returns FALSE if the program is not in PATH. Shell syntax is not checked. */
static gboolean is_there(const char *command)
{
	g_auto(GStrv) words = NULL;
	g_autofree char *path = NULL;

	if (!g_shell_parse_argv(command, NULL, &words, NULL) || strchr(words[0], '='))
		return TRUE;
	path = g_find_program_in_path(words[0]);
	return path != NULL;
}

char *pager_find(void)
{
	const char *asked = g_getenv("KMEMTRACE_PAGER") ?: g_getenv("PAGER");
	const char *command = asked ?: "less";

	if (!*command || !strcmp(command, "cat") || is_privileged())
		return NULL;
	if (is_there(command))
		return g_strdup(command);
	if (asked)
		message("can't find the pager '%s'", command);
	return NULL;
}

/* ---- the process ---- */

/* @environment is made before fork(), after which nothing may be allocated. */
static void run(const char *command, char **environment, int in, void (*prepare)(void))
{
	char *argv[] = { (char *)"sh", (char *)"-c", (char *)command, NULL };
	struct sigaction action;
	sigset_t none;

	for (int number = 1; number < NSIG; number++) {
		if (sigaction(number, NULL, &action) == 0 && action.sa_handler != SIG_IGN)
			signal(number, SIG_DFL);
	}
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	prepare();
	if (dup2(in, STDIN_FILENO) >= 0)
		execve("/bin/sh", argv, environment);
	_exit(127);
}

gboolean pager_begin(const char *command, void (*prepare)(void))
{
	g_auto(GStrv) environment = g_environ_setenv(g_get_environ(), "LESS", LESS_DEFAULT, FALSE);
	sigset_t all, before;
	int ends[2];
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC))
		return FALSE;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	pid = fork();
	if (pid == 0)
		run(command, environment, ends[0], prepare);
	if (pid > 0) {
		state.has_stderr = isatty(STDERR_FILENO);
		dup2(ends[1], STDOUT_FILENO);
		if (state.has_stderr)
			dup2(ends[1], STDERR_FILENO);
		state.pid = pid;
		signal(SIGPIPE, SIG_IGN);
	}
	/*
	 * A signal ends this process only after the pager, which exits when the last writer closes
	 * the pipe.
	 */
	close(ends[0]);
	close(ends[1]);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return pid > 0;
}

void pager_end(void)
{
	int saved = errno;

	if (!state.pid)
		return;
	close(STDOUT_FILENO);
	if (state.has_stderr)
		close(STDERR_FILENO);
	while (waitpid(state.pid, NULL, 0) < 0 && errno == EINTR)
		;
	state.pid = 0;
	errno = saved;
}

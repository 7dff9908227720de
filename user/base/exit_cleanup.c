// SPDX-License-Identifier: GPL-2.0-or-later
/* Handlers call only async-signal-safe functions. */
#include "base/exit_cleanup.h"

#include <signal.h>
#include <unistd.h>

#include "base/message.h"
#include "base/outfile.h"
#include "base/pager.h"

const int ended_signals[ENDED_SIGNALS] = {
	SIGINT,  SIGTERM, SIGHUP,    SIGQUIT, SIGUSR1, SIGUSR2,   SIGALRM,
	SIGPIPE, SIGPROF, SIGVTALRM, SIGPOLL, SIGXCPU, SIGSTKFLT, SIGPWR,
};

/* Ignores errors: there is nowhere to report them. */
static void print(const char *text, size_t len)
{
	if (write(STDERR_FILENO, text, len) < 0)
		_exit(EXIT_FAILED);
}

static void take_bus_error(int number, siginfo_t *info, void *context)
{
	static const char clear[] = "\r\033[K";
	static const char line[] =
		"kmemtrace-user: a file was truncated, or its disk failed, while it was read\n";

	(void)context;
	/* Sent by kill(), or a memory error. */
	if (info->si_code != BUS_ADRERR) {
		signal(number, SIG_DFL);
		raise(number);
		return;
	}
	outfile_abandon();
	if (message_shows_progress())
		print(clear, sizeof(clear) - 1);
	print(line, sizeof(line) - 1);
	pager_end();
	_exit(EXIT_FAILED);
}

static void take_end(int number)
{
	outfile_abandon();
	pager_end();
	signal(number, SIG_DFL);
	raise(number);
}

static void watch(int number, const struct sigaction *action)
{
	struct sigaction old;

	sigaction(number, NULL, &old);
	if (old.sa_handler != SIG_IGN)
		sigaction(number, action, NULL);
}

void exit_cleanup_watch(void)
{
	struct sigaction bus = { .sa_sigaction = take_bus_error, .sa_flags = SA_SIGINFO };
	struct sigaction end = { .sa_handler = take_end };

	watch(SIGBUS, &bus);
	for (guint i = 0; i < ENDED_SIGNALS; i++)
		watch(ended_signals[i], &end);
}

void exit_cleanup_forget(void)
{
	struct sigaction none = { .sa_handler = SIG_DFL };

	watch(SIGBUS, &none);
	for (guint i = 0; i < ENDED_SIGNALS; i++)
		watch(ended_signals[i], &none);
}

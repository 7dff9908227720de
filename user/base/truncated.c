// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The handler runs where a mapped file is accessed, so no lock of ours or of the C library is held.
 * Nevertheless it calls only what POSIX allows in a signal handler.
 */
#include "base/truncated.h"

#include <signal.h>
#include <unistd.h>

#include "base/message.h"
#include "base/outfile.h"

/* Nobody can be told where stderr can't be written. */
static void say(const char *text, size_t len)
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
	/* Sent by kill(), or memory is defective. */
	if (info->si_code != BUS_ADRERR) {
		signal(number, SIG_DFL);
		raise(number);
		return;
	}
	outfile_abandon();
	if (message_shows_progress())
		say(clear, sizeof(clear) - 1);
	say(line, sizeof(line) - 1);
	_exit(EXIT_FAILED);
}

void truncated_watch(void)
{
	struct sigaction action = { .sa_sigaction = take_bus_error, .sa_flags = SA_SIGINFO };

	sigemptyset(&action.sa_mask);
	sigaction(SIGBUS, &action, NULL);
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/signals.h"

#include <errno.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "capture/control.h"

gboolean signals_catch(Signals *signals, GError **error)
{
	sigset_t mask;

	sigemptyset(&mask);
	sigaddset(&mask, SIGINT);
	sigaddset(&mask, SIGTERM);
	sigaddset(&mask, SIGHUP);
	sigaddset(&mask, SIGQUIT);
	sigaddset(&mask, SIGCHLD);
	sigaddset(&mask, SIGUSR1);
	sigprocmask(SIG_BLOCK, &mask, &signals->old);
	signals->fd = signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK);
	if (signals->fd >= 0)
		return TRUE;
	g_set_error(error, CAPTURE_ERROR, CAPTURE_ERROR_FAILED, "can't catch signals: %s",
		    g_strerror(errno));
	return FALSE;
}

SignalsWish signals_take(const Signals *signals)
{
	SignalsWish wish = SIGNALS_NONE;
	struct signalfd_siginfo info;

	while (read(signals->fd, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo == SIGUSR1)
			wish = MAX(wish, SIGNALS_SNAPSHOT);
		else if (info.ssi_signo != SIGCHLD)
			wish = SIGNALS_END;
	}
	return wish;
}

void signals_release(Signals *signals)
{
	if (signals->fd < 0)
		return;
	close(signals->fd);
	sigprocmask(SIG_SETMASK, &signals->old, NULL);
	signals->fd = -1;
}

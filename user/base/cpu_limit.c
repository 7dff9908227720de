// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/cpu_limit.h"

#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/message.h"
#include "base/outfile.h"

#define NS_PER_SECOND G_GUINT64_CONSTANT(1000000000)

static struct {
	pid_t owner; /* of the timer, which a child does not inherit; 0: not created yet */
	gboolean has_timer;
	timer_t timer;
	const char *volatile line;
} state;

static void take_signal(int number)
{
	const char *line = state.line;

	(void)number;
	if (!line) /* sent by kill() */
		return;
	outfile_abandon();
	if (message_shows_progress() && write(STDERR_FILENO, "\r\033[K", 4) < 0)
		_exit(EXIT_FAILED);
	if (write(STDERR_FILENO, line, strlen(line)) < 0)
		_exit(EXIT_FAILED);
	_exit(EXIT_FAILED);
}

static void make_timer(void)
{
	struct sigaction action = { .sa_handler = take_signal, .sa_flags = SA_RESTART };
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL };

	state.owner = getpid();
	event.sigev_signo = SIGRTMIN;
	state.has_timer = sigaction(SIGRTMIN, &action, NULL) == 0 &&
			  timer_create(CLOCK_PROCESS_CPUTIME_ID, &event, &state.timer) == 0;
}

/* A value of 0 would disarm the timer. */
void cpu_limit_enter(const CpuLimit *limit)
{
	guint64 left_ns = MAX(limit->left_ns, 1);
	struct itimerspec value = { .it_value = { .tv_sec = left_ns / NS_PER_SECOND,
						  .tv_nsec = left_ns % NS_PER_SECOND } };

	if (state.owner != getpid())
		make_timer();
	state.line = limit->line;
	if (state.has_timer)
		timer_settime(state.timer, 0, &value, NULL);
}

void cpu_limit_leave(CpuLimit *limit)
{
	struct itimerspec none = { 0 }, left = { 0 };

	if (state.has_timer && timer_settime(state.timer, 0, &none, &left) == 0)
		limit->left_ns =
			left.it_value.tv_sec * NS_PER_SECOND + (guint64)left.it_value.tv_nsec;
	state.line = NULL;
}

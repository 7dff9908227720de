// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * starve ALLOCATORS HOGS CPU: processes of the policy SCHED_IDLE that allocate and free memory, and
 * then others that leave them no time to run, all on one CPU. Prints a line when all are started.
 */
#include <err.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

#define LEAD 4 /* seconds, in which the first processes are preempted everywhere */

static void allocate(void)
{
	struct sched_param param = { 0 };
	int ends[2];

	if (sched_setscheduler(0, SCHED_IDLE, &param))
		err(1, "sched_setscheduler");
	for (;;) {
		if (pipe(ends))
			err(1, "pipe");
		close(ends[0]);
		close(ends[1]);
	}
}

static void spin(void)
{
	for (;;)
		;
}

static void start(int count, void (*run)(void))
{
	while (count--) {
		if (fork())
			continue;
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		run();
	}
}

int main(int argc, char **argv)
{
	cpu_set_t cpus;

	if (argc != 4)
		errx(1, "usage: starve ALLOCATORS HOGS CPU");
	CPU_ZERO(&cpus);
	CPU_SET(atoi(argv[3]), &cpus);
	if (sched_setaffinity(0, sizeof(cpus), &cpus))
		err(1, "sched_setaffinity");
	start(atoi(argv[1]), allocate);
	sleep(LEAD);
	start(atoi(argv[2]), spin);
	puts("started");
	fflush(stdout);
	pause();
	return 0;
}

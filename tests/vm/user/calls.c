// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Makes the kernel allocate through known calls, for tests of user stacks:
 *
 * 	calls LIBRARY OTHER [WORK]
 *
 * The two libraries are loaded at the same address one after the other: they have the same size,
 * and the first is unloaded before the second is loaded. WORK "child" is how it starts itself as a
 * child; with "wait" it waits for SIGUSR1 before it works; with "stay" it works at each SIGUSR1
 * until SIGTERM.
 */
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "calls.h"
#include "system_call.h"

#define KNOWN	static __attribute__((noinline, noclone))

/* Like those of the C library, it has no frame of its own. */
KNOWN long call_kernel(long number, long a, long b, long c, long d)
{
	return system_call(number, a, b, c, d);
}

#define AFTER()	__asm__ volatile("")	/* prevents tail calls */

KNOWN void make_sockets(void)
{
	int pair[2];

	call_kernel(SYS_socketpair, AF_UNIX, SOCK_STREAM, 0, (long)pair);
	close(pair[0]);
	close(pair[1]);
	AFTER();
}

KNOWN void make_pipe(void)
{
	int pair[2];

	call_kernel(SYS_pipe2, (long)pair, 0, 0, 0);
	close(pair[0]);
	close(pair[1]);
	AFTER();
}

KNOWN void outer_one(void)
{
	make_sockets();
	AFTER();
}

KNOWN void outer_two(void)
{
	make_pipe();
	AFTER();
}

/* Has a frame of its own. */
KNOWN void make_framed_pipe(void)
{
	int pair[2];
	if (system_call(SYS_pipe2, (long)pair, 0, 0, 0) == 0) {
		close(pair[0]);
		close(pair[1]);
	}
}

/* Through the C library. */
KNOWN void make_library_sockets(void)
{
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0) {
		close(pair[0]);
		close(pair[1]);
	}
}

KNOWN void outer_three(void)
{
	make_framed_pipe();
	make_library_sockets();
	AFTER();
}

KNOWN void use_library(const char *path, const char *name)
{
	void *library = dlopen(path, RTLD_NOW);
	void (*work)(kernel_caller *call) = NULL;

	if (library)
		*(void **)&work = dlsym(library, name);
	if (!work) {
		fprintf(stderr, "calls: %s\n", dlerror());
		exit(1);
	}
	work(call_kernel);
	printf("%s at %p\n", name, *(void **)&work);
	dlclose(library);
	AFTER();
}

KNOWN void in_the_fork(void)
{
	make_pipe();
	AFTER();
}

KNOWN void in_the_child(void)
{
	make_sockets();
	AFTER();
}

KNOWN void wait_for_signal(void)
{
	sigset_t set;
	int got;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	sigwait(&set, &got);
}

int main(int argc, char **argv)
{
	if (argc == 4 && strcmp(argv[3], "child") == 0) {
		in_the_child();
		return 0;
	}
	if (argc == 4) {
		do {
			wait_for_signal();
			outer_two();
		} while (strcmp(argv[3], "stay") == 0);
		return 0;
	}
	if (argc != 3)
		return 2;
	outer_one();
	outer_two();
	outer_three();
	use_library(argv[1], "library_one");
	use_library(argv[2], "library_two");
	fflush(stdout);
	if (fork() == 0) {
		in_the_fork();
		execl(argv[0], argv[0], argv[1], argv[2], "child", NULL);
		_exit(1);
	}
	wait(NULL);
	return 0;
}

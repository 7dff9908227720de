// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One of two programs that differ only in the name of a function and in their build IDs: FUNCTION
 * has the same length and address in both; the files have the same size. It creates sockets 20
 * times.
 *
 *	again	runs it in a second mapping of the code, which becomes executable later
 *	wait	waits for SIGUSR1 first
 */
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "system_call.h"

static __attribute__((noinline)) long call(long number, long a, long b, long c, void *d)
{
	return system_call(number, a, b, c, (long)d);
}

#define TEXT_OF(name) #name
#define TEXT(name)    TEXT_OF(name)

/* Data, as a build ID is not of symbols. */
__attribute__((used)) static const char text[] = TEXT(FUNCTION);

__attribute__((noinline)) int FUNCTION(void);

int FUNCTION(void)
{
	int ends[2];

	if (call(SYS_socketpair, AF_UNIX, SOCK_STREAM, 0, ends))
		return 1;
	call(SYS_close, ends[0], 0, 0, NULL);
	call(SYS_close, ends[1], 0, 0, NULL);
	return 0;
}

extern const char __ehdr_start[], __etext[];

/* FUNCTION() in a mapping of the file from its start to the end of its code; NULL: an error. */
static int (*map_again(void))(void)
{
	size_t length = __etext - __ehdr_start;
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	char *start = mmap(NULL, length, PROT_READ, MAP_PRIVATE, fd, 0);

	if (start == MAP_FAILED || mprotect(start, length, PROT_READ | PROT_EXEC))
		return NULL;
	return (int (*)(void))(start + ((const char *)FUNCTION - __ehdr_start));
}

static void wait_for_signal(void)
{
	sigset_t wanted;
	int number;

	sigemptyset(&wanted);
	sigaddset(&wanted, SIGUSR1);
	sigprocmask(SIG_BLOCK, &wanted, NULL);
	sigwait(&wanted, &number);
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";
	int (*function)(void) = strcmp(how, "again") ? FUNCTION : map_again();

	if (!strcmp(how, "wait"))
		wait_for_signal();
	for (int i = 0; i < 20; i++) {
		if (!function || function())
			return 1;
	}
	return 0;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * heap WAY: maps its own code into its heap, removes it, and has other code create sockets at the
 * address where never_called() was. No event reports that code, as an existing mapping is expanded
 * to this address.
 *
 * WAY is how it is removed: brk; brk32, the system call of 32-bit programs; munmap; mremap, which
 * moves it; replace, an mremap() of the other code to its address; dontfork, a fork() that leaves
 * it out; noexec, the same when it is no longer executable; or shared, by a process that shares the
 * memory, which first writes a line and waits for one. With "late" it is mapped only after fork()
 * has copied the memory, and is in the parent alone.
 */
#include <elf.h>
#include <err.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAGE 4096UL

typedef long (*system_call)(long number, long a, long b, long c, void *d);

extern const char __ehdr_start[];

__attribute__((noinline)) void never_called(void);

/* Longer than the code below. */
void never_called(void)
{
	__asm__ volatile(".skip 64, 0x90");
}

/* mov rax, rdi; mov rdi, rsi; mov rsi, rdx; mov rdx, rcx; mov r10, r8; syscall; ret */
static const unsigned char code[] = { 0x48, 0x89, 0xf8, 0x48, 0x89, 0xf7, 0x48, 0x89, 0xd6,
				      0x48, 0x89, 0xca, 0x4d, 0x89, 0xc2, 0x0f, 0x05, 0xc3 };

static char *set_heap_end(char *end)
{
	return (char *)syscall(SYS_brk, end);
}

/* As a 32-bit program does; @end is below 4 GiB. */
static char *set_heap_end_32(char *end)
{
	long ret;

	__asm__ volatile("int $0x80"
			 : "=a"(ret)
			 : "0"(45L), "b"(end)
			 : "memory", "r8", "r9", "r10", "r11");
	return (char *)(ret & 0xffffffff);
}

/* @at: NULL: anywhere. */
static char *map(char *at, int protection)
{
	const int flags = MAP_PRIVATE | MAP_ANONYMOUS | (at ? MAP_FIXED : 0);
	char *start = mmap(at, PAGE, protection, flags, -1, 0);

	if (start == MAP_FAILED)
		err(1, "mmap");
	return start;
}

static void move(char *from, char *to)
{
	if (mremap(from, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, to) != to)
		err(1, "mremap");
}

static void map_own_code(char *page)
{
	unsigned long offset = (unsigned long)never_called - (unsigned long)__ehdr_start;
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	if (mmap(page, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, fd,
		 (off_t)(offset & -PAGE)) != page)
		err(1, "mmap");
	close(fd);
}

/* Continues in the child; the parent exits as the child does. */
static void become(pid_t child)
{
	int status;

	if (child < 0)
		err(1, "fork");
	if (!child)
		return;
	if (waitpid(child, &status, 0) != child)
		err(1, "waitpid");
	_exit(!WIFEXITED(status) || WEXITSTATUS(status));
}

/* ---- late: fork() sleeps where it stores the pidfd, after it has copied the memory ---- */

struct late {
	int faults; /* of userfaultfd */
	char *page;
};

static void *map_at_fault(void *data)
{
	const struct late *late = data;
	struct uffdio_zeropage zero = { .range.len = PAGE };
	struct uffd_msg fault;

	if (read(late->faults, &fault, sizeof(fault)) != sizeof(fault))
		err(1, "userfaultfd");
	map_own_code(late->page);
	zero.range.start = fault.arg.pagefault.address & -PAGE;
	if (ioctl(late->faults, UFFDIO_ZEROPAGE, &zero))
		err(1, "UFFDIO_ZEROPAGE");
	return NULL;
}

static void fork_and_map(char *page)
{
	struct late late = { (int)syscall(SYS_userfaultfd, O_CLOEXEC), page };
	char *pidfd = map(NULL, PROT_READ | PROT_WRITE);
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register range = { .range = { (uintptr_t)pidfd, PAGE },
					 .mode = UFFDIO_REGISTER_MODE_MISSING };
	struct clone_args args = { .flags = CLONE_PIDFD,
				   .pidfd = (uintptr_t)pidfd,
				   .exit_signal = SIGCHLD };
	pthread_t thread;

	map(page, PROT_READ | PROT_WRITE | PROT_EXEC);
	if (late.faults < 0 || ioctl(late.faults, UFFDIO_API, &api) ||
	    ioctl(late.faults, UFFDIO_REGISTER, &range))
		err(1, "userfaultfd");
	if (pthread_create(&thread, NULL, map_at_fault, &late))
		errx(1, "pthread_create");
	become((pid_t)syscall(SYS_clone3, &args, sizeof(args)));
}

/* ---- shared: another process with the same memory ---- */

struct shared {
	char *heap, *page;
};

static int other_process(void *data)
{
	const struct shared *shared = data;

	if (getchar() == EOF || munmap(shared->page, PAGE) ||
	    mremap(shared->heap, PAGE, 2 * PAGE, 0) != shared->heap)
		_exit(1);
	_exit(0);
}

static void let_other_process_take_away(char *heap, char *page)
{
	static char stack[64 << 10] __attribute__((aligned(16)));
	struct shared shared = { heap, page };
	int status;
	pid_t pid = clone(other_process, stack + sizeof(stack), CLONE_VM | SIGCHLD, &shared);

	if (pid < 0)
		err(1, "clone");
	puts("shared");
	fflush(stdout);
	if (waitpid(pid, &status, 0) != pid || status)
		errx(1, "the other process failed");
}

/* ---- all ways ---- */

/* @page: the last one of the heap. Returns 0 if other memory is there now. */
static int take_away(char *page, const char *way)
{
	if (strcmp(way, "brk") == 0 && set_heap_end(page) != page)
		err(1, "brk");
	if (strcmp(way, "brk32") == 0 && set_heap_end_32(page) != page)
		errx(1, "brk to %p by int 0x80", (void *)page);
	if (strcmp(way, "munmap") == 0 && munmap(page, PAGE))
		err(1, "munmap");
	if (strcmp(way, "mremap") == 0)
		move(page, map(NULL, PROT_NONE));
	if (strcmp(way, "dontfork") == 0 || strcmp(way, "noexec") == 0) {
		if (strcmp(way, "noexec") == 0 && mprotect(page, PAGE, PROT_READ))
			err(1, "mprotect");
		if (madvise(page, PAGE, MADV_DONTFORK))
			err(1, "madvise");
		become(fork());
	}
	if (strcmp(way, "replace") != 0)
		return 1;
	move(map(NULL, PROT_READ | PROT_WRITE | PROT_EXEC), page);
	return 0;
}

static void run_at(char *at)
{
	system_call call = (system_call)at;
	int ends[2];

	memcpy(at, code, sizeof(code));
	for (int i = 0; i < 20; i++) {
		if (call(SYS_socketpair, AF_UNIX, SOCK_STREAM, 0, ends))
			errx(1, "socketpair");
		close(ends[0]);
		close(ends[1]);
	}
}

int main(int argc, char **argv)
{
	char *heap = (char *)(((unsigned long)set_heap_end(NULL) + 2 * PAGE) & -PAGE);
	char *page = heap + PAGE;

	if (argc != 2)
		errx(1, "usage: heap brk|brk32|munmap|mremap|replace|dontfork|noexec|late|shared");
	if (set_heap_end(page + PAGE) != page + PAGE)
		err(1, "brk");
	map(heap, PROT_READ | PROT_WRITE | PROT_EXEC);
	if (strcmp(argv[1], "late") == 0) {
		fork_and_map(page);
	} else {
		map_own_code(page);
		if (strcmp(argv[1], "shared") == 0)
			let_other_process_take_away(heap, page);
		else if (take_away(page, argv[1]) && mremap(heap, PAGE, 2 * PAGE, 0) != heap)
			err(1, "mremap");
	}
	run_at(page + (unsigned long)never_called % PAGE + 8);
	return 0;
}

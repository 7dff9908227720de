// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * heap WAY: maps its own code into its heap, takes it away, and has other code make sockets at the
 * address where never_called() was. No event tells of that code: a mapping is expanded to there.
 *
 * WAY is what takes it away: brk; brk32, the system call of 32-bit programs; munmap; mremap, which
 * moves it; or replace, an mremap() of the other code to there.
 */
#include <elf.h>
#include <err.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PAGE 4096UL

typedef long (*system_call)(long number, long a, long b, long c, void *d);

extern const char __ehdr_start[];

__attribute__((noinline)) void never_called(void);

/* More of it than the code below. */
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

/* As a program of 32 bits; @end is below 4 GiB. */
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

/* @page: the last one of the heap. Returns 0 if there is other memory now. */
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
	if (strcmp(way, "replace") != 0)
		return 1;
	move(map(NULL, PROT_READ | PROT_WRITE | PROT_EXEC), page);
	return 0;
}

int main(int argc, char **argv)
{
	unsigned long offset = (unsigned long)never_called - (unsigned long)__ehdr_start;
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC), ends[2];
	char *heap = (char *)(((unsigned long)set_heap_end(NULL) + 2 * PAGE) & -PAGE);
	char *page = heap + PAGE;
	system_call call = (system_call)(page + offset % PAGE + 8);

	if (argc != 2)
		errx(1, "usage: heap brk|brk32|munmap|mremap|replace");
	if (set_heap_end(page + PAGE) != page + PAGE)
		err(1, "brk");
	map(heap, PROT_READ | PROT_WRITE | PROT_EXEC);
	if (mmap(page, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, fd,
		 (off_t)(offset & -PAGE)) != page)
		err(1, "mmap");
	if (take_away(page, argv[1]) && mremap(heap, PAGE, 2 * PAGE, 0) != heap)
		err(1, "mremap");
	memcpy((void *)call, code, sizeof(code));
	for (int i = 0; i < 20; i++) {
		if (call(SYS_socketpair, AF_UNIX, SOCK_STREAM, 0, ends))
			errx(1, "socketpair");
		close(ends[0]);
		close(ends[1]);
	}
	return 0;
}

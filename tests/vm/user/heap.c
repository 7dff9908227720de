// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Maps its own code into its heap, takes it away by brk(), and has other code make sockets at the
 * address where never_called() was.
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

int main(void)
{
	unsigned long offset = (unsigned long)never_called - (unsigned long)__ehdr_start;
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC), ends[2];
	char *heap = (char *)(((unsigned long)set_heap_end(NULL) + 2 * PAGE) & -PAGE), *mapped;
	system_call call = (system_call)(heap + offset % PAGE + 8);

	if (set_heap_end(heap + PAGE) != heap + PAGE)
		err(1, "brk");
	mapped = mmap(heap, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, fd,
		      (off_t)(offset & -PAGE));
	if (mapped != heap)
		err(1, "mmap");
	if (set_heap_end(heap) != heap || set_heap_end(heap + PAGE) != heap + PAGE)
		err(1, "brk");
	if (mprotect(heap, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC))
		err(1, "mprotect");
	memcpy((void *)call, code, sizeof(code));
	for (int i = 0; i < 20; i++) {
		if (call(SYS_socketpair, AF_UNIX, SOCK_STREAM, 0, ends))
			errx(1, "socketpair");
		close(ends[0]);
		close(ends[1]);
	}
	return 0;
}

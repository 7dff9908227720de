// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Holds memory whose page frames it knows, for tests of page migration:
 *
 * 	migrate hold FILE BYTES [NODE]
 * 	migrate move PID FROM TO
 * 	migrate pin FILE BYTES NODE
 *
 * "hold" touches BYTES in small pages, and some huge pages if the kernel provides any. It frees most
 * of the small ones, spread out, so that compaction moves the others. With NODE, all memory is on
 * that node. It writes the frames that it keeps to FILE.before, one a line, and after SIGUSR1 its
 * current frames to FILE.after. It ends at SIGTERM. "move" moves the pages of another process from
 * one node to another. "pin" touches BYTES of shared memory on NODE, frees most of it, and has a
 * pipe refer to the rest, so that compaction isolates target pages for it but can't migrate it.
 * Then it creates FILE, and ends at SIGTERM.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define PAGE		4096UL
#define HUGE_PAGE	(512 * PAGE)
#define HUGE_BYTES	(8 * HUGE_PAGE)
#define BIND		2	/* MPOL_BIND of linux/mempolicy.h, which not every system has */
#define PINNED_OF	8	/* one in so many shared pages is kept, and at most 1,024 */
#define FRAME_BITS	55	/* of an entry of pagemap; bit 63: the page is there */

static char *memory;		/* small pages, then huge ones */
static size_t small, bytes;	/* of the small ones; of all */
static uint64_t *frames;	/* of each page of the memory; 0: not present */

static void fail(const char *what)
{
	fprintf(stderr, "migrate: %s: %s\n", what, strerror(errno));
	exit(1);
}

/* In shared memory, which is not part of the held memory. */
static uint64_t *new_frames(size_t count)
{
	void *start = mmap(NULL, count * sizeof(*frames), PROT_READ | PROT_WRITE,
			   MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (start == MAP_FAILED)
		fail("mmap");
	return start;
}

static void map(long node)
{
	unsigned long mask = node < 0 ? 0 : 1UL << node;
	char *start = mmap(NULL, bytes + HUGE_PAGE, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (start == MAP_FAILED)
		fail("mmap");
	memory = (char *)(((uintptr_t)start + HUGE_PAGE - 1) & ~(HUGE_PAGE - 1));
	if (mask && syscall(SYS_mbind, memory, bytes, BIND, &mask, 8 * sizeof(mask), 0))
		fail("mbind");
	if (madvise(memory, small, MADV_NOHUGEPAGE) ||
	    madvise(memory + small, HUGE_BYTES, MADV_HUGEPAGE))
		fail("madvise");
	for (size_t i = 0; i < bytes; i += PAGE)
		memory[i] = 1;
}

static void read_frames(void)
{
	int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	size_t size = bytes / PAGE * sizeof(*frames);
	off_t offset = (off_t)((uintptr_t)memory / PAGE * sizeof(*frames));

	if (fd < 0 || pread(fd, frames, size, offset) != (ssize_t)size)
		fail("/proc/self/pagemap");
	close(fd);
	for (size_t i = 0; i < bytes / PAGE; i++)
		frames[i] = frames[i] >> 63 ? frames[i] & ((1UL << FRAME_BITS) - 1) : 0;
}

static int compare_frames(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/*
 * Keeps many at low addresses and few at high ones: compaction moves pages up, and only into partly
 * used blocks. Of these it first looks at every 32nd page, which must be free.
 */
static int is_kept(uint64_t frame, uint64_t middle)
{
	return frame % (frame < middle ? 2 : 8) == 1;
}

static void keep_some(void)
{
	size_t count = small / PAGE;
	uint64_t *sorted = new_frames(count), middle;

	read_frames();
	memcpy(sorted, frames, count * sizeof(*sorted));
	qsort(sorted, count, sizeof(*sorted), compare_frames);
	middle = sorted[count / 2];
	for (size_t i = 0; i < count; i++) {
		if (!is_kept(frames[i], middle) && madvise(memory + i * PAGE, PAGE, MADV_DONTNEED))
			fail("madvise");
	}
}

static void write_frames(const char *file, const char *suffix)
{
	char name[4096], made[sizeof(name) + 4];
	FILE *out;

	snprintf(name, sizeof(name), "%s.%s", file, suffix);
	snprintf(made, sizeof(made), "%s.new", name);
	out = fopen(made, "w");
	if (!out)
		fail(made);
	read_frames();
	for (size_t i = 0; i < bytes / PAGE; i++) {
		if (frames[i])
			fprintf(out, "%llu\n", (unsigned long long)frames[i]);
	}
	if (fclose(out) || rename(made, name))
		fail(name);
}

static int hold(const char *file, const char *size, const char *node)
{
	sigset_t signals;
	int number;

	sigemptyset(&signals);
	sigaddset(&signals, SIGUSR1);
	sigaddset(&signals, SIGTERM);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	prctl(PR_SET_NAME, "holder");
	small = strtoul(size, NULL, 10) & ~(HUGE_PAGE - 1);
	bytes = small + HUGE_BYTES;
	frames = new_frames(bytes / PAGE);
	map(node ? atol(node) : -1);
	keep_some();
	write_frames(file, "before");
	while (!sigwait(&signals, &number) && number == SIGUSR1)
		write_frames(file, "after");
	return 0;
}

static int move(const char *pid, const char *from, const char *to)
{
	unsigned long source = 1UL << atol(from), target = 1UL << atol(to);

	prctl(PR_SET_NAME, "mover");
	if (syscall(SYS_migrate_pages, atol(pid), 8 * sizeof(source), &source, &target) < 0)
		fail("migrate_pages");
	return 0;
}

/* Compaction does not even try to migrate anonymous pages with other references. */
static int pin(const char *file, const char *size, const char *node)
{
	size_t count = strtoul(size, NULL, 10) / PAGE, pinned = 0;
	struct iovec *pieces = calloc(count / PINNED_OF + 1, sizeof(*pieces));
	unsigned long mask = 1UL << atol(node);
	char *start = mmap(NULL, count * PAGE, PROT_READ | PROT_WRITE,
			   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int ends[2];

	if (!pieces || start == MAP_FAILED || pipe(ends))
		fail("pin");
	if (syscall(SYS_mbind, start, count * PAGE, BIND, &mask, 8 * sizeof(mask), 0))
		fail("mbind");
	memset(start, 1, count * PAGE);
	for (size_t i = 0; i < count; i++) {
		if (i % PINNED_OF == 1)
			pieces[pinned++] = (struct iovec){ start + i * PAGE, PAGE };
		else if (madvise(start + i * PAGE, PAGE, MADV_REMOVE))
			fail("madvise");
	}
	if (fcntl(ends[1], F_SETPIPE_SZ, pinned * PAGE) < 0 ||
	    vmsplice(ends[1], pieces, pinned, 0) != (ssize_t)(pinned * PAGE))
		fail("vmsplice");
	if (open(file, O_WRONLY | O_CREAT | O_CLOEXEC, 0644) < 0)
		fail(file);
	return pause();
}

int main(int argc, char **argv)
{
	if (argc >= 4 && !strcmp(argv[1], "hold"))
		return hold(argv[2], argv[3], argv[4]);
	if (argc == 5 && !strcmp(argv[1], "move"))
		return move(argv[2], argv[3], argv[4]);
	if (argc == 5 && !strcmp(argv[1], "pin"))
		return pin(argv[2], argv[3], argv[4]);
	fputs("usage: migrate hold FILE BYTES [NODE] | migrate move PID FROM TO |\n"
	      "       migrate pin FILE BYTES NODE\n", stderr);
	return 2;
}

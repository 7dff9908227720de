// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fuzz-files SECONDS SEED FOLDER...: processes read and write the files in the folders,
 * concurrently and in random order, with valid and invalid values. A file is written if its mode
 * allows it. Prints for each file the number of reads, writes, and writes that succeeded. Any error
 * is a valid result: the test is that calls return, and that the kernel doesn't complain.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define FILES_MAX	64
#define PROCESSES	8
#define WRITE_MAX	9000
#define LEAST_CALLS	2000	/* a slow machine may take longer than SECONDS, */
#define LATEST_S	300	/* but not longer than this */

struct file {
	char path[300];
	const char *name;
	mode_t mode;
	unsigned long reads, writes, taken;	/* taken: writes that succeeded */
};

/* The sizes are chosen so that even the largest valid combination leaves a guest enough memory. */
static const char *const values[] = {
	"0", "1", "1", "2", "3", "4", "16", "17", "32", "33", "64", "100", "4096", "8192",
	"16384", "65535", "65536", "131072", "1048576", "-1", "2147483648", "4294967295",
	"4294967296", "18446744073709551615", "18446744073709551616", "0x10", "1\n", " 1 ",
	"1 2", "", "\n", " ", ",", "Y", "n", "slab", "page", "slab page",
	"slab,page,percpu,vmalloc,frag,buddy", "buddy frag", "slab slab", "slabs", "dentry",
	"kmalloc-64", "no such cache", "%s%n%d", "\377\376", "1 1 1 1", "-5", "4194304",
	"a mark", "../..",
};

/* Valid values of the files that determine how much else happens. */
static const struct {
	const char *name;
	const char *values[3];
} often[] = {
	{ "enable", { "1", "1", "0" } },
	{ "reset", { "1", "1", "1" } },
	{ "flush", { "1", "1", "1" } },
	{ "subbufs", { "2", "8", "32" } },
	{ "subbuf_size", { "4096", "16384", "65536" } },
	{ "stack_bytes", { "65536", "262144", "1048576" } },
};

static struct file *files;	/* shared between processes, for the counts */
static unsigned int file_count;

static void add_file(const char *folder, const char *name)
{
	struct file *file = &files[file_count];
	struct stat status;

	snprintf(file->path, sizeof(file->path), "%s/%s", folder, name);
	if (file_count + 1 == FILES_MAX || stat(file->path, &status) || !S_ISREG(status.st_mode))
		return;
	file->name = strrchr(file->path, '/') + 1;
	file->mode = status.st_mode;
	file_count++;
}

static void add_folder(const char *path)
{
	DIR *folder = opendir(path);
	struct dirent *entry;

	if (!folder) {
		perror(path);
		exit(2);
	}
	while ((entry = readdir(folder)))
		add_file(path, entry->d_name);
	closedir(folder);
}

#define VALUES	(sizeof(values) / sizeof(values[0]))
#define OFTEN	(sizeof(often) / sizeof(often[0]))

/*
 * Any value, for any file: one of those above, a long one, random bytes, or the contents of another
 * file.
 */
static size_t choose_value(char *value, const struct file *file)
{
	size_t i, size = random() % 4 ? random() % 64 : random() % WRITE_MAX;
	int other;

	for (i = 0; i < OFTEN; i++) {
		if (!strcmp(file->name, often[i].name) && random() % 4)
			return sprintf(value, "%s", often[i].values[random() % 3]);
	}
	switch (random() % 12) {
	case 0:
		for (i = 0; i < size; i++)
			value[i] = (char)random();
		return size;
	case 1:
		for (i = 0; i < size; i++)
			value[i] = "1 \n,x"[random() % 5];
		return size;
	case 2:
		for (i = 0; i + 8 < size;)
			i += (size_t)sprintf(value + i, "%d ", (int)(random() % 300));
		return i;
	case 3:
		return (size_t)sprintf(value, "%d%s", getpid(), random() % 2 ? " 1" : "");
	case 4:
		other = open(files[random() % file_count].path, O_RDONLY | O_NONBLOCK);
		if (other >= 0) {
			ssize_t got = read(other, value, WRITE_MAX);

			close(other);
			return got > 0 ? (size_t)got : 0;
		}
		return 0;
	default:
		return (size_t)sprintf(value, "%s", values[random() % VALUES]);
	}
}

static void count(unsigned long *number)
{
	__atomic_add_fetch(number, 1, __ATOMIC_RELAXED);
}

static void write_file(struct file *file)
{
	char value[WRITE_MAX + 1];
	size_t size = choose_value(value, file);
	int fd = open(file->path, random() % 8 ? O_WRONLY : O_RDWR);
	ssize_t written;

	if (fd < 0)
		return;
	do {
		written = random() % 16 ? write(fd, value, size)
					: pwrite(fd, value, size, random() % 100);
		count(&file->writes);
		if (written >= 0)
			count(&file->taken);
	} while (!(random() % 8));
	close(fd);
}

/* Reads chunks of any size, at any offset. */
static void read_file(struct file *file)
{
	static char buffer[140000];
	int fd = open(file->path, O_RDONLY | O_NONBLOCK);
	int rounds = 1 + random() % 20;

	if (fd < 0)
		return;
	if (!(random() % 8))
		lseek(fd, random() % 10000, SEEK_SET);
	while (rounds--) {
		struct pollfd watch = { .fd = fd, .events = POLLIN };

		if (!(random() % 4))
			poll(&watch, 1, 0);
		count(&file->reads);
		if (read(fd, buffer, random() % 2 ? sizeof(buffer) : (size_t)random() % 5000) <= 0)
			break;
	}
	close(fd);
}

/* Streams can only be opened while there are buffers, and by one reader at a time. */
static bool enough_calls(void)
{
	unsigned long sum = 0;
	unsigned int i, untried = 0;

	for (i = 0; i < file_count; i++) {
		unsigned long of_file = __atomic_load_n(&files[i].reads, __ATOMIC_RELAXED) +
					__atomic_load_n(&files[i].writes, __ATOMIC_RELAXED);

		sum += of_file;
		untried += of_file == 0;
	}
	return sum >= LEAST_CALLS && !untried;
}

static void work(unsigned int seed, time_t end, time_t latest)
{
	srandom(seed);
	while (time(NULL) < end || (time(NULL) < latest && !enough_calls())) {
		struct file *file = &files[random() % file_count];

		if (file->mode & 0222 && (random() % 3 || !(file->mode & 0444)))
			write_file(file);
		else if (file->mode & 0444)
			read_file(file);
	}
}

int main(int argc, char **argv)
{
	unsigned int i, failed = 0;
	time_t begin;
	int status;

	if (argc < 4)
		return 2;
	files = mmap(NULL, FILES_MAX * sizeof(*files), PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	for (i = 3; i < (unsigned int)argc; i++)
		add_folder(argv[i]);
	if (!file_count)
		return 2;
	begin = time(NULL);
	for (i = 0; i < PROCESSES; i++) {
		if (fork() == 0) {
			work((unsigned int)atoi(argv[2]) * PROCESSES + i,
			     begin + atoi(argv[1]), begin + LATEST_S);
			_exit(0);
		}
	}
	while (wait(&status) > 0)
		failed += status != 0;
	for (i = 0; i < file_count; i++)
		printf("%s %lu %lu %lu\n", files[i].name, files[i].reads, files[i].writes,
		       files[i].taken);
	return failed ? 1 : 0;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A file system with one file, which any user can serve in namespaces of its own; root needs only a
 * mount namespace. Included by the programs that serve one.
 */
#ifndef TESTS_VM_USER_FUSE_H
#define TESTS_VM_USER_FUSE_H

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define DATA_MAX (1 << 17)
#define FILE_ID  2

static const char *name;                /* of the file */
static struct stat like;                /* its attributes */
static const char *content;             /* like.st_size bytes; NULL: reads are not answered */
static unsigned int first_flags, flags; /* FOPEN_ flags of the first open, and of each later one */

static void write_text(const char *path, const char *format, ...)
{
	int fd = open(path, O_WRONLY);
	va_list args;

	va_start(args, format);
	if (fd < 0 || vdprintf(fd, format, args) < 0)
		err(1, "%s", path);
	va_end(args);
	close(fd);
}

static struct fuse_attr attributes(int is_dir)
{
	struct fuse_attr attr = {
		.ino = like.st_ino,
		.size = like.st_size,
		.blocks = like.st_blocks,
		.mtime = like.st_mtim.tv_sec,
		.mtimensec = like.st_mtim.tv_nsec,
		.ctime = like.st_ctim.tv_sec,
		.ctimensec = like.st_ctim.tv_nsec,
		.mode = S_IFREG | 0755,
		.nlink = 1,
		.blksize = 4096,
	};
	const struct fuse_attr dir = { .ino = FUSE_ROOT_ID, .mode = S_IFDIR | 0755, .nlink = 1 };

	return is_dir ? dir : attr;
}

/* Returns the length of the answer in bytes, or a negative errno. */
static long answer(const struct fuse_in_header *in, const void *argument, void *data)
{
	const struct fuse_read_in *want = argument;
	struct fuse_init_out *init = data;
	struct fuse_attr_out *attr = data;
	struct fuse_entry_out *entry = data;
	struct fuse_open_out *opened = data;
	static unsigned int opens;
	long len;

	switch (in->opcode) {
	case FUSE_INIT:
		init->major = FUSE_KERNEL_VERSION;
		init->minor = 31;
		init->max_readahead = 65536;
		init->max_write = 4096;
		return sizeof(*init);
	case FUSE_GETATTR:
		attr->attr_valid = 1000;
		attr->attr = attributes(in->nodeid == FUSE_ROOT_ID);
		return sizeof(*attr);
	case FUSE_LOOKUP:
		if (strcmp(argument, name) != 0)
			return -ENOENT;
		entry->nodeid = FILE_ID;
		entry->attr_valid = entry->entry_valid = 1000;
		entry->attr = attributes(0);
		return sizeof(*entry);
	case FUSE_OPEN:
		opened->open_flags = opens++ ? flags : first_flags;
		return sizeof(*opened);
	case FUSE_READ:
		len = like.st_size - (long)want->offset;
		len = len < 0 ? 0 : len < want->size ? len : want->size;
		len = len < DATA_MAX ? len : DATA_MAX;
		memcpy(data, content + want->offset, len);
		return len;
	case FUSE_RELEASE:
	case FUSE_FLUSH:
		return 0;
	}
	return -ENOSYS;
}

static void serve(int fd)
{
	static struct {
		struct fuse_out_header header;
		char data[DATA_MAX];
	} out;
	static char request[1 << 20];
	const struct fuse_in_header *in = (const void *)request;

	while (read(fd, request, sizeof(request)) > 0 || errno == EINTR) {
		long len;

		if (in->opcode == FUSE_FORGET || in->opcode == FUSE_BATCH_FORGET ||
		    in->opcode == FUSE_INTERRUPT || (in->opcode == FUSE_READ && !content))
			continue;
		memset(&out, 0, sizeof(out));
		len = answer(in, in + 1, out.data);
		out.header.unique = in->unique;
		out.header.error = len < 0 ? len : 0;
		out.header.len = sizeof(out.header) + (len < 0 ? 0 : len);
		if (write(fd, &out, out.header.len) < 0 && errno != ENOENT)
			err(1, "/dev/fuse");
	}
	exit(0);
}

/* Mounts it at @dir, in new namespaces. Returns the server, a child. */
static pid_t mount_file(const char *dir)
{
	int uid = getuid(), gid = getgid(), fd;
	char options[64];
	pid_t server;

	if (unshare(CLONE_NEWNS | (uid ? CLONE_NEWUSER : 0)))
		err(1, "unshare");
	if (uid) {
		write_text("/proc/self/setgroups", "deny");
		write_text("/proc/self/uid_map", "0 %d 1", uid);
		write_text("/proc/self/gid_map", "0 %d 1", gid);
	}
	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL))
		err(1, "/");
	fd = open("/dev/fuse", O_RDWR | O_CLOEXEC);
	if (fd < 0)
		err(1, "/dev/fuse");
	snprintf(options, sizeof(options), "fd=%d,rootmode=40000,user_id=0,group_id=0", fd);
	if (mount("file", dir, "fuse", 0, options))
		err(1, "%s", dir);
	server = fork();
	if (server < 0)
		err(1, "fork");
	if (!server) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		serve(fd);
	}
	close(fd);
	return server;
}

/* Waits until @process sleeps in the system call @number. */
static inline void wait_until_in(pid_t process, long number)
{
	char path[32], text[256];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/syscall", (int)process);
	do {
		usleep(1000);
		file = fopen(path, "r");
		if (!file || !fgets(text, sizeof(text), file))
			err(1, "%s", path);
		fclose(file);
		if (waitpid(process, NULL, WNOHANG))
			errx(1, "process %d has ended", (int)process);
	} while (strncmp(text, "running", 7) == 0 || atol(text) != number);
}

#endif /* TESTS_VM_USER_FUSE_H */

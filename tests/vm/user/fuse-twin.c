// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fuse-twin DIR NAME [ARGUMENT…]: an attack that any user can make. In its own namespaces it mounts
 * its own file system at DIR, whose file NAME has the content, inode number, size and times of the
 * original, and executes that file.
 */
#include "fuse.h"

static void read_file(const char *path)
{
	int fd = open(path, O_RDONLY);
	char *bytes;

	if (fd < 0 || fstat(fd, &like))
		err(1, "%s", path);
	bytes = calloc(1, like.st_size);
	if (!bytes || read(fd, bytes, like.st_size) != like.st_size)
		err(1, "%s", path);
	close(fd);
	content = bytes;
}

int main(int argc, char **argv)
{
	char path[4096];
	struct stat twin;

	if (argc < 3)
		errx(1, "usage: fuse-twin DIR NAME [ARGUMENT...]");
	name = argv[2];
	snprintf(path, sizeof(path), "%s/%s", argv[1], name);
	read_file(path);
	first_flags = flags = FOPEN_KEEP_CACHE;
	mount_file(argv[1]);
	if (stat(path, &twin) || twin.st_dev == like.st_dev || twin.st_ino != like.st_ino)
		errx(1, "%s is not the twin", path);
	argv[2] = path;
	execv(path, argv + 2);
	err(1, "%s", path);
}

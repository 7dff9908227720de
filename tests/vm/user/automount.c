// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Mounts autofs at FOLDER, writes a line for each name that is looked up there, and never answers,
 * like an automounter whose server is dead.
 */
#include <err.h>
#include <linux/auto_fs.h>
#include <stdio.h>
#include <sys/mount.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	union autofs_v5_packet_union packet;
	char options[128];
	int ends[2];

	if (argc != 2)
		errx(1, "usage: automount FOLDER");
	if (pipe(ends) || setpgid(0, 0))
		err(1, "pipe");
	snprintf(options, sizeof(options), "fd=%d,pgrp=%d,minproto=5,maxproto=5,indirect", ends[1],
		 (int)getpgrp());
	if (mount("test", argv[1], "autofs", 0, options))
		err(1, "mount");
	close(ends[1]);
	puts("mounted");
	fflush(stdout);
	while (read(ends[0], &packet, sizeof(packet)) > 0) {
		printf("asked: %s\n", packet.v5_packet.name);
		fflush(stdout);
	}
	return 0;
}

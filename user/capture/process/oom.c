// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/process/oom.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define SCORE_PATH "/proc/self/oom_score_adj"
/*
 * Lower than any process that isn't protected. At -1000, if the recorder itself used up the memory,
 * there would be nothing left to kill, and the kernel would panic.
 */
#define LAST "-999\n"

static char before[16]; /* as read from the kernel; "": unchanged */

static int write_score(const char *score)
{
	int fd = open(SCORE_PATH, O_WRONLY | O_CLOEXEC);
	ssize_t len = fd < 0 ? -1 : write(fd, score, strlen(score));

	if (fd >= 0)
		close(fd);
	return len < 0 ? -1 : 0;
}

/* Returns whether the score could be read. */
static int read_score(char *score, size_t size)
{
	int fd = open(SCORE_PATH, O_RDONLY | O_CLOEXEC);
	ssize_t len = fd < 0 ? -1 : read(fd, score, size - 1);

	if (fd >= 0)
		close(fd);
	score[len > 0 ? len : 0] = 0;
	return len > 0;
}

void oom_protect(void)
{
	char score[sizeof(before)];

	if (read_score(score, sizeof(score)) && !write_score(LAST))
		strcpy(before, score);
}

void oom_release(void)
{
	if (before[0])
		write_score(before);
}

void oom_expose(void)
{
	char score[sizeof(before)];

	if (read_score(score, sizeof(score)) && score[0] == '-')
		write_score("0\n");
}

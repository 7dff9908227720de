// SPDX-License-Identifier: GPL-2.0-or-later
/* Opens and closes /dev/null 50 times a second until killed: a process that allocates. */
#include <fcntl.h>
#include <unistd.h>

#define INTERVAL_US 20000

int main(void)
{
	for (;;) {
		close(open("/dev/null", O_RDONLY));
		usleep(INTERVAL_US);
	}
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/winsize.h"

#include <sys/ioctl.h>

#define DEFAULT_COLUMNS 80
#define MOST            10000

guint winsize_columns(int fd)
{
	const char *text = g_getenv("COLUMNS");
	struct winsize size = { 0 };
	guint64 columns;

	if (ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col)
		return size.ws_col;
	if (text && g_ascii_string_to_unsigned(text, 10, 1, MOST, &columns, NULL))
		return columns;
	return DEFAULT_COLUMNS;
}

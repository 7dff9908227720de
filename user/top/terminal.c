// SPDX-License-Identifier: GPL-2.0-or-later
/* Apart from the rest of the screen: term.h has macros of common names, as "lines". */
#include "top/screen.h"

#include <curses.h>
#include <term.h>
#include <unistd.h>

#include "capture/control.h"

gboolean screen_check(GError **error)
{
	int found;

	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO)) {
		g_set_error(error, CAPTURE_ERROR, CAPTURE_ERROR_FAILED,
			    "this is no terminal: --batch prints without one");
		return FALSE;
	}
	if (setupterm(NULL, STDOUT_FILENO, &found) == OK)
		return TRUE;
	g_set_error(error, CAPTURE_ERROR, CAPTURE_ERROR_FAILED,
		    "the terminal '%s' is not known (TERM): --batch prints without one",
		    g_getenv("TERM") ? g_getenv("TERM") : "");
	return FALSE;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Separate from the rest of the screen: term.h defines macros with common names, such as "lines".
 */
#include "top/screen.h"

#include <curses.h>
#include <term.h>
#include <unistd.h>

#include "capture/tracer/control.h"

gboolean screen_check(GError **error)
{
	gboolean known;
	int found;

	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO)) {
		g_set_error(error, CAPTURE_ERROR, CAPTURE_ERROR_FAILED,
			    "not a terminal (use --batch)");
		return FALSE;
	}
	known = setupterm(NULL, STDOUT_FILENO, &found) == OK;
	if (known && cursor_address)
		return TRUE;
	g_set_error(error, CAPTURE_ERROR, CAPTURE_ERROR_FAILED,
		    "the terminal '%s' %s (TERM): --batch prints without one",
		    g_getenv("TERM") ? g_getenv("TERM") : "",
		    known ? "can't position its cursor" : "is not known");
	return FALSE;
}

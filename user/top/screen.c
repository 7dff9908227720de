// SPDX-License-Identifier: GPL-2.0-or-later
#include "top/screen.h"

#include <curses.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "capture/tracer/control.h"
#include "top/page.h"

#define ESCAPE_MS  25          /* time in which an escape may begin a key sequence */
#define SCREEN_MAX 1000        /* lines and columns: the terminal's owner sets its size */
#define REDRAW     ('L' & 037) /* Ctrl-L */

static SCREEN *screen; /* a process has one terminal */
static volatile sig_atomic_t is_resized;

static void note_size(int signal)
{
	(void)signal;
	is_resized = TRUE;
}

/* Limits the size: ncurses accepts any, for which it may lack memory. */
static void take_size(void)
{
	struct winsize size;

	is_resized = FALSE;
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row && size.ws_col)
		resizeterm(MIN(size.ws_row, SCREEN_MAX), MIN(size.ws_col, SCREEN_MAX));
}

gboolean screen_open(GError **error)
{
	const struct sigaction action = { .sa_handler = note_size };

	use_env(FALSE);
	sigaction(SIGWINCH, &action, NULL);
	screen = newterm(NULL, stdout, stdin);
	if (!screen) {
		g_set_error(error, CAPTURE_ERROR, CAPTURE_ERROR_FAILED,
			    "can't set up the terminal (use --batch)");
		return FALSE;
	}
	take_size();
	set_escdelay(ESCAPE_MS);
	cbreak();
	noecho();
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	curs_set(0);
	return TRUE;
}

void screen_close(void)
{
	if (!screen)
		return;
	endwin();
	delscreen(screen);
	screen = NULL;
}

void screen_size(guint *width, guint *height)
{
	*width = MAX(COLS, 1);
	*height = MAX(LINES, 1);
}

void screen_show(const GPtrArray *lines, guint titles)
{
	erase();
	for (guint i = 0; i < lines->len && (int)i < LINES; i++) {
		const char *line = g_ptr_array_index(lines, i);

		if (i == titles)
			attron(A_REVERSE);
		mvaddnstr(i, 0, line, COLS);
		if (i == titles) {
			for (int at = strlen(line); at < COLS; at++)
				mvaddch(i, at, ' ');
			attroff(A_REVERSE);
		}
	}
	refresh();
}

int screen_key(void)
{
	int key;

	if (is_resized) {
		take_size();
		return TOP_KEY_RESIZE;
	}
	key = getch();
	switch (key) {
	case ERR:
		return 0;
	case KEY_UP:
		return TOP_KEY_UP;
	case KEY_DOWN:
		return TOP_KEY_DOWN;
	case KEY_PPAGE:
		return TOP_KEY_PAGE_UP;
	case KEY_NPAGE:
		return TOP_KEY_PAGE_DOWN;
	case KEY_HOME:
		return TOP_KEY_HOME;
	case KEY_END:
		return TOP_KEY_END;
	case REDRAW:
		clearok(curscr, TRUE);
		return TOP_KEY_RESIZE;
	case KEY_RESIZE:
		return TOP_KEY_RESIZE;
	case KEY_BACKSPACE:
		return TOP_KEY_BACKSPACE;
	case KEY_ENTER:
		return '\n';
	}
	return key;
}

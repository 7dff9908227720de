// SPDX-License-Identifier: GPL-2.0-or-later
/* stdout is replaced by a custom stream, which folds lines and writes them to the descriptor. */
#include "base/terminal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/message.h"
#include "base/pager.h"
#include "base/text_width.h"
#include "base/winsize.h"

static struct {
	TerminalOptions options;
	gboolean has_color;
	guint width;   /* 0: no limit */
	char *pager;   /* command, started before the first output; NULL: none */
	FILE *before;  /* the original stdout, if replaced */
	GString *rest; /* an unfinished line */
} state;

guint terminal_width(void)
{
	return state.width;
}

const char *terminal_style(TerminalStyle style)
{
	static const char *const styles[] = { "\033[1m", "\033[32m", "\033[33m", "\033[1;31m" };

	return state.has_color ? styles[style] : "";
}

const char *terminal_style_end(void)
{
	return state.has_color ? "\033[m" : "";
}

void terminal_print_heading(const char *title, FILE *out)
{
	fprintf(out, "\n%s%s%s\n", terminal_style(STYLE_HEADING), title, terminal_style_end());
}

static gboolean wants_color(const TerminalOptions *options)
{
	const char *none = g_getenv("NO_COLOR"), *term = g_getenv("TERM");

	if (options->data || options->color != COLOR_AUTO)
		return !options->data && options->color == COLOR_ALWAYS;
	return isatty(STDOUT_FILENO) && !(none && *none) && term && strcmp(term, "dumb") != 0;
}

static void start_pager(void)
{
	g_autofree char *command = g_steal_pointer(&state.pager);

	if (command)
		pager_begin(command, memory_unbound);
}

/* Exits after a failed write if the user has quit the pager. */
static void check_pager(void)
{
	if (errno != EPIPE)
		return;
	pager_end();
	_exit(EXIT_FINE);
}

static gboolean write_all(const char *text, gsize len)
{
	while (len) {
		ssize_t written = write(STDOUT_FILENO, text, len);

		if (written < 0 && errno == EINTR)
			continue;
		if (written < 0) {
			check_pager();
			return FALSE;
		}
		text += written;
		len -= written;
	}
	return TRUE;
}

/* A cookie_write_function_t: writes complete lines, and keeps the rest. */
static ssize_t write_lines(void *cookie, const char *text, size_t len)
{
	g_autoptr(GString) folded = g_string_new(NULL);
	const char *line, *end;

	(void)cookie;
	start_pager();
	if (!state.width)
		return write_all(text, len) ? (ssize_t)len : 0;
	g_string_append_len(state.rest, text, len);
	line = state.rest->str;
	while ((end = memchr(line, '\n', state.rest->str + state.rest->len - line))) {
		text_fold(line, end - line, state.width, folded);
		line = end + 1;
	}
	g_string_erase(state.rest, 0, line - state.rest->str);
	return write_all(folded->str, folded->len) ? (ssize_t)len : 0;
}

static void end(void)
{
	fflush(stdout);
	if (state.rest->len)
		write_all(state.rest->str, state.rest->len);
	g_string_truncate(state.rest, 0);
	pager_end();
}

void terminal_begin(const TerminalOptions *options)
{
	static const cookie_io_functions_t functions = { .write = write_lines };
	FILE *out;

	state.has_color = wants_color(options);
	if (state.rest || !isatty(STDOUT_FILENO))
		return;
	state.options = *options;
	state.width = options->wide || options->data ? 0 : winsize_columns(STDOUT_FILENO);
	state.rest = g_string_new(NULL);
	state.pager = options->paged ? pager_find() : NULL;
	out = fopencookie(NULL, "w", functions);
	if (!out || atexit(end))
		return;
	fflush(stdout);
	setvbuf(out, NULL, _IOLBF, BUFSIZ);
	state.before = stdout;
	stdout = out;
}

void terminal_leave(void)
{
	if (!state.before)
		return;
	g_clear_pointer(&state.pager, g_free);
	end();
	stdout = state.before;
	state.before = NULL;
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/message.h"

#include <stdio.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/text_width.h"
#include "base/winsize.h"

void message(const char *format, ...)
{
	g_autofree char *text = NULL, *visible = NULL;
	va_list args;

	va_start(args, format);
	text = g_strdup_vprintf(format, args);
	va_end(args);
	visible = escape_text(text);
	fprintf(stderr, "kmemtrace-user: %s\n", visible);
}

int message_failed(GError *error)
{
	message("%s", error->message);
	g_error_free(error);
	return EXIT_FAILED;
}

gboolean message_wrote_stdout(const char *what)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return TRUE;
	message("can't write %s", what);
	return FALSE;
}

gboolean message_shows_progress(void)
{
	return isatty(STDERR_FILENO);
}

void message_progress(const char *text)
{
	g_autofree char *visible = escape_text(text);
	g_autofree char *fitting = text_shorten(visible, winsize_columns(STDERR_FILENO) - 1);

	fprintf(stderr, "\r\033[K%s", fitting);
	fflush(stderr);
}

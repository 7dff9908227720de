// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/prompt.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#ifdef HAVE_READLINE
#include <readline/history.h>
#include <readline/readline.h>
#endif

#include "base/sudo_user.h"

static volatile sig_atomic_t is_interrupted;

static void interrupt(int signal)
{
	(void)signal;
	is_interrupted = 1;
}

const volatile sig_atomic_t *prompt_begin(Lines *lines)
{
	struct sigaction action = { .sa_handler = interrupt }; /* interrupts read(), too */

	is_interrupted = 0;
	sigaction(SIGINT, &action, &lines->before);
	return &is_interrupted;
}

void prompt_end(const Lines *lines)
{
	sigaction(SIGINT, &lines->before, NULL);
}

gboolean prompt_was_interrupted(void)
{
	gboolean was = is_interrupted;

	is_interrupted = 0;
	return was;
}

char *prompt_next(FILE *file)
{
	g_autofree char *copy = NULL;
	char *line = NULL;
	size_t size = 0;
	ssize_t len;

	errno = 0;
	len = getline(&line, &size, file);
	if (len < 0) {
		free(line);
		if (errno != EINTR)
			return NULL;
		clearerr(file);
		return g_strdup("");
	}
	if (len && line[len - 1] == '\n')
		line[--len] = 0;
	copy = g_strndup(line, len); /* ignores text after a zero byte */
	free(line);
	return g_steal_pointer(&copy);
}

static char *read_plainly(const char *prompt)
{
	char *line;

	fputs(prompt, stdout);
	fflush(stdout);
	line = prompt_next(stdin);
	if (!line || is_interrupted)
		putchar('\n');
	return line;
}

#ifdef HAVE_READLINE

/* Called by readline ten times a second while it waits; ends the line after Ctrl-C. */
static int check_interrupt(void)
{
	if (is_interrupted) {
		rl_replace_line("", 0);
		rl_done = 1;
	}
	return 0;
}

char *prompt_ask(const char *prompt)
{
	g_autofree char *copy = NULL;
	char *line;

	/* readline completes root's file names, and reads the file in INPUTRC */
	if (sudo_user_is_other())
		return read_plainly(prompt);
	rl_event_hook = check_interrupt;
	line = readline(prompt);
	if (!line)
		return NULL;
	if (*line)
		add_history(line);
	copy = g_strdup(line);
	free(line);
	return g_steal_pointer(&copy);
}

#else

char *prompt_ask(const char *prompt)
{
	return read_plainly(prompt);
}

#endif

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * kmemtrace-user help: show the manual page if man finds it, else the text of --help. Under sudo,
 * always show the latter: from man's pager the user could run any command.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/sudo_user.h"
#include "cmd/cmd.h"
#include "cmd/common/options.h"

#define TOOL "kmemtrace-user"

/* Returns whether `man -w` finds the page, by its exit code. */
static gboolean has_page(const char *page)
{
	const char *argv[] = { "man", "-w", page, NULL };
	int status = -1;

	return g_spawn_sync(NULL, (char **)argv, NULL,
			    G_SPAWN_SEARCH_PATH | G_SPAWN_STDOUT_TO_DEV_NULL |
				    G_SPAWN_STDERR_TO_DEV_NULL,
			    NULL, NULL, NULL, NULL, &status, NULL) &&
	       g_spawn_check_wait_status(status, NULL);
}

static gboolean is_word(const char *text)
{
	return strspn(text, "abcdefghijklmnopqrstuvwxyz") == strlen(text);
}

int cmd_help(int argc, char **argv)
{
	const GOptionEntry entries[] = { G_OPTION_ENTRY_NULL };
	g_autofree char *page = NULL;
	const char *command;

	if (!options_parse(entries, "[COMMAND]",
			   "Show the manual page of COMMAND, or of " TOOL " itself, or COMMAND's "
			   "--help if there is no page.",
			   &argc, &argv))
		return EXIT_USAGE;
	if (argc > 2) {
		message("unexpected argument '%s': one command at a time", argv[2]);
		return EXIT_USAGE;
	}
	command = argc == 2 ? argv[1] : NULL;
	page = command ? g_strconcat(TOOL "-", command, NULL) : g_strdup(TOOL);
	if ((!command || is_word(command)) && !sudo_user_is_other() && has_page(page))
		execlp("man", "man", page, (char *)NULL);
	execl("/proc/self/exe", TOOL, command ? command : "--help", command ? "--help" : NULL,
	      (char *)NULL);
	message("can't run kmemtrace-user: %s", g_strerror(errno));
	return EXIT_FAILED;
}

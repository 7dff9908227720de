// SPDX-License-Identifier: GPL-2.0-or-later
/* Who is killed when memory is short: not the recorder, if it may say so; its command as ever. */
#include <glib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "capture/oom.h"
#include "capture/workload.h"

static char *score(void)
{
	char *text = NULL;

	g_assert_true(g_file_get_contents("/proc/self/oom_score_adj", &text, NULL, NULL));
	return text;
}

static void recorder_stays_without_protection(void)
{
	g_autofree char *before = score(), *during = NULL, *after = NULL;

	oom_protect();
	during = score();
	oom_release();
	after = score();
	/* Lowering it takes a privilege that who runs the tests may not have, even as root. */
	if (strcmp(during, before) != 0)
		g_assert_cmpstr(during, ==, "-1000\n");
	else
		g_test_message("the score can't be lowered here");
	g_assert_cmpstr(after, ==, before);
}

static void command_is_protected_too(void)
{
	char *const argv[] = { (char *)"cat", (char *)"/proc/self/oom_score_adj", NULL };
	g_autofree char *before = score();
	GError *error = NULL;
	Workload workload = { 0 };
	char text[32] = "";
	int fds[2], status;
	ssize_t len;

	g_assert_cmpint(pipe(fds), ==, 0);
	oom_protect();
	g_assert_true(workload_prepare(&workload, argv, NULL, fds[1], &error));
	g_assert_no_error(error);
	close(fds[1]);
	g_assert_true(workload_go(&workload, argv[0], &error));
	len = read(fds[0], text, sizeof(text) - 1);
	g_assert_cmpint(len, >, 0);
	g_assert_cmpstr(text, ==, before);
	close(fds[0]);
	while (!workload_has_ended(&workload, &status))
		g_usleep(1000);
	oom_release();
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/oom/recorder_stays_without_protection", recorder_stays_without_protection);
	g_test_add_func("/oom/command_is_protected_too", command_is_protected_too);
	return g_test_run();
}

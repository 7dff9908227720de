// SPDX-License-Identifier: GPL-2.0-or-later
#include "top/run.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "capture/process/signals.h"
#include "top/live.h"
#include "top/screen.h"

#define WAIT_MS     100 /* maximum sleep */
#define PATIENCE_MS 1000

typedef struct {
	const TopOptions *options;
	TopLook look;
	TopLive *live;
	Signals signals;
	guint rounds;     /* shown so far */
	guint64 round_ns; /* end of the last one, by CLOCK_MONOTONIC */
	gboolean ended;
} Run;

/* ---- showing ---- */

/*
 * Writes @text to standard output. After a request to end, it waits no longer than PATIENCE_MS for
 * the reader, and ends the run.
 */
static gboolean print_text(Run *run, const char *text, GError **error)
{
	gsize len = strlen(text);
	struct pollfd fds[] = {
		{ .fd = STDOUT_FILENO, .events = POLLOUT },
		{ .fd = run->signals.fd, .events = POLLIN },
	};

	while (len && !run->ended) {
		gboolean ending = signals_take(&run->signals) == SIGNALS_END;
		gssize written;

		run->ended = poll(fds, G_N_ELEMENTS(fds), ending ? PATIENCE_MS : -1) == 0;
		if (!fds[0].revents)
			continue;
		written = write(STDOUT_FILENO, text, MIN(len, PIPE_BUF)); /* fits into a pipe */
		if (written < 0 && errno == EPIPE) { /* as head: it has seen enough */
			run->ended = TRUE;
			return TRUE;
		}
		if (written < 0 && errno != EINTR && errno != EAGAIN) {
			g_set_error(error, CAPTURE_ERROR, CAPTURE_ERROR_FAILED,
				    "can't write the rounds: %s", g_strerror(errno));
			return FALSE;
		}
		text += MAX(written, 0);
		len -= MAX(written, 0);
	}
	return TRUE;
}

static gboolean print_batch(Run *run, GError **error)
{
	const TopModel *model = top_live_model(run->live);
	const TopFacts *facts = top_live_facts(run->live);
	TopLook look = run->look;
	guint limit = run->options->limit;
	g_autoptr(GString) text = g_string_new(NULL);
	g_autoptr(GPtrArray) lines = NULL;

	if (run->options->json) {
		g_autofree char *json = top_json(model, facts, &look, limit);

		g_string_append(text, json);
	} else {
		lines = top_page(model, facts, &look, 0, limit ? limit + TOP_HEAD_LINES : 0);
		for (guint i = 0; i < lines->len; i++)
			g_string_append_printf(text, "%s\n", (char *)g_ptr_array_index(lines, i));
	}
	g_string_append_c(text, '\n');
	return print_text(run, text->str, error);
}

static void show(Run *run)
{
	g_autoptr(GPtrArray) lines = NULL;
	guint width, height;

	screen_size(&width, &height);
	lines = top_page(top_live_model(run->live), top_live_facts(run->live), &run->look, width,
			 height);
	screen_show(lines, TOP_HEAD_LINES - 1);
}

static gboolean round_is_over(const Run *run)
{
	return !run->look.paused && top_live_now() - run->round_ns >= run->look.delay_ns;
}

static gboolean end_round(Run *run, GError **error)
{
	if (!top_live_round(run->live, error))
		return FALSE;
	run->round_ns = top_live_now();
	if (!run->options->batch)
		show(run);
	else if (!print_batch(run, error))
		return FALSE;
	if (++run->rounds == run->options->rounds)
		run->ended = TRUE;
	return TRUE;
}

/* ---- keys ---- */

static void take_keys(Run *run)
{
	guint width, height;
	int key;

	while ((key = screen_key())) {
		screen_size(&width, &height);
		switch (top_look_key(&run->look, key,
				     height > TOP_HEAD_LINES ? height - TOP_HEAD_LINES : 1)) {
		case TOP_KEY_QUIT:
			run->ended = TRUE;
			return;
		case TOP_KEY_SHOW:
			show(run);
			break;
		case TOP_KEY_NONE:
			break;
		}
	}
}

/* ---- the loop ---- */

/* Waits for a key, a signal, events or WAIT_MS. Ends the run if the terminal was closed. */
static void wait_for_something(Run *run)
{
	g_autoptr(GArray) fds = g_array_new(FALSE, FALSE, sizeof(struct pollfd));
	struct pollfd own[] = {
		{ .fd = run->signals.fd, .events = POLLIN },
		{ .fd = run->options->batch ? -1 : STDIN_FILENO, .events = POLLIN },
	};

	g_array_append_vals(fds, own, G_N_ELEMENTS(own));
	top_live_poll(run->live, fds);
	if (poll((struct pollfd *)(gpointer)fds->data, fds->len, WAIT_MS) > 0 &&
	    g_array_index(fds, struct pollfd, 1).revents & (POLLHUP | POLLERR | POLLNVAL))
		run->ended = TRUE;
}

static gboolean loop(Run *run, GError **error)
{
	run->round_ns = top_live_now();
	if (!run->options->batch)
		show(run);
	while (!run->ended) {
		wait_for_something(run);
		if (signals_take(&run->signals) == SIGNALS_END)
			break;
		if (!top_live_pump(run->live, error))
			return FALSE;
		if (!run->options->batch)
			take_keys(run);
		if (!run->ended && round_is_over(run) && !end_round(run, error))
			return FALSE;
	}
	return TRUE;
}

gboolean top_run(const TopOptions *options, gboolean *lost, GError **error)
{
	Run run = { .options = options, .look = options->look, .signals = { .fd = -1 } };
	gboolean fine =
		(options->batch || screen_check(error)) && signals_catch(&run.signals, error);

	signal(SIGPIPE, SIG_IGN); /* so that top turns the tracer off */
	if (fine)
		run.live = top_live_start(options->settings, &options->selection, options->discard,
					  error);
	if (run.live)
		signals_abandon_by(&run.signals, top_live_abandon, run.live);
	fine = run.live && (options->batch || screen_open(error)) && loop(&run, error);
	screen_close();
	*lost = run.live && stats_lost_records(&top_live_facts(run.live)->stats);
	if (run.live)
		signals_abandon_by(&run.signals, NULL, NULL);
	top_live_stop(run.live);
	signals_release(&run.signals);
	return fine;
}

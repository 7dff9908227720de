// SPDX-License-Identifier: GPL-2.0-or-later
/* libdebuginfod is loaded when needed: it is optional, and depends on an HTTP client. */
#include "symbols/debuginfod.h"

#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/message.h"
#include "base/sudo_user.h"
#include "base/units.h"

#define TIMEOUT_DEFAULT 90                           /* seconds, as the library's own */
#define SIZE_LIMIT      (G_GINT64_CONSTANT(8) << 30) /* bytes: larger than any debug file */

typedef struct {
	void *(*begin)(void);
	int (*find)(void *client, const unsigned char *id, int len, char **path);
	void (*end)(void *client);
	void (*set_progress)(void *client, int (*progress)(void *client, long done, long all));
} Library;

/* State of the current request: the library's callback has no argument for it. */
static struct {
	long done;       /* bytes */
	gint64 since_us; /* when @done last changed */
	gboolean too_long;
	gint64 spent_us;  /* by all requests without a result */
	gboolean gave_up; /* in this request or an earlier one */
} state;

static volatile sig_atomic_t interrupted; /* the signal's number; 0: none */

static void note_signal(int signal)
{
	interrupted = signal;
}

gboolean debuginfod_is_set(void)
{
	const char *urls = g_getenv("DEBUGINFOD_URLS");

	return urls && *urls && !sudo_user_is_other();
}

static guint64 timeout_s(void)
{
	const char *text = g_getenv("DEBUGINFOD_TIMEOUT");
	guint64 seconds;

	if (!text || !g_ascii_string_to_unsigned(text, 10, 1, G_MAXINT32, &seconds, NULL))
		return TIMEOUT_DEFAULT;
	return seconds;
}

static void show(long done, long all)
{
	g_autofree char *got = units_format_size(done), *whole = units_format_size(all);
	g_autofree char *text = all ? g_strdup_printf("debuginfod: %s of %s", got, whole)
				    : g_strdup("waiting for debuginfod");

	message_progress(text);
}

/*
 * Called about once a second; a nonzero result ends the request. Without @all, @done counts calls.
 */
static int watch(void *client, long done, long all)
{
	(void)client;
	if (all <= 0)
		done = all = 0;
	if (message_shows_progress())
		show(done, all);
	if (done != state.done) {
		state.done = done;
		state.since_us = g_get_monotonic_time();
	}
	state.too_long = done > SIZE_LIMIT || all > SIZE_LIMIT;
	state.gave_up =
		g_get_monotonic_time() - state.since_us > (gint64)timeout_s() * G_USEC_PER_SEC;
	return state.gave_up || state.too_long || interrupted;
}

static gboolean load(Library *library)
{
	void *handle = dlopen("libdebuginfod.so.1", RTLD_NOW | RTLD_LOCAL);

	/* Its HTTP client does not support unloading. */
	if (!handle)
		return FALSE;
	library->begin = (void *(*)(void))dlsym(handle, "debuginfod_begin");
	library->find = (int (*)(void *, const unsigned char *, int, char **))dlsym(
		handle, "debuginfod_find_debuginfo");
	library->end = (void (*)(void *))dlsym(handle, "debuginfod_end");
	library->set_progress = (void (*)(void *, int (*)(void *, long, long)))dlsym(
		handle, "debuginfod_set_progressfn");
	return library->begin && library->find && library->end && library->set_progress;
}

/*
 * The library removes an unfinished file only when the request ends. So a signal ends the request
 * first, and then takes effect.
 */
static int find(const Library *library, void *client, const char *id, char **found)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
	const struct sigaction action = { .sa_handler = note_signal };
	struct sigaction before[G_N_ELEMENTS(signals)];
	int fd;

	for (guint i = 0; i < G_N_ELEMENTS(signals); i++)
		sigaction(signals[i], &action, &before[i]);
	/* A length of 0 means an id in hexadecimal. */
	fd = library->find(client, (const unsigned char *)id, 0, found);
	for (guint i = 0; i < G_N_ELEMENTS(signals); i++)
		sigaction(signals[i], &before[i], NULL);
	if (interrupted)
		raise(interrupted);
	interrupted = 0;
	return fd;
}

/* Limits the size of files also for a response without a length, which watch() cannot check. */
static int find_within_limit(const Library *library, void *client, const char *id, char **found)
{
	struct rlimit before, limit;
	int fd;

	getrlimit(RLIMIT_FSIZE, &before);
	limit = before;
	limit.rlim_cur = MIN(before.rlim_cur, (rlim_t)SIZE_LIMIT);
	setrlimit(RLIMIT_FSIZE, &limit);
	fd = find(library, client, id, found);
	setrlimit(RLIMIT_FSIZE, &before);
	return fd;
}

static char *request_file(const Library *library, void *client, const char *id)
{
	gint64 start_us = g_get_monotonic_time();
	char *found = NULL, *path;
	int fd;

	state.done = 0;
	state.too_long = FALSE;
	state.since_us = start_us;
	library->set_progress(client, watch);
	fd = find_within_limit(library, client, id, &found);
	if (message_shows_progress())
		message_progress("");
	if (fd < 0)
		state.spent_us += g_get_monotonic_time() - start_us;
	state.gave_up |= fd == -ETIME || fd == -ETIMEDOUT ||
			 state.spent_us > (gint64)timeout_s() * G_USEC_PER_SEC;
	if (state.gave_up)
		message("debuginfod: no data for %" G_GUINT64_FORMAT
			" s (DEBUGINFOD_TIMEOUT): no more debug files are requested",
			timeout_s());
	if (state.too_long)
		message("debuginfod: the debug file of %s has more than 8 GiB: it is not used", id);
	if (fd < 0)
		return NULL;
	close(fd);
	path = g_strdup(found);
	free(found);
	return path;
}

char *debuginfod_download(const char *id)
{
	Library library;
	void *client;
	char *path;

	if (state.gave_up || !debuginfod_is_set() || !load(&library))
		return NULL;
	client = library.begin();
	if (!client)
		return NULL;
	path = request_file(&library, client, id);
	library.end(client);
	return path;
}

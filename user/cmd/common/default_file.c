// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/common/default_file.h"

#include <sys/stat.h>

#include "base/message.h"
#include "base/sudo_user.h"
#include "cmd/common/options.h"

/* Of two files of the same age the first one wins: a trace leads to its database. */
static const struct {
	const char *trace, *database;
} names[] = {
	{ CMD_DEFAULT_TRACE, "kmemtrace.db" },
	{ "demo.kmt", "demo.db" },
};

typedef struct {
	const char *name; /* NULL: none yet */
	struct timespec time;
} Newest;

static gboolean is_file(const char *name, struct stat *st)
{
	return stat(name, st) == 0 && S_ISREG(st->st_mode);
}

static void take_newer(Newest *newest, const char *name, const struct stat *st)
{
	const struct timespec *time = &st->st_mtim;

	if (newest->name &&
	    (time->tv_sec < newest->time.tv_sec ||
	     (time->tv_sec == newest->time.tv_sec && time->tv_nsec <= newest->time.tv_nsec)))
		return;
	newest->name = name;
	newest->time = *time;
}

/* Returns whether others can replace files here. */
static gboolean is_shared(void)
{
	struct stat st;

	return stat(".", &st) != 0 || !sudo_user_trusts(st.st_uid) ||
	       (st.st_mode & 022 && !(st.st_mode & S_ISVTX));
}

/*
 * Returns FALSE for a database that another user may have put here, or a link to another trace's
 * database. The trace leads to its own database, after a check.
 */
static gboolean is_own(const char *name)
{
	struct stat st;

	return lstat(name, &st) == 0 && S_ISREG(st.st_mode) && sudo_user_trusts(st.st_uid) &&
	       !(st.st_mode & 022) && !is_shared();
}

const char *default_file_look(DefaultFile kind)
{
	Newest newest = { 0 };

	for (guint i = 0; i < G_N_ELEMENTS(names); i++) {
		struct stat st;
		gboolean has_trace = is_file(names[i].trace, &st);

		if (has_trace)
			take_newer(&newest, names[i].trace, &st);
		if (kind == DEFAULT_ANY && is_file(names[i].database, &st) &&
		    (!has_trace || is_own(names[i].database)))
			take_newer(&newest, names[i].database, &st);
	}
	return newest.name;
}

const char *default_file_find(DefaultFile kind)
{
	const char *name = default_file_look(kind);

	if (name)
		message("reading %s", name);
	else
		message("no trace was given, and there is no %s here (kmemtrace-user record makes one)",
			kind == DEFAULT_ANY ? "kmemtrace.kmt, kmemtrace.db, demo.kmt or demo.db"
					    : "kmemtrace.kmt or demo.kmt");
	return name;
}

const char *default_file_or_argument(int argc, char **argv, DefaultFile kind)
{
	return argc > 1 ? options_one_file(argc, argv) : default_file_find(kind);
}

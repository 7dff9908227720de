// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/newfile.h"

#include <errno.h>
#include <unistd.h>

#include "base/outfile.h"
#include "store/store.h"

/* How the pages of report and the formats of export begin. */
static const char *const starts[] = {
	"<!DOCTYPE html>\n<!-- SPDX-License-Identifier: GPL-2.0-or-later -->\n",	/* report --html */
	"[^\\n\\x00]+ [0-9]+\\n",		/* folded: a stack and a number */
	"\\{\"\\$schema\": \"https://www.speedscope.app/",
	"\\x1f\\x8b",				/* pprof: gzip */
	"\\{\"dhatFileVersion\":",
	"\\{\"traceEvents\":",			/* perfetto */
	"kind,stack,function,",			/* csv */
};

static gboolean is_own(const guint8 *start, gsize len)
{
	for (guint i = 0; i < G_N_ELEMENTS(starts); i++) {
		g_autoptr(GRegex) regex = g_regex_new(starts[i], G_REGEX_RAW, 0, NULL);

		if (g_regex_match_full(regex, (const char *)start, len, 0, G_REGEX_MATCH_ANCHORED,
				       NULL, NULL))
			return TRUE;
	}
	return FALSE;
}

static const OutFileKind kind = { "page or export", is_own };

static gboolean fail(const char *path, GError **error)
{
	g_set_error(error, STORE_ERROR, STORE_ERROR_FAILED, "can't write %s: %s",
		    path ? path : "standard output", g_strerror(errno ? errno : EIO));
	return FALSE;
}

/* Prints, and sees that all was written. */
static gboolean print_all(const char *path, NewFileFunc print, gpointer data, FILE *out,
			  GError **error)
{
	errno = 0;
	return print(data, out, error) && ((!fflush(out) && !ferror(out)) || fail(path, error));
}

static gboolean print_into(int fd, const char *path, NewFileFunc print, gpointer data,
			   GError **error)
{
	FILE *out = fdopen(fd, "w");
	gboolean fine = print_all(path, print, data, out, error);

	if (fine && fsync(fd))
		fine = fail(path, error);
	if (fclose(out) && fine)
		fine = fail(path, error);
	return fine;
}

gboolean newfile_write(const char *path, NewFileFunc print, gpointer data, GError **error)
{
	g_autofree char *beside = NULL;
	gboolean fine;
	int fd;

	if (!path)
		return print_all(NULL, print, data, stdout, error);
	fd = outfile_begin(path, &kind, &beside, error);
	if (fd < 0)
		return FALSE;
	fine = print_into(fd, path, print, data, error) &&
	       outfile_finish(beside, path, &kind, error);
	if (!fine)
		outfile_drop(beside);
	return fine;
}

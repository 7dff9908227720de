// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/common/output_file.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/outfile.h"
#include "store/store.h"

/* Matches the start of a file with the pattern of its kind; a folded file has no pattern. */
static gboolean begins_with(const char *expected, const guint8 *start, gsize len)
{
	g_autoptr(GRegex) regex = g_regex_new(expected, G_REGEX_RAW | G_REGEX_DOTALL, 0, NULL);

	return g_regex_match_full(regex, (const char *)start, len, 0, G_REGEX_MATCH_ANCHORED, NULL,
				  NULL);
}

#define DEFINE_IS_OWN(name, expected)                                                              \
	static gboolean is_##name(const guint8 *start, gsize len)                                  \
	{                                                                                          \
		return begins_with(expected, start, len);                                          \
	}

DEFINE_IS_OWN(html, "<!DOCTYPE html>\n<!-- SPDX-License-Identifier: GPL-2.0-or-later -->\n")
DEFINE_IS_OWN(folded, "[^\\n\\x00]+;[^\\n\\x00]* [0-9]+\n")
DEFINE_IS_OWN(speedscope, "\\{\"\\$schema\": \"https://www.speedscope.app/")
DEFINE_IS_OWN(pprof, "\\x1f\\x8b\\x08\\x10.{6}kmemtrace\\x00") /* gzip, with a comment */
DEFINE_IS_OWN(dhat, "\\{\"dhatFileVersion\":")
DEFINE_IS_OWN(perfetto, "\\{\"traceEvents\":")
DEFINE_IS_OWN(csv, "kind,stack,function,")
DEFINE_IS_OWN(dot, "digraph kmemtrace \\{\n")

static const struct {
	const char *format;
	OutFileKind kind;
} kinds[] = {
	{ "html", { "page", is_html } },
	{ "folded", { "folded export with stacks", is_folded } },
	{ "speedscope", { "speedscope export", is_speedscope } },
	{ "pprof", { "pprof export", is_pprof } },
	{ "dhat", { "dhat export", is_dhat } },
	{ "perfetto", { "perfetto export", is_perfetto } },
	{ "csv", { "csv export", is_csv } },
	{ "dot", { "graph", is_dot } },
};

static const OutFileKind *find_kind(const char *format)
{
	for (guint i = 0; i < G_N_ELEMENTS(kinds); i++) {
		if (!strcmp(kinds[i].format, format))
			return &kinds[i].kind;
	}
	g_assert_not_reached();
}

static gboolean output_file_fail(const char *path, GError **error)
{
	return store_fail(error, "can't write %s: %s", path ? path : "standard output",
			  g_strerror(errno ? errno : EIO));
}

/* Calls @print, and checks that everything was written. */
static gboolean print_all(const char *path, NewFileFunc print, gpointer data, FILE *out,
			  GError **error)
{
	errno = 0;
	return print(data, out, error) &&
	       ((!fflush(out) && !ferror(out)) || output_file_fail(path, error));
}

static gboolean print_into(int fd, const char *path, NewFileFunc print, gpointer data,
			   GError **error)
{
	FILE *out = fdopen(fd, "w");
	gboolean fine = print_all(path, print, data, out, error);

	if (fine && fsync(fd))
		fine = output_file_fail(path, error);
	if (fclose(out) && fine)
		fine = output_file_fail(path, error);
	return fine;
}

gboolean output_file_write(const char *path, const char *format, const StoreDb *db,
			   NewFileFunc print, gpointer data, GError **error)
{
	g_autofree char *beside = NULL;
	const OutFileKind *kind;
	gboolean fine;
	int fd;

	if (!path)
		return print_all(NULL, print, data, stdout, error);
	kind = find_kind(format);
	fd = outfile_begin(path, kind, &beside, error);
	if (fd < 0)
		return FALSE;
	fine = print_into(fd, path, print, data, error) && store_check_unchanged(db, error) &&
	       outfile_finish(beside, path, kind, error);
	if (!fine)
		outfile_drop(beside);
	return fine;
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/newfile.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <unistd.h>

#include "base/owner.h"
#include "store/store.h"

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

/* As it is. */
static gboolean print_through(const char *path, NewFileFunc print, gpointer data, GError **error)
{
	FILE *out = g_fopen(path, "we");
	gboolean fine;

	if (!out)
		return fail(path, error);
	fine = print_all(path, print, data, out, error);
	return (!fclose(out) || !fine || fail(path, error)) && fine;
}

/* Beside @path, and there when it is whole. */
static gboolean print_beside(const char *path, NewFileFunc print, gpointer data, GError **error)
{
	g_autofree char *beside = g_strconcat(path, ".XXXXXX", NULL);
	int fd = g_mkstemp_full(beside, O_RDWR | O_CLOEXEC, 0600);
	gboolean fine;
	FILE *out;

	if (fd < 0)
		return fail(path, error);
	out = fdopen(fd, "w");
	fine = print_all(path, print, data, out, error);
	if (fine && fsync(fd))
		fine = fail(path, error);
	if (fine)
		owner_give(fd);
	if (fclose(out) && fine)
		fine = fail(path, error);
	if (fine && g_rename(beside, path))
		fine = fail(path, error);
	if (!fine)
		g_unlink(beside);
	return fine;
}

gboolean newfile_write(const char *path, NewFileFunc print, gpointer data, GError **error)
{
	if (!path)
		return print_all(NULL, print, data, stdout, error);
	if (g_file_test(path, G_FILE_TEST_EXISTS) && !g_file_test(path, G_FILE_TEST_IS_REGULAR))
		return print_through(path, print, data, error);
	return print_beside(path, print, data, error);
}

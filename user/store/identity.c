// SPDX-License-Identifier: GPL-2.0-or-later
#include "store/identity.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/db.h"
#include "store/store.h"

#define PIECE	65536	/* bytes */
#define APPLICATION_ID_AT 68	/* in an SQLite file, big-endian */

/* As many of @len bytes at @offset as there are. */
static gboolean add_piece(GChecksum *sum, int fd, off_t offset, gsize len)
{
	g_autofree guchar *bytes = g_malloc(len);
	gsize done = 0;

	while (done < len) {
		ssize_t got = pread(fd, bytes + done, len - done, offset + done);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return FALSE;
		if (!got)
			break;
		done += got;
	}
	g_checksum_update(sum, bytes, done);
	return TRUE;
}

static char *identify(int fd)
{
	g_autoptr(GChecksum) sum = g_checksum_new(G_CHECKSUM_SHA256);
	guint64 size;
	struct stat st;

	if (fstat(fd, &st))
		return NULL;
	size = GUINT64_TO_LE((guint64)st.st_size);
	g_checksum_update(sum, (const guchar *)&size, sizeof(size));
	if (!add_piece(sum, fd, 0, PIECE) ||
	    !add_piece(sum, fd, MAX(st.st_size - PIECE, 0), PIECE))
		return NULL;
	return g_strdup(g_checksum_get_string(sum));
}

gboolean store_may_replace(const char *path)
{
	static const char magic[] = "SQLite format 3";
	char head[APPLICATION_ID_AT + sizeof(guint32)] = "";
	FILE *file = fopen(path, "rbe");
	guint32 application_id;
	size_t got;

	if (!file)
		return errno == ENOENT;
	got = fread(head, 1, sizeof(head), file);
	fclose(file);
	memcpy(&application_id, head + APPLICATION_ID_AT, sizeof(application_id));
	return got == 0 || (got == sizeof(head) && memcmp(head, magic, sizeof(magic)) == 0 &&
			    GUINT32_FROM_BE(application_id) == DB_APPLICATION_ID);
}

char *identity_of_trace(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	char *identity;

	if (fd < 0)
		return NULL;
	identity = identify(fd);
	close(fd);
	return identity;
}

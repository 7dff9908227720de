// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Searches the folders that gdb and elfutils search: that of the stripped file, .debug in it, the
 * same folder below /usr/lib/debug, and the links by build id there.
 */
#include "symbols/debuglink.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/buildid.h"
#include "base/regular.h"
#include "symbols/debuginfod.h"
#include "symbols/packed.h"

#define DEBUG_ROOT "/usr/lib/debug"
#define CRC_MAX    (G_GINT64_CONSTANT(1) << 32) /* bytes: the CRC of a larger file may take hours */

/* Rejects sparse files, which take as long as their length, but no disk space. */
static gboolean has_crc(int fd, const struct stat *st, guint32 expected)
{
	guint8 bytes[65536];
	guint32 crc = crc32_z(0, NULL, 0);
	off_t at = 0;
	ssize_t got;

	if ((guint64)st->st_size > regular_stored_len(fd, st))
		return FALSE;
	while ((got = pread(fd, bytes, sizeof(bytes), at)) > 0 && at < CRC_MAX) {
		crc = crc32_z(crc, bytes, got);
		at += got;
	}
	return got == 0 && at && crc == expected;
}

static gboolean is_meant(const DebugLink *link, int fd, const struct stat *st)
{
	g_autofree char *id = NULL;
	Elf *elf;

	if (st->st_dev == link->own->st_dev && st->st_ino == link->own->st_ino)
		return FALSE;
	if (!link->build_id)
		return link->name && has_crc(fd, st, link->crc);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	id = elf && elf_kind(elf) == ELF_K_ELF ? buildid_of(elf) : NULL;
	elf_end(elf);
	return g_strcmp0(id, link->build_id) == 0;
}

static int try_file(const DebugLink *link, const char *path)
{
	struct stat st;
	int fd = regular_open(path, &st);

	if (fd < 0 || (is_meant(link, fd, &st) && packed_check(fd)))
		return fd;
	close(fd);
	return -1;
}

static int try_build_id(const DebugLink *link)
{
	g_autofree char *path = NULL;

	if (!link->build_id || strlen(link->build_id) < 3)
		return -1;
	path = g_strdup_printf(DEBUG_ROOT "/.build-id/%.2s/%s.debug", link->build_id,
			       link->build_id + 2);
	return try_file(link, path);
}

/* Tries the folders. @path: absolute, of the stripped file. */
static int try_folders(const DebugLink *link, const char *path)
{
	g_autofree char *folder = g_path_get_dirname(path), *own = g_path_get_basename(path);
	g_autofree char *name =
		link->name ? g_path_get_basename(link->name) : g_strconcat(own, ".debug", NULL);
	const char *const folders[][2] = { { folder, "" },
					   { folder, ".debug" },
					   { DEBUG_ROOT, folder } };
	int fd = -1;

	for (guint i = 0; fd < 0 && i < G_N_ELEMENTS(folders); i++) {
		g_autofree char *file = g_build_filename(folders[i][0], folders[i][1], name, NULL);

		fd = try_file(link, file);
	}
	return fd;
}

static int try_servers(const DebugLink *link)
{
	g_autofree char *path = link->build_id ? debuginfod_download(link->build_id) : NULL;

	return path ? try_file(link, path) : -1;
}

int debuglink_open(const DebugLink *link)
{
	g_autofree char *path = g_canonicalize_filename(link->path, NULL);
	g_autofree char *real = realpath(link->path, NULL);
	int fd = try_build_id(link);

	if (fd < 0)
		fd = try_folders(link, path);
	if (fd < 0 && real && strcmp(real, path))
		fd = try_folders(link, real);
	return fd < 0 ? try_servers(link) : fd;
}

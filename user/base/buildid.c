// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/buildid.h"

#include <elf.h>
#include <elfutils/libdwelf.h>
#include <errno.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <unistd.h>

#define BUILD_ID_MAX 64    /* bytes; usually 20 */
#define PROGRAM_MAX  1024  /* program headers that are read; usually 13 */
#define NOTES_MAX    65536 /* bytes of a file's notes that are read; usually 100 */

/* Returns NULL for an invalid length. */
static char *to_hex(const guint8 *bytes, gssize len)
{
	GString *text;

	if (len <= 0 || len > BUILD_ID_MAX)
		return NULL;
	text = g_string_new(NULL);
	for (gssize i = 0; i < len; i++)
		g_string_append_printf(text, "%02x", bytes[i]);
	return g_string_free(text, FALSE);
}

char *buildid_of(Elf *elf)
{
	const void *bytes = NULL;
	gssize len = dwelf_elf_gnu_build_id(elf, &bytes);

	return to_hex(bytes, len);
}

/* A note has a header, a name and contents; the last two are padded to 4 bytes. */
char *buildid_of_notes(const void *notes, gsize len)
{
	const guint8 *bytes = notes;
	gsize at = 0;

	while (len - at >= sizeof(Elf64_Nhdr)) {
		Elf64_Nhdr header;
		guint64 name, content, end;

		memcpy(&header, bytes + at, sizeof(header));
		name = at + sizeof(header);
		content = name + ((guint64)header.n_namesz + 3) / 4 * 4;
		end = content + ((guint64)header.n_descsz + 3) / 4 * 4;
		if (content + header.n_descsz > len)
			return NULL;
		if (header.n_type == NT_GNU_BUILD_ID && header.n_namesz == sizeof(ELF_NOTE_GNU) &&
		    !memcmp(bytes + name, ELF_NOTE_GNU, sizeof(ELF_NOTE_GNU)) && header.n_descsz &&
		    header.n_descsz <= BUILD_ID_MAX)
			return to_hex(bytes + content, header.n_descsz);
		at = MIN(end, len);
	}
	return NULL;
}

/* ---- of a program ---- */

typedef struct {
	guint64 at; /* offset in the file */
	guint64 len;
} Segment;

typedef struct {
	int fd;
	int flags;         /* of preadv2() */
	guint64 size;      /* of the file; only with flags */
	gboolean uncached; /* with RWF_NOWAIT: something was not in memory, or locked */
} Reading;

/*
 * Returns whether a read never waits for a lock that a user can hold: a read of tmpfs takes none,
 * and without writing nobody holds one.
 */
static gboolean is_free_of_locks(int fd)
{
	struct statfs fs;

	return fstatfs(fd, &fs) == 0 &&
	       (fs.f_type == TMPFS_MAGIC || fs.f_type == RAMFS_MAGIC || fs.f_flags & ST_RDONLY);
}

/* Returns how many bytes were read. Some file systems have no RWF_NOWAIT. */
static gsize read_at(Reading *reading, void *bytes, gsize len, guint64 at)
{
	struct iovec vec = { bytes, len };
	ssize_t got = preadv2(reading->fd, &vec, 1, (off_t)at, reading->flags);

	if (got < 0 && errno == EOPNOTSUPP && is_free_of_locks(reading->fd)) {
		reading->flags = 0;
		got = pread(reading->fd, bytes, len, (off_t)at);
	}
	if (got < 0 && errno != EAGAIN && errno != EOPNOTSUPP)
		return 0;
	got = MAX(got, 0);
	if (reading->flags && (guint64)got < len && at + (guint64)got < reading->size)
		reading->uncached = TRUE;
	return got;
}

/*
 * Finds the program headers. Returns FALSE if the file is not an ELF file of this machine's byte
 * order, or has none.
 */
static gboolean find_headers(Reading *reading, Segment *headers, gboolean *is_64)
{
	union {
		unsigned char ident[EI_NIDENT];
		Elf32_Ehdr elf32;
		Elf64_Ehdr elf64;
	} head;
	const unsigned char native = G_BYTE_ORDER == G_LITTLE_ENDIAN ? ELFDATA2LSB : ELFDATA2MSB;
	gsize got = read_at(reading, &head, sizeof(head), 0), size;

	if (got < sizeof(head.elf32) || memcmp(head.ident, ELFMAG, SELFMAG) ||
	    head.ident[EI_DATA] != native)
		return FALSE;
	*is_64 = head.ident[EI_CLASS] == ELFCLASS64;
	if (*is_64) {
		headers->at = head.elf64.e_phoff;
		headers->len = head.elf64.e_phnum;
		size = head.elf64.e_phentsize;
		return got == sizeof(head.elf64) && size == sizeof(Elf64_Phdr);
	}
	headers->at = head.elf32.e_phoff;
	headers->len = head.elf32.e_phnum;
	size = head.elf32.e_phentsize;
	return head.ident[EI_CLASS] == ELFCLASS32 && size == sizeof(Elf32_Phdr);
}

/* Reads program header @i. Returns FALSE if that fails, or if it is not a header of notes. */
static gboolean find_notes(Reading *reading, const Segment *headers, gboolean is_64, guint i,
			   Segment *notes)
{
	union {
		Elf32_Phdr elf32;
		Elf64_Phdr elf64;
	} program;
	const gsize size = is_64 ? sizeof(program.elf64) : sizeof(program.elf32);

	if (read_at(reading, &program, size, headers->at + i * size) != size ||
	    (is_64 ? program.elf64.p_type : program.elf32.p_type) != PT_NOTE)
		return FALSE;
	notes->at = is_64 ? program.elf64.p_offset : program.elf32.p_offset;
	notes->len = is_64 ? program.elf64.p_filesz : program.elf32.p_filesz;
	return TRUE;
}

static char *read_id(Reading *reading)
{
	g_autofree guint8 *bytes = g_malloc(NOTES_MAX);
	guint64 left = NOTES_MAX;
	Segment headers, notes;
	char *id = NULL;
	gboolean is_64;

	if (!find_headers(reading, &headers, &is_64))
		return NULL;
	for (guint i = 0; !id && left && i < MIN(headers.len, PROGRAM_MAX); i++) {
		if (!find_notes(reading, &headers, is_64, i, &notes))
			continue;
		notes.len = MIN(notes.len, left);
		left -= notes.len;
		id = buildid_of_notes(bytes, read_at(reading, bytes, notes.len, notes.at));
	}
	return id;
}

char *buildid_read(int fd)
{
	return read_id(&(Reading){ .fd = fd });
}

char *buildid_read_cached(int fd, gboolean *uncached)
{
	struct stat st = { .st_size = 0 };
	Reading reading = { .fd = fd, .flags = RWF_NOWAIT };
	char *id;

	reading.size = fstat(fd, &st) ? 0 : st.st_size;
	id = read_id(&reading);
	*uncached = reading.uncached;
	return id;
}

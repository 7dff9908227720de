// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/buildid.h"

#include <elf.h>
#include <elfutils/libdwelf.h>
#include <string.h>

#define BUILD_ID_MAX	64	/* bytes; 20 are usual */

/* NULL if it is of no length that there is. */
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

char *buildid_read(int fd)
{
	char *id = NULL;
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	if (elf && elf_kind(elf) == ELF_K_ELF)
		id = buildid_of(elf);
	elf_end(elf);
	return id;
}

/* A header, a name and a content, each of the two filled up to 4 bytes. */
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
		    !memcmp(bytes + name, ELF_NOTE_GNU, sizeof(ELF_NOTE_GNU)) &&
		    header.n_descsz && header.n_descsz <= BUILD_ID_MAX)
			return to_hex(bytes + content, header.n_descsz);
		at = MIN(end, len);
	}
	return NULL;
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/elfnote.h"

#include <elf.h>
#include <string.h>

#define ID_BYTES_MAX	64

static char *to_hex(const guint8 *bytes, gsize len)
{
	GString *text = g_string_new(NULL);

	for (gsize i = 0; i < len; i++)
		g_string_append_printf(text, "%02x", bytes[i]);
	return g_string_free(text, FALSE);
}

/* A header, a name and a content, each of the two filled up to 4 bytes. */
char *elfnote_build_id(const void *notes, gsize len)
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
		    header.n_descsz && header.n_descsz <= ID_BYTES_MAX)
			return to_hex(bytes + content, header.n_descsz);
		at = MIN(end, len);
	}
	return NULL;
}

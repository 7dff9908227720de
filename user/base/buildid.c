// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/buildid.h"

#include <gelf.h>
#include <string.h>

#define BUILD_ID_MAX	64	/* bytes; 20 are usual */

static char *find_build_id(Elf_Data *data)
{
	size_t offset = 0, name, desc;
	GElf_Nhdr note;

	while ((offset = gelf_getnote(data, offset, &note, &name, &desc)) > 0) {
		const guint8 *bytes = (const guint8 *)data->d_buf + desc;
		GString *text;

		if (note.n_type != NT_GNU_BUILD_ID || note.n_namesz != sizeof("GNU") ||
		    memcmp((const char *)data->d_buf + name, "GNU", sizeof("GNU")) != 0 ||
		    !note.n_descsz || note.n_descsz > BUILD_ID_MAX)
			continue;
		text = g_string_new(NULL);
		for (guint i = 0; i < note.n_descsz; i++)
			g_string_append_printf(text, "%02x", bytes[i]);
		return g_string_free(text, FALSE);
	}
	return NULL;
}

static char *build_id_of(Elf *elf)
{
	size_t count = 0;
	char *id = NULL;

	if (elf_getphdrnum(elf, &count))
		return NULL;
	for (size_t i = 0; i < count && !id; i++) {
		GElf_Phdr phdr;
		Elf_Data *data;

		if (!gelf_getphdr(elf, i, &phdr) || phdr.p_type != PT_NOTE)
			continue;
		data = elf_getdata_rawchunk(elf, phdr.p_offset, phdr.p_filesz,
					    phdr.p_align == 8 ? ELF_T_NHDR8 : ELF_T_NHDR);
		if (data)
			id = find_build_id(data);
	}
	return id;
}

char *buildid_read(int fd)
{
	char *id = NULL;
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	if (elf && elf_kind(elf) == ELF_K_ELF)
		id = build_id_of(elf);
	elf_end(elf);
	return id;
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include "symbols/packed.h"

#include <gelf.h>
#include <string.h>
#include <sys/stat.h>

#include "base/regular.h"

#define FREE_BYTES (4 << 20)
#define RATIO      16
#define OLD_PREFIX ".zdebug" /* such sections begin with "ZLIB" and eight bytes of the length */
#define OLD_HEAD   12

/* Returns the uncompressed bytes of @section; 0: it is not compressed. */
static guint64 unpacked_len(Elf *elf, Elf_Scn *section, size_t names)
{
	GElf_Shdr header;
	GElf_Chdr packed;
	const char *name;
	Elf_Data *head;
	guint64 len;

	if (!gelf_getshdr(section, &header))
		return 0;
	if (header.sh_flags & SHF_COMPRESSED)
		return gelf_getchdr(section, &packed) ? packed.ch_size : 0;
	name = elf_strptr(elf, names, header.sh_name);
	if (!name || !g_str_has_prefix(name, OLD_PREFIX))
		return 0;
	head = elf_getdata_rawchunk(elf, header.sh_offset, OLD_HEAD, ELF_T_BYTE);
	if (!head)
		return 0;
	memcpy(&len, (const char *)head->d_buf + OLD_HEAD - sizeof(len), sizeof(len));
	return GUINT64_FROM_BE(len);
}

gboolean packed_check(int fd)
{
	guint64 left = FREE_BYTES, len;
	Elf_Scn *section = NULL;
	gboolean fine = TRUE;
	struct stat st;
	size_t names;
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	if (fstat(fd, &st) || !elf || elf_getshdrstrndx(elf, &names))
		names = 0;
	else
		left += regular_stored_len(fd, &st) * RATIO;
	while (fine && (section = elf_nextscn(elf, section))) {
		len = unpacked_len(elf, section, names);
		fine = len <= left;
		left -= len;
	}
	elf_end(elf);
	return fine;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * libelf checks the data that it reads; numbers from the file are never used as unchecked offsets.
 */
#include "symbols/elffile.h"

#include <fcntl.h>
#include <gelf.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buildid.h"
#include "base/compare.h"
#include "base/regular.h"
#include "base/seed.h"
#include "base/sorted.h"
#include "symbols/packed.h"
#include "symbols/unwindtable.h"

#define SEGMENTS_MAX  1170 /* Linux maps no file with more */
#define NAME_BYTES    4096 /* longer names are ignored: each frame in a database has one */
#define UNWIND_BYTES  (G_GUINT64_CONSTANT(1) << 30) /* of tables, for all lookups in a file */
#define SECTION_BYTES 256                           /* memory of libelf for a section, at least */
#define DEBUG_FOLDER  "/usr/lib/debug/.build-id"

typedef struct {
	guint64 start, end; /* addresses in the file */
	const char *name;   /* owned by the ELF file */
	guint binding;      /* lower ones have precedence */
} Function;

typedef struct {
	guint64 offset, len; /* in the file */
	guint64 addr;
} Segment;

struct ElfFile {
	int fd;
	Elf *elf;
	Elf *debug;          /* the debug file, if its functions are used; else NULL */
	UnwindTable *unwind; /* NULL: none */
	guint64 unwind_left; /* remaining of UNWIND_BYTES */
	GHashTable *at_top;  /* addresses to results + 1 */
	guint16 machine;     /* EM_…; 0: unknown */
	GArray *segments;    /* of Segment: loaded ones */
	GArray *functions;   /* of Function, by start */
};

/* An ELF file while its tables are read. */
typedef struct {
	Elf *elf;
	guint64 len; /* of the file */
	ElfBudget *budget;
} Source;

/*
 * Returns whether there are fewer sections than SHN_LORESERVE, as in programs. libelf allocates
 * memory for each section at once.
 */
static gboolean has_few_sections(int fd)
{
	union {
		unsigned char ident[EI_NIDENT];
		Elf32_Ehdr elf32;
		Elf64_Ehdr elf64;
	} head;
	gsize got = MAX(pread(fd, &head, sizeof(head), 0), 0);

	if (got < sizeof(head))
		return FALSE;
	return head.ident[EI_CLASS] == ELFCLASS64 ? head.elf64.e_shnum || !head.elf64.e_shoff
						  : head.elf32.e_shnum || !head.elf32.e_shoff;
}

/* Returns the bytes needed to read a section. One that is longer than the file can't be read. */
static guint64 section_bytes(const Source *source, const GElf_Shdr *header)
{
	return header->sh_type == SHT_NOBITS || header->sh_size > source->len ? 0 : header->sh_size;
}

/* Returns the same for the section with number @section. */
static guint64 numbered_bytes(const Source *source, size_t section)
{
	Elf_Scn *found = elf_getscn(source->elf, section);
	GElf_Shdr header;

	return found && gelf_getshdr(found, &header) ? section_bytes(source, &header) : 0;
}

/* Returns FALSE if the sections and their names exceed the budget. */
static gboolean take_sections(const Source *source)
{
	size_t count = 0, names = SHN_UNDEF;

	if (elf_getshdrnum(source->elf, &count) || elf_getshdrstrndx(source->elf, &names))
		names = SHN_UNDEF;
	return elfbudget_take(source->budget,
			      count * SECTION_BYTES + numbered_bytes(source, names));
}

/* Opens @fd, which remains the caller's. Returns FALSE if it is not an ELF file, or is sparse. */
static gboolean begin(Source *source, int fd, ElfBudget *budget)
{
	struct stat st;

	*source = (Source){ .budget = budget };
	if (fstat(fd, &st) || (guint64)st.st_size > regular_stored_len(fd, &st) ||
	    !has_few_sections(fd))
		return FALSE;
	elf_version(EV_CURRENT);
	source->len = st.st_size;
	source->elf = elf_begin(fd, ELF_C_READ, NULL);
	if (source->elf && elf_kind(source->elf) == ELF_K_ELF && take_sections(source))
		return TRUE;
	elf_end(source->elf);
	return FALSE;
}

/* ---- tables ---- */

static void read_segments(ElfFile *file, Elf *elf)
{
	size_t count = 0;

	if (elf_getphdrnum(elf, &count))
		return;
	for (size_t i = 0; i < MIN(count, SEGMENTS_MAX); i++) {
		GElf_Phdr phdr;
		Segment segment;

		if (!gelf_getphdr(elf, i, &phdr) || phdr.p_type != PT_LOAD)
			continue;
		segment = (Segment){ phdr.p_offset, phdr.p_filesz, phdr.p_vaddr };
		g_array_append_val(file->segments, segment);
	}
}

/* The names of symbols; lookups stop at the last NUL. */
typedef struct {
	const char *bytes;
	gsize len; /* up to the last NUL; 0: none */
} Names;

static Names read_names(Elf *elf, size_t section)
{
	Elf_Data *data = elf_getdata(elf_getscn(elf, section), NULL);
	const char *last = data && data->d_buf ? memrchr(data->d_buf, 0, data->d_size) : NULL;

	return (Names){ last ? data->d_buf : NULL,
			last ? (gsize)(last - (const char *)data->d_buf) : 0 };
}

static void take_symbol(ElfFile *file, Names names, const GElf_Sym *sym)
{
	guint type = GELF_ST_TYPE(sym->st_info), binding = GELF_ST_BIND(sym->st_info);
	Function function = { .start = sym->st_value, .end = sym->st_value + sym->st_size };
	const char *name;

	if ((type != STT_FUNC && type != STT_GNU_IFUNC) || sym->st_shndx == SHN_UNDEF ||
	    !sym->st_size || function.end < function.start)
		return;
	if (sym->st_name >= names.len)
		return;
	name = names.bytes + sym->st_name;
	if (!*name || strnlen(name, NAME_BYTES + 1) > NAME_BYTES)
		return;
	function.binding = binding == STB_GLOBAL ? 0 : binding == STB_WEAK ? 1 : 2;
	function.name = name;
	g_array_append_val(file->functions, function);
}

/* Returns the first table of @type: linkers write one. NULL: none. */
static Elf_Scn *find_table(Elf *elf, GElf_Word type, GElf_Shdr *header)
{
	Elf_Scn *section = NULL;

	while ((section = elf_nextscn(elf, section))) {
		if (gelf_getshdr(section, header) && header->sh_type == type && header->sh_entsize)
			return section;
	}
	return NULL;
}

/* Returns the table of @type, and fills in its header. NULL: none, or it exceeds the budget. */
static Elf_Data *read_table(const Source *source, GElf_Word type, GElf_Shdr *header)
{
	Elf_Scn *section = find_table(source->elf, type, header);

	if (!section ||
	    !elfbudget_take(source->budget, section_bytes(source, header) +
						    numbered_bytes(source, header->sh_link)))
		return NULL;
	return elf_getdata(section, NULL);
}

/* Reads the functions of the table of @type. Returns FALSE if there are none. */
static gboolean read_functions(ElfFile *file, const Source *source, GElf_Word type)
{
	GElf_Shdr header;
	Elf_Data *data = read_table(source, type, &header);
	Names names = data ? read_names(source->elf, header.sh_link) : (Names){ NULL };
	GElf_Sym sym;

	for (int i = 0; data && gelf_getsym(data, i, &sym); i++)
		take_symbol(file, names, &sym);
	return file->functions->len > 0;
}

/* Orders names of one address: exported ones first, then alphabetically. */
static gint compare_functions(gconstpointer a, gconstpointer b)
{
	const Function *x = a, *y = b;

	return COMPARE(x->start, y->start)
		       ?: COMPARE(x->binding, y->binding)
		       ?: strcmp(x->name, y->name);
}

/* Keeps the first name of each address. */
static void sort_functions(GArray *functions)
{
	Function *all = (Function *)(gpointer)functions->data;
	guint kept = 0;

	g_array_sort(functions, compare_functions);
	for (guint i = 0; i < functions->len; i++) {
		if (!kept || all[kept - 1].start != all[i].start)
			all[kept++] = all[i];
	}
	g_array_set_size(functions, kept);
}

/*
 * Reads the functions of the debug file, which has the same addresses, and often all of the
 * symbols.
 */
static gboolean read_debug_functions(ElfFile *file, const char *build_id, ElfBudget *budget)
{
	g_autofree char *path = NULL, *id = NULL;
	gboolean found = FALSE;
	Source source;
	int fd;

	if (!build_id || strlen(build_id) < 3)
		return FALSE;
	path = g_strdup_printf(DEBUG_FOLDER "/%.2s/%s.debug", build_id, build_id + 2);
	fd = regular_open(path, NULL);
	if (fd < 0)
		return FALSE;
	if (begin(&source, fd, budget)) {
		id = buildid_of(source.elf);
		found = g_strcmp0(id, build_id) == 0 && read_functions(file, &source, SHT_SYMTAB);
		if (found) {
			elf_cntl(source.elf, ELF_C_FDDONE); /* its names are in memory */
			file->debug = source.elf;
		} else {
			elf_end(source.elf);
		}
	}
	close(fd);
	return found;
}

static gboolean is_meant(int fd, const char *build_id, guint64 size, guint64 mtime_ns)
{
	g_autofree char *id = NULL;
	struct stat st;

	if (build_id) {
		id = buildid_read(fd);
		return g_strcmp0(id, build_id) == 0;
	}
	return size && fstat(fd, &st) == 0 && (guint64)st.st_size == size &&
	       (guint64)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec == mtime_ns;
}

static ElfFile *read_file(const Source *source, int fd, const char *build_id)
{
	ElfFile *file = g_new0(ElfFile, 1);
	GElf_Ehdr header;

	file->fd = fd;
	file->elf = source->elf;
	file->unwind_left = UNWIND_BYTES;
	file->at_top = g_hash_table_new(seed_number, NULL);
	file->machine = gelf_getehdr(source->elf, &header) ? header.e_machine : 0;
	file->segments = g_array_new(FALSE, FALSE, sizeof(Segment));
	file->functions = g_array_new(FALSE, FALSE, sizeof(Function));
	read_segments(file, source->elf);
	if (!read_functions(file, source, SHT_SYMTAB) &&
	    !read_debug_functions(file, build_id, source->budget))
		read_functions(file, source, SHT_DYNSYM);
	sort_functions(file->functions);
	file->unwind = unwindtable_read(source->elf, source->budget);
	return file;
}

ElfFile *elffile_open(int fd, const char *build_id, guint64 size, guint64 mtime_ns,
		      ElfBudget *budget)
{
	Source source;

	if (is_meant(fd, build_id, size, mtime_ns) && begin(&source, fd, budget)) {
		if (packed_check(fd))
			return read_file(&source, fd, build_id);
		elf_end(source.elf);
	}
	close(fd);
	return NULL;
}

void elffile_free(ElfFile *elf)
{
	if (!elf)
		return;
	unwindtable_free(elf->unwind);
	elf_end(elf->elf);
	elf_end(elf->debug);
	close(elf->fd);
	g_array_unref(elf->segments);
	g_array_unref(elf->functions);
	g_hash_table_unref(elf->at_top);
	g_free(elf);
}

/* ---- queries ---- */

static gboolean address_of(const ElfFile *elf, guint64 offset, guint64 *addr)
{
	for (guint i = 0; i < elf->segments->len; i++) {
		const Segment *segment = &g_array_index(elf->segments, Segment, i);

		if (offset >= segment->offset && offset - segment->offset < segment->len) {
			*addr = segment->addr + (offset - segment->offset);
			return TRUE;
		}
	}
	return FALSE;
}

const char *elffile_function(const ElfFile *elf, guint64 offset, guint64 *within)
{
	const Function *functions = (const Function *)(gpointer)elf->functions->data, *found;
	guint64 addr;
	guint index;

	if (!address_of(elf, offset, &addr))
		return NULL;
	index = SORTED_COUNT(elf->functions, Function, start, addr);
	if (!index)
		return NULL;
	found = &functions[index - 1];
	if (addr >= found->end)
		return NULL;
	*within = addr - found->start;
	return found->name;
}

#define CALL_MAX 7 /* bytes of the longest call, without prefixes */

/* Returns whether @len bytes from @code on are a call through a register or memory: ff /2. */
static gboolean is_indirect_call(const guint8 *code, guint len)
{
	guint mod = code[1] >> 6, rm = code[1] & 7, expected = 2;

	if (code[0] != 0xff || (code[1] >> 3 & 7) != 2)
		return FALSE;
	if (mod != 3 && rm == 4)
		expected++; /* a SIB byte */
	if (mod == 1)
		expected++;
	else if (mod == 2 || (mod == 0 && (rm == 5 || (rm == 4 && len > 3 && (code[2] & 7) == 5))))
		expected += 4;
	return len == expected;
}

/* Returns whether the instruction before is bl, or blr with or without authentication. */
static gboolean follows_arm64_call(const ElfFile *elf, guint64 offset)
{
	guint32 code;

	if (offset < sizeof(code) ||
	    pread(elf->fd, &code, sizeof(code), offset - sizeof(code)) != sizeof(code))
		return FALSE;
	code = GUINT32_FROM_LE(code);
	return code >> 26 == 0x25 || (code & 0xfefff000) == 0xd63f0000;
}

gboolean elffile_follows_call(const ElfFile *elf, guint64 offset)
{
	guint8 code[CALL_MAX];

	if (elf->machine == EM_AARCH64)
		return follows_arm64_call(elf, offset);
	if (elf->machine != EM_X86_64)
		return TRUE;
	if (offset < sizeof(code) ||
	    pread(elf->fd, code, sizeof(code), offset - sizeof(code)) != sizeof(code))
		return FALSE;
	if (code[CALL_MAX - 5] == 0xe8)
		return TRUE;
	for (guint len = 2; len <= CALL_MAX; len++) {
		if (is_indirect_call(code + CALL_MAX - len, len))
			return TRUE;
	}
	return FALSE;
}

/* Also returns FALSE if the budget is spent. */
static gboolean unwind_from_top(ElfFile *elf, guint64 addr, ElfBudget *budget)
{
	guint64 cost = unwindtable_cost(elf->unwind, addr);

	if (MIN(elf->unwind_left, budget->left) < cost) {
		budget->is_spent = TRUE;
		return FALSE;
	}
	elf->unwind_left -= cost;
	budget->left -= cost;
	return unwindtable_returns_from_top(elf->unwind, addr);
}

gboolean elffile_returns_from_top(ElfFile *elf, guint64 offset, ElfBudget *budget)
{
	guint64 addr;
	guint found;

	if (!elf->unwind || !address_of(elf, offset, &addr))
		return FALSE;
	found = GPOINTER_TO_UINT(g_hash_table_lookup(elf->at_top, GSIZE_TO_POINTER(addr)));
	if (!found) {
		found = unwind_from_top(elf, addr, budget) + 1;
		g_hash_table_insert(elf->at_top, GSIZE_TO_POINTER(addr), GUINT_TO_POINTER(found));
	}
	return found == 2;
}

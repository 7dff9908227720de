// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Opens the file with libdwfl, which also relocates the debug information of modules. Our own code
 * walks from a unit down to the innermost function: it stops in a damaged file with cycles.
 */
#include "symbols/debugfile.h"

#include <dwarf.h>
#include <elfutils/libdwelf.h>
#include <elfutils/libdwfl.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buildid.h"
#include "base/compare.h"
#include "base/cpu_limit.h"
#include "base/escape.h"
#include "base/memory.h"
#include "base/message.h"
#include "base/regular.h"
#include "base/sorted.h"
#include "symbols/debuglink.h"
#include "symbols/packed.h"

#define DEPTH_MAX 64 /* nested functions and blocks */

/* Limit of entries and ranges that are read: for a file, and an addition for each address. */
#define STEPS      (20 << 20)
#define STEPS_MORE (100 << 10)

/* Processor time of libdw: the file determines how much one step reads. */
#define TIME_NS         G_GUINT64_CONSTANT(4000000000)
#define TIME_NS_BYTE    1000
#define TIME_NS_ADDRESS 2000000

/* Memory of libdw: it builds tables from the file, which may overlap. */
#define MEMORY_BYTES (64 << 20)
#define MEMORY_RATIO 32 /* bytes for each byte of the file */

/* Bytes: longer names are ignored, since each printed frame has one. */
#define NAME_MAX_BYTES 1024

/* A part of a unit's code, without the bias; @high is its end. */
typedef struct {
	Dwarf_Addr low, high;
	Dwarf_Off unit; /* of its entry */
} Range;

struct DebugFile {
	char *path;
	char *build_id; /* NULL: none */
	struct stat st;
	Dwfl *dwfl;
	Dwfl_Module *module;
	gboolean is_linked; /* its sections move together */
	GArray *symbols;    /* of DebugSymbol, by name; NULL: not read yet */
	GArray *ranges;     /* of Range, by address; NULL: not read yet */
	Dwarf_Addr bias;    /* from libdwfl's addresses to those in @ranges */
	guint64 steps;      /* remaining steps */
	guint64 memory;     /* remaining bytes */
	CpuLimit limit;
	char *memory_line;     /* message if a unit exceeds @memory by far, as in @limit */
	gboolean is_exhausted; /* a limit was exceeded and reported */
};

G_DEFINE_QUARK(kmemtrace - symbols - error - quark, symbols_error)

static gboolean debugfile_fail(const char *path, const char *what, GError **error)
{
	g_set_error(error, SYMBOLS_ERROR, SYMBOLS_ERROR_FAILED, "%s: %s", path, what);
	return FALSE;
}

/* ---- limits ---- */

/* Sets the limits for the file @fd. */
static void allow(DebugFile *file, int fd, const struct stat *st)
{
	guint64 bytes = regular_stored_len(fd, st);

	file->memory += bytes * MEMORY_RATIO;
	file->limit.left_ns += bytes * TIME_NS_BYTE;
}

static void set_limits(DebugFile *file)
{
	g_autofree char *path = escape_text(file->path);

	file->steps = STEPS;
	file->memory = MEMORY_BYTES;
	file->limit.left_ns = TIME_NS;
	file->limit.line = g_strdup_printf(
		"kmemtrace-user: %s: its debug information takes too long to search\n", path);
	file->memory_line = g_strdup_printf(
		"kmemtrace-user: %s: its debug information takes too much memory to search\n",
		path);
}

/* Memory is checked after each unit, and one unit may need any amount. */
static void enter_library(DebugFile *file)
{
	memory_library_enter(file->memory + MEMORY_BYTES, file->memory_line);
	cpu_limit_enter(&file->limit);
}

static void leave_library(DebugFile *file)
{
	cpu_limit_leave(&file->limit);
	memory_library_leave();
}

static void set_exhausted(DebugFile *file)
{
	if (!file->is_exhausted)
		message("%s: its debug information takes too long to search: some source lines are missing",
			file->path);
	file->is_exhausted = TRUE;
}

/* Returns FALSE if libdw has allocated too much since @before bytes were in use. */
static gboolean take_memory(DebugFile *file, guint64 before)
{
	guint64 now = memory_in_use(), more = now > before ? now - before : 0;

	if (more <= file->memory) {
		file->memory -= more;
		return TRUE;
	}
	file->memory = 0;
	file->steps = 0;
	set_exhausted(file);
	return FALSE;
}

/* ---- libdwfl's callbacks: no file is opened by its name ---- */

/* Not called for a module that has a file. */
static int find_no_elf(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base,
		       char **path, Elf **elf)
{
	(void)module, (void)data, (void)name, (void)base, (void)path;
	*elf = NULL;
	return -1;
}

/* Also called for the link of dwz files (without a CRC), which open_file() rejects afterwards. */
static int find_debuginfo(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base,
			  const char *path, const char *link_name, GElf_Word crc, char **found)
{
	DebugFile *file = *data;
	struct stat st;
	int fd;
	const DebugLink link = {
		.path = file->path,
		.own = &file->st,
		.build_id = file->build_id,
		.name = link_name,
		.crc = crc,
	};

	(void)module, (void)name, (void)base, (void)path, (void)found;
	/* libdwfl asserts that the sections of two relocatable files are the same. */
	if (!file->is_linked)
		return -1;
	leave_library(file);
	fd = debuglink_open(&link);
	if (fd >= 0 && fstat(fd, &st) == 0)
		allow(file, fd, &st);
	enter_library(file);
	return fd;
}

static const Dwfl_Callbacks callbacks = {
	.find_elf = find_no_elf,
	.find_debuginfo = find_debuginfo,
	.section_address = dwfl_offline_section_address,
};

/* ---- opening ---- */

/*
 * Returns a descriptor, or -1. Accepts only ELF files: libdwfl would decompress others, to any
 * size, and then it is undefined who closes the descriptor.
 */
static int open_elf(DebugFile *file, GError **error)
{
	int fd = regular_open(file->path, &file->st);
	char start[SELFMAG];

	if (fd < 0) {
		gboolean is_other = errno == EISDIR || errno == EINVAL;

		debugfile_fail(file->path,
			       is_other ? "is not a regular file (expected an ELF file)"
					: g_strerror(errno),
			       error);
		return -1;
	}
	if (pread(fd, start, SELFMAG, 0) != SELFMAG || memcmp(start, ELFMAG, SELFMAG))
		debugfile_fail(file->path, "is not a readable ELF file", error);
	else if (!packed_check(fd))
		debugfile_fail(
			file->path,
			"its packed sections are more than 16 times as long as the file: not unpacked",
			error);
	else
		return fd;
	close(fd);
	return -1;
}

/* Takes over @fd. */
static gboolean report(DebugFile *file, int fd)
{
	void **data;

	file->dwfl = dwfl_begin(&callbacks);
	file->module = file->dwfl ? dwfl_report_offline(file->dwfl, "", file->path, fd) : NULL;
	if (!file->module) {
		close(fd);
		return FALSE;
	}
	dwfl_module_info(file->module, &data, NULL, NULL, NULL, NULL, NULL, NULL);
	*data = file;
	return dwfl_report_end(file->dwfl, NULL, NULL) == 0;
}

static gboolean read_header(DebugFile *file)
{
	GElf_Addr bias;
	GElf_Ehdr header;
	Elf *elf = dwfl_module_getelf(file->module, &bias);

	if (!elf || !gelf_getehdr(elf, &header))
		return FALSE;
	file->is_linked = header.e_type != ET_REL;
	file->build_id = buildid_of(elf);
	return TRUE;
}

/* Takes over @fd. */
static gboolean open_debug(DebugFile *file, int fd, GError **error)
{
	const char *name;
	const void *id;
	Dwarf_Addr bias;
	Dwarf *dwarf;

	if (!report(file, fd) || !read_header(file))
		return debugfile_fail(file->path, "is not a readable ELF file", error);
	dwarf = dwfl_module_getdwarf(file->module, &bias);
	if (!dwarf)
		return debugfile_fail(file->path,
				      "has no debug information: it was stripped, or built without",
				      error);
	/* libdw would open the other file by its name, which is not trusted. */
	if (dwelf_dwarf_gnu_debugaltlink(dwarf, &name, &id) > 0)
		return debugfile_fail(
			file->path,
			"its debug information is in part in another file (.gnu_debugaltlink, by dwz -m), which is not supported",
			error);
	return TRUE;
}

static gboolean open_file(DebugFile *file, GError **error)
{
	int fd = open_elf(file, error);
	gboolean fine;

	if (fd < 0)
		return FALSE;
	allow(file, fd, &file->st);
	enter_library(file);
	fine = open_debug(file, fd, error);
	leave_library(file);
	return fine;
}

DebugFile *debugfile_open(const char *path, GError **error)
{
	g_autoptr(DebugFile) file = g_new0(DebugFile, 1);

	file->path = g_strdup(path);
	set_limits(file);
	return open_file(file, error) ? g_steal_pointer(&file) : NULL;
}

void debugfile_close(DebugFile *file)
{
	if (!file)
		return;
	g_clear_pointer(&file->symbols, g_array_unref);
	g_clear_pointer(&file->ranges, g_array_unref);
	if (file->dwfl)
		dwfl_end(file->dwfl);
	g_free(file->limit.line);
	g_free(file->memory_line);
	g_free(file->build_id);
	g_free(file->path);
	g_free(file);
}

const char *debugfile_path(const DebugFile *file)
{
	return file->path;
}

const char *debugfile_build_id(const DebugFile *file)
{
	return file->build_id;
}

/* ---- symbols ---- */

static int compare_symbols(gconstpointer a, gconstpointer b)
{
	const DebugSymbol *x = a, *y = b;

	return strcmp(x->name, y->name) ?: COMPARE(x->addr, y->addr);
}

/* Returns whether it is a function, or a symbol without a type, such as _stext. */
static gboolean is_place(const GElf_Sym *sym, GElf_Word section)
{
	guint type = GELF_ST_TYPE(sym->st_info);

	return (type == STT_FUNC || type == STT_NOTYPE) && section != SHN_UNDEF &&
	       (section < SHN_LORESERVE || section > SHN_HIRESERVE);
}

static void read_symbols(DebugFile *file)
{
	int count = dwfl_module_getsymtab(file->module);
	guint kept = 0;

	file->symbols = g_array_new(FALSE, FALSE, sizeof(DebugSymbol));
	for (int i = 1; i < count; i++) {
		DebugSymbol symbol = { NULL };
		GElf_Word section = SHN_UNDEF;
		GElf_Sym sym;

		symbol.name = dwfl_module_getsym_info(file->module, i, &sym, &symbol.addr, &section,
						      NULL, NULL);
		if (!symbol.name || !*symbol.name || !is_place(&sym, section))
			continue;
		symbol.section = file->is_linked ? 0 : section;
		g_array_append_val(file->symbols, symbol);
	}
	g_array_sort(file->symbols, compare_symbols);
	for (guint i = 0; i < file->symbols->len; i++) {
		DebugSymbol *all = (DebugSymbol *)(gpointer)file->symbols->data;

		if (!kept || compare_symbols(&all[i], &all[kept - 1]))
			all[kept++] = all[i];
	}
	g_array_set_size(file->symbols, kept);
}

const DebugSymbol *debugfile_find(DebugFile *file, const char *name, guint *count)
{
	guint low = 0, high;

	if (!file->symbols) {
		enter_library(file);
		read_symbols(file);
		leave_library(file);
	}
	high = file->symbols->len;
	while (low < high) {
		guint middle = low + (high - low) / 2;

		if (strcmp(g_array_index(file->symbols, DebugSymbol, middle).name, name) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	for (*count = 0; low + *count < file->symbols->len; ++*count) {
		if (strcmp(g_array_index(file->symbols, DebugSymbol, low + *count).name, name))
			break;
	}
	return *count ? &g_array_index(file->symbols, DebugSymbol, low) : NULL;
}

/* ---- lines ---- */

/*
 * Limits the search: real units have some ten thousand entries at the top, a crafted file any
 * number. Returns FALSE, with a message the first time, if the limit is exceeded.
 */
static gboolean take_step(DebugFile *file)
{
	if (file->steps) {
		file->steps--;
		return TRUE;
	}
	set_exhausted(file);
	return FALSE;
}

static gint compare_ranges(gconstpointer a, gconstpointer b)
{
	const Range *x = a, *y = b;

	return COMPARE(x->low, y->low);
}

static void add_ranges(DebugFile *file, Dwarf_Die *unit)
{
	Range range = { .unit = dwarf_dieoffset(unit) };
	ptrdiff_t next = 0;
	Dwarf_Addr base;

	while ((next = dwarf_ranges(unit, next, &base, &range.low, &range.high)) > 0 &&
	       take_step(file))
		g_array_append_val(file->ranges, range);
}

/* Reads the ranges from the units: aranges would have the same, but clang does not write them. */
static void read_units(DebugFile *file)
{
	guint64 before = memory_in_use();
	Dwarf_Die *unit = NULL;

	file->ranges = g_array_new(FALSE, FALSE, sizeof(Range));
	while ((unit = dwfl_module_nextcu(file->module, unit, &file->bias)) && take_step(file)) {
		add_ranges(file, unit);
		if (!take_memory(file, before))
			break;
		before = memory_in_use();
	}
	g_array_sort(file->ranges, compare_ranges);
}

/* Returns FALSE if no unit has code at @addr. */
static gboolean find_unit(DebugFile *file, guint64 addr, Dwarf_Die *unit)
{
	guint count = SORTED_COUNT(file->ranges, Range, low, addr - file->bias);
	const Range *last = count ? &g_array_index(file->ranges, Range, count - 1) : NULL;
	Dwarf_Addr bias;

	return last && addr - file->bias < last->high &&
	       dwarf_offdie(dwfl_module_getdwarf(file->module, &bias), last->unit, unit);
}

typedef struct {
	DebugFile *file;
	Dwarf_Addr addr;
	Dwarf_Die functions[DEPTH_MAX]; /* outermost first */
	guint count;
} Chain;

static void descend(Chain *chain, Dwarf_Die *parent, guint depth);

/* Returns FALSE if the address is not in @die. */
static gboolean enter(Chain *chain, Dwarf_Die *die, guint depth)
{
	int tag = dwarf_tag(die);

	if (tag == DW_TAG_namespace) {
		guint before = chain->count;

		descend(chain, die, depth + 1);
		return chain->count > before;
	}
	if ((tag != DW_TAG_subprogram && tag != DW_TAG_inlined_subroutine &&
	     tag != DW_TAG_lexical_block) ||
	    dwarf_haspc(die, chain->addr) <= 0)
		return FALSE;
	if (tag != DW_TAG_lexical_block && chain->count < DEPTH_MAX)
		chain->functions[chain->count++] = *die;
	descend(chain, die, depth + 1);
	return TRUE;
}

/* Descends into the children of @parent. In an intact file offsets ascend. */
static void descend(Chain *chain, Dwarf_Die *parent, guint depth)
{
	Dwarf_Die die;
	Dwarf_Off last;

	if (depth > DEPTH_MAX || dwarf_child(parent, &die))
		return;
	do {
		if (!take_step(chain->file) || enter(chain, &die, depth))
			return;
		last = dwarf_dieoffset(&die);
	} while (dwarf_siblingof(&die, &die) == 0 && dwarf_dieoffset(&die) > last);
}

/* Returns @path without the compilation folder @dir, and "./" after it. NULL: too long. */
static const char *shorten(const char *path, const char *dir)
{
	gsize len = dir ? strlen(dir) : 0;

	if (len && !strncmp(path, dir, len) && path[len] == '/')
		path += len + 1;
	while (g_str_has_prefix(path, "./"))
		path += 2;
	return strnlen(path, NAME_MAX_BYTES) < NAME_MAX_BYTES ? path : NULL;
}

static const char *function_name(Dwarf_Die *die)
{
	Dwarf_Attribute attr;
	const char *name = dwarf_formstring(dwarf_attr_integrate(die, DW_AT_name, &attr));

	return name && strnlen(name, NAME_MAX_BYTES) < NAME_MAX_BYTES ? name : NULL;
}

static guint number_of(Dwarf_Die *die, guint name)
{
	Dwarf_Attribute attr;
	Dwarf_Word value;

	if (!dwarf_attr(die, name, &attr) || dwarf_formudata(&attr, &value))
		return 0;
	return MIN(value, G_MAXINT32);
}

/* Returns the line that calls the inlined function @die. */
static DebugLine *call_of(Dwarf_Die *die, Dwarf_Files *files, size_t count, const char *dir)
{
	guint number = number_of(die, DW_AT_call_file);
	DebugLine *line = g_new0(DebugLine, 1);
	const char *path = NULL;

	if (files && number < count)
		path = dwarf_filesrc(files, number, NULL, NULL);
	line->file = path ? shorten(path, dir) : NULL;
	line->line = line->file ? number_of(die, DW_AT_call_line) : 0;
	return line;
}

static DebugLine *place_of(Dwarf_Die *unit, Dwarf_Addr addr, const char *dir)
{
	Dwarf_Line *source = dwarf_getsrc_die(unit, addr);
	const char *path = source ? dwarf_linesrc(source, NULL, NULL) : NULL;
	DebugLine *line = g_new0(DebugLine, 1);
	int number;

	line->file = path ? shorten(path, dir) : NULL;
	if (line->file && !dwarf_lineno(source, &number) && number > 0)
		line->line = number;
	return line;
}

static const char *compile_dir(Dwarf_Die *unit)
{
	Dwarf_Attribute attr;

	return dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &attr));
}

static GPtrArray *find_lines(DebugFile *file, guint64 addr)
{
	g_autoptr(GPtrArray) lines = g_ptr_array_new_with_free_func(g_free);
	Chain chain = { .file = file };
	Dwarf_Files *files = NULL;
	size_t files_count = 0;
	DebugLine *place;
	const char *dir;
	Dwarf_Die unit;

	if (!find_unit(file, addr, &unit))
		return NULL;
	dir = compile_dir(&unit);
	if (dwarf_getsrcfiles(&unit, &files, &files_count))
		files = NULL;
	chain.addr = addr - file->bias;
	descend(&chain, &unit, 0);
	place = place_of(&unit, chain.addr, dir);
	for (guint i = chain.count; i-- > 0;) {
		place->function = function_name(&chain.functions[i]);
		g_ptr_array_add(lines, place);
		if (dwarf_tag(&chain.functions[i]) != DW_TAG_inlined_subroutine)
			return g_steal_pointer(&lines);
		place = call_of(&chain.functions[i], files, files_count, dir);
	}
	g_ptr_array_add(lines, place);
	return place->file ? g_steal_pointer(&lines) : NULL;
}

GPtrArray *debugfile_lines(DebugFile *file, guint64 addr)
{
	GPtrArray *lines = NULL;
	guint64 before;

	file->steps += STEPS_MORE;
	file->limit.left_ns += TIME_NS_ADDRESS;
	enter_library(file);
	if (!file->ranges)
		read_units(file);
	before = memory_in_use();
	if (file->memory) {
		lines = find_lines(file, addr);
		take_memory(file, before);
	}
	leave_library(file);
	return lines;
}

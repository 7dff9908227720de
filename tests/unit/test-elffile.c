// SPDX-License-Identifier: GPL-2.0-or-later
/* Functions by the symbol table of an ELF file, this test's own binary. */
#include <elf.h>
#include <fcntl.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <malloc.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/lsan_interface.h>
#endif

#include "base/buildid.h"
#include "symbols/elffile.h"

static volatile gsize returns_to;

static __attribute__((noinline, noclone)) void known_function(void)
{
	returns_to = (gsize)__builtin_return_address(0);
}

static __attribute__((noinline, noclone)) void known_caller(void)
{
	volatile char frame[64];

	frame[0] = 0;
	known_function();
	__asm__ volatile("" : : "r"(frame) : "memory");
}

/* The offset of @addr in this program's file. */
static guint64 offset_of(gsize addr)
{
	g_autofree char *maps = NULL;
	g_auto(GStrv) lines = NULL;

	g_assert_true(g_file_get_contents("/proc/self/maps", &maps, NULL, NULL));
	lines = g_strsplit(maps, "\n", -1);
	for (guint i = 0; lines[i]; i++) {
		unsigned long start, end, offset;

		if (sscanf(lines[i], "%lx-%lx %*s %lx", &start, &end, &offset) == 3 &&
		    addr >= start && addr < end)
			return offset + (addr - start);
	}
	g_assert_not_reached();
}

static struct stat own_stat(int *fd)
{
	struct stat st;

	*fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	g_assert_cmpint(*fd, >=, 0);
	g_assert_cmpint(fstat(*fd, &st), ==, 0);
	return st;
}

static guint64 mtime_of(const struct stat *st)
{
	return (guint64)st->st_mtim.tv_sec * 1000000000 + st->st_mtim.tv_nsec;
}

static ElfFile *open_elf(const char *path, const char *build_id, guint64 size, guint64 mtime_ns)
{
	ElfBudget budget = TABLE_BUDGET_INIT;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	g_assert_cmpint(fd, >=, 0);
	return elffile_open(fd, build_id, size, mtime_ns, &budget);
}

static ElfFile *open_own(void)
{
	g_autofree char *id = NULL, *path = g_file_read_link("/proc/self/exe", NULL);
	ElfFile *elf;
	int fd;
	struct stat st = own_stat(&fd);

	id = buildid_read(fd);
	close(fd);
	elf = open_elf(path, id, st.st_size, mtime_of(&st));
	g_assert_nonnull(elf);
	return elf;
}

static void function_of_offset_is_found(void)
{
	g_autoptr(ElfFile) elf = open_own();
	guint64 within = 99;

	known_caller();
	g_assert_cmpstr(elffile_function(elf, offset_of((gsize)known_function), &within), ==,
			"known_function");
	g_assert_cmpuint(within, ==, 0);
	g_assert_cmpstr(elffile_function(elf, offset_of(returns_to) - 1, &within), ==, "known_caller");
	g_assert_cmpuint(within, ==, returns_to - 1 - (gsize)known_caller);
	g_assert_null(elffile_function(elf, 0, &within));
	g_assert_null(elffile_function(elf, G_MAXUINT64, &within));
}

static void return_address_is_recognised(void)
{
	g_autoptr(ElfFile) elf = open_own();

	known_caller();
	g_assert_true(elffile_follows_call(elf, offset_of(returns_to)));
#ifdef __x86_64__
	g_assert_false(elffile_follows_call(elf, offset_of((gsize)known_caller)));
	g_assert_false(elffile_follows_call(elf, 3));
	g_assert_false(elffile_follows_call(elf, G_MAXINT64));
#endif
}

/* At the first instruction of a function. */
static void return_address_at_stack_top_is_recognised(void)
{
	g_autoptr(ElfFile) elf = open_own();
	ElfBudget budget = UNWIND_BUDGET_INIT;

#ifdef __x86_64__
	g_assert_true(elffile_returns_from_top(elf, offset_of((gsize)known_caller), &budget));
	known_caller();
	g_assert_false(elffile_returns_from_top(elf, offset_of(returns_to) - 1, &budget));
#endif
	g_assert_false(elffile_returns_from_top(elf, 0, &budget));
	g_assert_false(budget.is_spent);
}

/*
 * Assembles the program @path with @compiler. Returns the offset of the @wanted bytes of its code
 * in the file.
 */
static guint64 assemble_by(const char *compiler, const char *path, const char *text,
			   const char *wanted, gsize wanted_len)
{
	g_autofree char *source = g_strconcat(path, ".s", NULL), *bytes = NULL;
	const char *argv[] = { compiler, "-nostdlib", "-static", "-o", path, source, NULL };
	int status;
	gsize len;
	char *at;

	g_assert_true(g_file_set_contents(source, text, -1, NULL));
	g_assert_true(g_spawn_sync(NULL, (char **)argv, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, NULL,
				   NULL, &status, NULL));
	g_assert_cmpint(status, ==, 0);
	g_assert_cmpint(g_unlink(source), ==, 0);
	g_assert_true(g_file_get_contents(path, &bytes, &len, NULL));
	at = memmem(bytes, len, wanted, wanted_len);
	g_assert_nonnull(at);
	return at - bytes;
}

#define ARM64_COMPILER "aarch64-linux-gnu-gcc"

/*
 * The link register has the caller until the function saves it, and again once it is restored; it
 * may be signed meanwhile.
 */
static void link_register_of_arm64_is_recognised(void)
{
	static const char text[] =
		".globl _start\n_start: .cfi_startproc\nnop\n"
		"hint 25\n.cfi_negate_ra_state\n"
		"stp x29, x30, [sp, -32]!\n"
		".cfi_def_cfa_offset 32\n.cfi_offset 29, -32\n.cfi_offset 30, -24\n"
		"mov x29, sp\nbl _start\nblr x1\n.cfi_remember_state\nldp x29, x30, [sp], 32\n"
		".cfi_restore 30\n.cfi_restore 29\n.cfi_def_cfa_offset 0\nret\n"
		".cfi_restore_state\nnop\n"
		".cfi_endproc\n";
	/* By instruction. */
	static const char linked[] = "111000010", called[] = "000001100";
	g_autofree char *compiler = g_find_program_in_path(ARM64_COMPILER);
	g_autofree char *dir = g_dir_make_tmp("kmemtrace-elffile-XXXXXX", NULL);
	g_autofree char *path = g_build_filename(dir, "program", NULL);
	ElfBudget budget = UNWIND_BUDGET_INIT;
	struct stat st;

	if (compiler) {
		guint64 start = assemble_by(compiler, path, text,
					    "\x1f\x20\x03\xd5\x3f\x23\x03\xd5", 8);
		g_autoptr(ElfFile) elf = NULL;

		g_assert_cmpint(stat(path, &st), ==, 0);
		elf = open_elf(path, NULL, st.st_size, mtime_of(&st));
		for (guint i = 0; linked[i]; i++) {
			guint64 at = start + 4 * i;

			g_assert_cmpint(elffile_returns_from_top(elf, at, &budget), ==,
					linked[i] == '1');
			g_assert_cmpint(elffile_follows_call(elf, at), ==, called[i] == '1');
		}
		g_assert_cmpint(g_unlink(path), ==, 0);
	} else {
		g_test_skip(ARM64_COMPILER " is missing");
	}
	g_assert_cmpint(g_rmdir(dir), ==, 0);
}

#ifdef __x86_64__
#define LOOKUPS	4096	/* bytes of code with a long table */

/* A program with LOOKUPS nops. Returns their offset in the file. */
static guint64 assemble(const char *path, const char *text)
{
	g_autofree char *nops = g_strnfill(LOOKUPS, '\x90');

	return assemble_by("gcc", path, text, nops, LOOKUPS);
}

#define CODE(table) ".globl _start\n_start: .cfi_startproc\n" table \
		    "\n.skip " G_STRINGIFY(LOOKUPS) ", 0x90\n.cfi_endproc\n"

/* A table of 400 KB. */
static guint64 make_long_table(const char *path)
{
	return assemble(path, CODE(".rept 200000\n.cfi_remember_state\n.cfi_restore_state\n.endr"));
}

/*
 * A rule for a register with a high number costs no more than others, and neither do saved states.
 */
static void numbers_in_unwind_tables_cost_nothing(void)
{
	g_autofree char *dir = g_dir_make_tmp("kmemtrace-elffile-XXXXXX", NULL);
	g_autofree char *path = g_build_filename(dir, "program", NULL);
	static const char *const tables[] = {
		CODE(".rept 3\n.cfi_offset 200000000, 16\n.cfi_remember_state\n.endr"),
		CODE(".rept 65\n.cfi_remember_state\n.endr"), /* more than any compiler saves */
		CODE(".cfi_def_cfa_offset 16"),
	};

	for (guint i = 0; i < G_N_ELEMENTS(tables); i++) {
		ElfBudget budget = UNWIND_BUDGET_INIT;
		guint64 start = assemble(path, tables[i]);
		struct mallinfo2 before, after;
		struct stat st;
		ElfFile *elf;

		g_assert_cmpint(stat(path, &st), ==, 0);
		elf = open_elf(path, NULL, st.st_size, mtime_of(&st));
		before = mallinfo2();
		g_assert_cmpint(elffile_returns_from_top(elf, start, &budget), ==, i == 0);
		after = mallinfo2();
		g_assert_cmpuint(after.uordblks + after.hblkhd, <=,
				 before.uordblks + before.hblkhd + 4096);
		elffile_free(elf);
	}
	g_assert_cmpint(g_unlink(path), ==, 0);
	g_assert_cmpint(g_rmdir(dir), ==, 0);
}

/* A function's table may be as long as the file, and each lookup executes one. */
static void unwind_tables_have_a_budget(void)
{
	g_autofree char *dir = g_dir_make_tmp("kmemtrace-elffile-XXXXXX", NULL);
	g_autofree char *path = g_build_filename(dir, "program", NULL);
	ElfBudget budget = UNWIND_BUDGET_INIT, small = UNWIND_BUDGET_INIT;
	guint64 start = make_long_table(path), all = budget.left, cost;
	ElfFile *files[3];
	struct stat st;

	g_assert_cmpint(stat(path, &st), ==, 0);
	for (guint i = 0; i < G_N_ELEMENTS(files); i++)
		files[i] = open_elf(path, NULL, st.st_size, mtime_of(&st));
	g_assert_true(elffile_returns_from_top(files[0], start, &budget));
	cost = all - budget.left;
	g_assert_cmpuint(cost, >, 400000);
	g_assert_true(elffile_returns_from_top(files[0], start, &budget));
	g_assert_cmpuint(budget.left, ==, all - cost);	/* the result was cached */

	/* All files together. */
	small.left = 2 * cost - 1;
	g_assert_true(elffile_returns_from_top(files[1], start, &small));
	g_assert_false(small.is_spent);
	g_assert_false(elffile_returns_from_top(files[2], start, &small));
	g_assert_true(small.is_spent);
	g_assert_cmpuint(small.left, ==, cost - 1);

	/* One file. */
	for (guint64 i = 1; i < LOOKUPS && !budget.is_spent; i++)
		g_assert_true(elffile_returns_from_top(files[0], start + i, &budget) ||
			      budget.is_spent);
	g_assert_true(budget.is_spent);
	g_assert_cmpuint(budget.left, >, all / 2);
	g_assert_true(elffile_returns_from_top(files[0], start, &budget));
	for (guint i = 0; i < G_N_ELEMENTS(files); i++)
		elffile_free(files[i]);
	g_assert_cmpint(g_unlink(path), ==, 0);
	g_assert_cmpint(g_rmdir(dir), ==, 0);
}
#endif

static void file_with_other_identity_is_rejected(void)
{
	g_autofree char *id = NULL, *path = g_file_read_link("/proc/self/exe", NULL);
	int fd;
	struct stat st = own_stat(&fd);

	id = buildid_read(fd);
	close(fd);
	if (id) {
		id[0] = id[0] == '0' ? '1' : '0';
		g_assert_null(open_elf(path, id, st.st_size, mtime_of(&st)));
	}
	g_assert_null(open_elf(path, NULL, st.st_size + 1, mtime_of(&st)));
	g_assert_null(open_elf(path, NULL, st.st_size, mtime_of(&st) + 1));
	g_assert_null(open_elf(path, NULL, 0, 0));
	elffile_free(open_elf(path, NULL, st.st_size, mtime_of(&st)));
}

/* The same file with changed bytes, and truncated: lookups must not crash. */
/*
 * In a damaged file without a section of unwind tables, dwarf_getcfi_elf() of libdw 0.188 reads the
 * whole file, and elf_end() then does not free the sections read before.
 */
static void ignore_leaks(gboolean ignored)
{
#ifdef __SANITIZE_ADDRESS__
	(ignored ? __lsan_disable : __lsan_enable)();
#else
	(void)ignored;
#endif
}

static void damaged_file_is_survived(void)
{
	g_autofree char *path = g_build_filename(g_get_tmp_dir(), "kmt-elf-XXXXXX", NULL);
	g_autofree char *bytes = NULL;
	gsize len;
	int fd = g_mkstemp(path);

	g_assert_cmpint(fd, >=, 0);
	g_assert_true(g_file_get_contents("/proc/self/exe", &bytes, &len, NULL));
	for (guint round = 0; round < 60; round++) {
		g_autofree char *copy = g_memdup2(bytes, len);
		gsize kept = round % 3 ? len : (gsize)g_test_rand_int_range(1, len);
		struct stat st;
		guint64 within;
		ElfFile *elf;

		for (guint i = 0; i < 20; i++)
			copy[g_test_rand_int_range(0, round % 2 ? len : 1024)] = g_test_rand_int();
		g_assert_true(g_file_set_contents(path, copy, kept, NULL));
		g_assert_cmpint(stat(path, &st), ==, 0);
		ignore_leaks(TRUE);
		elf = open_elf(path, NULL, st.st_size, mtime_of(&st));
		for (guint64 offset = 0; elf && offset < kept; offset += 4096)
			elffile_function(elf, offset, &within);
		elffile_free(elf);
		ignore_leaks(FALSE);
	}
	close(fd);
	g_unlink(path);
}

/* Heap bytes that a file uses while it is open. */
static gsize bytes_of(const char *path)
{
	struct mallinfo2 before = mallinfo2(), after;
	struct stat st;
	ElfFile *elf;

	g_assert_cmpint(stat(path, &st), ==, 0);
	elf = open_elf(path, NULL, st.st_size, mtime_of(&st));
	g_assert_nonnull(elf);
	after = mallinfo2();
	elffile_free(elf);
	return after.uordblks + after.hblkhd - before.uordblks - before.hblkhd;
}

/* This program with @tables more headers of its symbol table, after its end. */
static void write_with_tables(const char *path, guint tables)
{
	g_autoptr(GByteArray) file = g_byte_array_new();
	g_autofree char *bytes = NULL;
	Elf64_Ehdr header;
	Elf64_Shdr table = { 0 };
	gsize len;

	g_assert_true(g_file_get_contents("/proc/self/exe", &bytes, &len, NULL));
	memcpy(&header, bytes, sizeof(header));
	for (guint i = 0; i < header.e_shnum && table.sh_type != SHT_DYNSYM; i++)
		memcpy(&table, bytes + header.e_shoff + i * sizeof(table), sizeof(table));
	g_assert_cmpuint(table.sh_type, ==, SHT_DYNSYM);
	g_byte_array_append(file, (guint8 *)bytes, len);
	while (file->len % 8)
		g_byte_array_append(file, (const guint8 *)"", 1);
	g_byte_array_append(file, (guint8 *)bytes + header.e_shoff,
			    header.e_shnum * sizeof(table));
	header.e_shoff = file->len - header.e_shnum * sizeof(table);
	table.sh_type = SHT_SYMTAB;
	for (guint i = 0; i < tables; i++)
		g_byte_array_append(file, (guint8 *)&table, sizeof(table));
	header.e_shnum += tables;
	memcpy(file->data, &header, sizeof(header));
	g_assert_true(g_file_set_contents(path, (char *)file->data, file->len, NULL));
}

/* Each header costs 64 bytes of the file; the table that they share is read once. */
static void many_symbol_tables_take_the_memory_of_one(void)
{
	g_autofree char *path = g_build_filename(g_get_tmp_dir(), "kmt-elf-XXXXXX", NULL);
	int fd = g_mkstemp(path);
	gsize one, many;

	g_assert_cmpint(fd, >=, 0);
	write_with_tables(path, 1);
	one = bytes_of(path);
	write_with_tables(path, 4000);
	many = bytes_of(path);
	g_test_message("%zu bytes, and %zu with 4000 tables", one, many);
#ifndef __SANITIZE_ADDRESS__
	g_assert_cmpuint(many, <, one + 4000 * 1024);
#endif
	close(fd);
	g_unlink(path);
}

/* This program, for unlink(). */
static char *copy_own(void)
{
	char *path = g_build_filename(g_get_tmp_dir(), "kmt-elf-XXXXXX", NULL);
	g_autofree char *bytes = NULL;
	gsize len;

	close(g_mkstemp(path));
	g_assert_true(g_file_get_contents("/proc/self/exe", &bytes, &len, NULL));
	g_assert_true(g_file_set_contents(path, bytes, len, NULL));
	return path;
}

static ElfFile *open_within(const char *path, ElfBudget *budget)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;

	g_assert_cmpint(fstat(fd, &st), ==, 0);
	return elffile_open(fd, NULL, st.st_size, mtime_of(&st), budget);
}

/* A section in a hole takes memory but no disk space. */
static void file_of_holes_is_rejected(void)
{
	g_autofree char *path = copy_own();
	ElfBudget budget = TABLE_BUDGET_INIT;
	guint64 all = budget.left;
	ElfFile *elf = open_within(path, &budget);

	g_assert_nonnull(elf);
	elffile_free(elf);
	g_assert_cmpuint(budget.left, <, all);
	all = budget.left;
	g_assert_cmpint(truncate(path, G_GINT64_CONSTANT(1) << 30), ==, 0);
	g_assert_null(open_within(path, &budget));
	g_assert_cmpuint(budget.left, ==, all);
	g_assert_false(budget.is_spent);
	g_assert_cmpint(g_unlink(path), ==, 0);
}

/* Their number is then in the header of section 0, as in no real program. */
static void file_of_too_many_sections_is_rejected(void)
{
	g_autofree char *path = copy_own();
	int fd = open(path, O_RDWR | O_CLOEXEC);
	Elf64_Shdr section;
	Elf64_Ehdr header;

	g_assert_cmpint(pread(fd, &header, sizeof(header), 0), ==, sizeof(header));
	g_assert_cmpint(pread(fd, &section, sizeof(section), header.e_shoff), ==, sizeof(section));
	section.sh_size = header.e_shnum;
	header.e_shnum = 0;
	g_assert_cmpint(pwrite(fd, &header, sizeof(header), 0), ==, sizeof(header));
	g_assert_cmpint(pwrite(fd, &section, sizeof(section), header.e_shoff), ==, sizeof(section));
	close(fd);
	g_assert_null(open_within(path, &(ElfBudget)TABLE_BUDGET_INIT));
	g_assert_cmpint(g_unlink(path), ==, 0);
}

static gboolean knows_function(const ElfFile *elf)
{
	guint64 within;

	return elffile_function(elf, offset_of((gsize)known_function), &within) != NULL;
}

/* For all files together. Sections beyond the budget count as missing. */
static void tables_have_a_budget(void)
{
	g_autofree char *path = copy_own();
	ElfBudget budget = TABLE_BUDGET_INIT;
	guint64 all = budget.left, cost;
	ElfFile *first = open_within(path, &budget), *second, *third;

	cost = all - budget.left;
	g_assert_cmpuint(cost, >, 0);
	g_assert_true(knows_function(first));
	budget.left = 2 * cost - 1;
	second = open_within(path, &budget);
	g_assert_cmpuint(budget.left, ==, cost - 1);
	g_assert_false(budget.is_spent);
	g_assert_true(knows_function(second));
	third = open_within(path, &budget);
	g_assert_true(budget.is_spent);
	g_assert_cmpuint(budget.left, <, cost - 1);
	g_assert_nonnull(third);
	g_assert_true(elffile_follows_call(third, 0) == elffile_follows_call(first, 0));
	budget.left = 0;
	g_assert_null(open_within(path, &budget));
	elffile_free(first);
	elffile_free(second);
	elffile_free(third);
	g_assert_cmpint(g_unlink(path), ==, 0);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
#define TEST(name)	g_test_add_func("/elffile/" #name, name)
	TEST(function_of_offset_is_found);
	TEST(return_address_is_recognised);
	TEST(return_address_at_stack_top_is_recognised);
	TEST(link_register_of_arm64_is_recognised);
#ifdef __x86_64__
	TEST(unwind_tables_have_a_budget);
	TEST(numbers_in_unwind_tables_cost_nothing);
#endif
	TEST(file_with_other_identity_is_rejected);
	TEST(damaged_file_is_survived);
	TEST(many_symbol_tables_take_the_memory_of_one);
	TEST(file_of_holes_is_rejected);
	TEST(file_of_too_many_sections_is_rejected);
	TEST(tables_have_a_budget);
	return g_test_run();
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * libdw splits the section into entries. Their instructions run here: libdw keeps a rule for each
 * register up to the highest number, and copies all of them for an instruction of one byte.
 */
#include "symbols/unwindtable.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <gelf.h>
#include <string.h>

#include "base/compare.h"
#include "base/seed.h"
#include "base/sorted.h"

#define RSP             7  /* of x86-64, as DWARF numbers registers */
#define LINK_REGISTER   30 /* of arm64 */
#define REMEMBERED_MAX  64 /* states at a time; compilers use one */
#define DW_EH_PE_FORMAT 0x0f

typedef struct {
	const guint8 *code, *code_end;
	guint64 code_align;
	gint64 data_align;
	guint8 encoding; /* of addresses in its entries */
	gboolean has_augmentation;
} Common;

typedef struct {
	guint64 start, end; /* addresses */
	const guint8 *code, *code_end;
	guint common;
} Entry;

struct UnwindTable {
	gboolean is_arm64;
	const guint8 *bytes;
	guint64 addr;       /* of @bytes */
	GArray *commons;    /* of Common */
	GHashTable *common; /* offset to its number + 1; 1 in place of an unsupported one */
	GArray *entries;    /* of Entry, by start */
};

/* ---- numbers ---- */

typedef struct {
	const guint8 *at, *end;
	gboolean failed; /* the data ended too early */
} Bytes;

static guint8 take_byte(Bytes *bytes)
{
	if (bytes->at < bytes->end)
		return *bytes->at++;
	bytes->failed = TRUE;
	return 0;
}

static void skip(Bytes *bytes, guint64 count)
{
	if (count > (guint64)(bytes->end - bytes->at)) {
		bytes->failed = TRUE;
		bytes->at = bytes->end;
	} else {
		bytes->at += count;
	}
}

static guint64 take_fixed(Bytes *bytes, guint size)
{
	guint64 value = 0;

	for (guint i = 0; i < size; i++)
		value |= (guint64)take_byte(bytes) << 8 * i;
	return value;
}

/* Reads a LEB128 number; bits above 64 are lost. @is_signed: extend the sign. */
static guint64 take_leb(Bytes *bytes, gboolean is_signed)
{
	guint64 value = 0;
	guint shift = 0;
	guint8 byte;

	do {
		byte = take_byte(bytes);
		if (shift < 64)
			value |= (guint64)(byte & 0x7f) << shift;
		shift = MIN(shift + 7, 64);
	} while (byte & 0x80);
	if (is_signed && byte & 0x40 && shift < 64)
		value |= ~G_GUINT64_CONSTANT(0) << shift;
	return value;
}

/* Returns the bytes of an address in @encoding; 0: linkers don't use that encoding. */
static guint address_size(guint8 encoding)
{
	switch (encoding & DW_EH_PE_FORMAT) {
	case DW_EH_PE_absptr:
	case DW_EH_PE_udata8:
	case DW_EH_PE_sdata8:
		return 8;
	case DW_EH_PE_udata4:
	case DW_EH_PE_sdata4:
		return 4;
	default:
		return 0;
	}
}

static guint64 take_address(const UnwindTable *table, Bytes *bytes, guint8 encoding)
{
	guint64 here = table->addr + (guint64)(bytes->at - table->bytes);
	guint64 value = take_fixed(bytes, address_size(encoding));

	if ((encoding & DW_EH_PE_FORMAT) == DW_EH_PE_sdata4)
		value = (guint64)(gint64)(gint32)value;
	return (encoding & 0x70) == DW_EH_PE_pcrel ? value + here : value;
}

/* ---- the index ---- */

/* Returns FALSE if its entries can't be read. */
static gboolean read_common(const UnwindTable *table, const Dwarf_CIE *cie, Common *common)
{
	Bytes data = { cie->augmentation_data, cie->augmentation_data + cie->augmentation_data_size,
		       FALSE };
	const char *letter = cie->augmentation;

	*common = (Common){
		.code = cie->initial_instructions,
		.code_end = cie->initial_instructions_end,
		.code_align = cie->code_alignment_factor,
		.data_align = cie->data_alignment_factor,
		.has_augmentation = *letter == 'z',
	};
	if (*letter && !common->has_augmentation)
		return FALSE;
	for (letter += common->has_augmentation; *letter; letter++) {
		if (*letter == 'R')
			common->encoding = take_byte(&data);
		else if (*letter == 'L')
			take_byte(&data);
		else if (*letter == 'P')
			take_address(table, &data, take_byte(&data));
		else if (*letter != 'S' && !(*letter == 'B' && table->is_arm64))
			return FALSE;
	}
	return !data.failed && address_size(common->encoding) &&
	       ((common->encoding & 0xf0) == 0 || (common->encoding & 0xf0) == DW_EH_PE_pcrel);
}

/* Returns the number of the common part at @offset; −1 if it can't be read. */
static int find_common(UnwindTable *table, const guint8 *ident, Elf_Data *data, Dwarf_Off offset)
{
	guint known =
		GPOINTER_TO_UINT(g_hash_table_lookup(table->common, GSIZE_TO_POINTER(offset + 1)));
	Dwarf_CFI_Entry cfi;
	Common common;
	Dwarf_Off next;

	if (!known) {
		known = 1;
		if (dwarf_next_cfi(ident, data, TRUE, offset, &next, &cfi) == 0 &&
		    dwarf_cfi_cie_p(&cfi) && read_common(table, &cfi.cie, &common)) {
			g_array_append_val(table->commons, common);
			known = table->commons->len + 1;
		}
		g_hash_table_insert(table->common, GSIZE_TO_POINTER(offset + 1),
				    GUINT_TO_POINTER(known));
	}
	return (int)known - 2;
}

static void add_entry(UnwindTable *table, const Dwarf_FDE *fde, int number)
{
	Bytes bytes = { fde->start, fde->end, FALSE };
	Entry entry = { .common = (guint)number, .code_end = fde->end };
	const Common *common;

	if (number < 0)
		return;
	common = &g_array_index(table->commons, Common, number);
	entry.start = take_address(table, &bytes, common->encoding);
	entry.end = entry.start + take_address(table, &bytes, common->encoding & DW_EH_PE_FORMAT);
	if (common->has_augmentation)
		skip(&bytes, take_leb(&bytes, FALSE));
	entry.code = bytes.at;
	if (!bytes.failed && entry.end > entry.start)
		g_array_append_val(table->entries, entry);
}

static gint compare_entries(gconstpointer a, gconstpointer b)
{
	const Entry *x = a, *y = b;

	return COMPARE(x->start, y->start) ?: COMPARE(x->code, y->code);
}

static void read_entries(UnwindTable *table, Elf *elf, Elf_Data *data)
{
	const guint8 *ident = (const guint8 *)elf_getident(elf, NULL);
	Dwarf_Off offset = 0, next = 0;
	Dwarf_CFI_Entry cfi;
	int status;

	while ((status = dwarf_next_cfi(ident, data, TRUE, offset, &next, &cfi)) <= 0 &&
	       next > offset) {
		if (status == 0 && !dwarf_cfi_cie_p(&cfi))
			add_entry(table, &cfi.fde,
				  find_common(table, ident, data, cfi.fde.CIE_pointer));
		offset = next;
	}
	g_array_sort(table->entries, compare_entries);
}

/*
 * Returns the uncompressed section .eh_frame; NULL: none, not in the file, or it exceeds @budget.
 */
static Elf_Data *find_section(Elf *elf, ElfBudget *budget, GElf_Shdr *header)
{
	Elf_Scn *section = NULL;
	size_t names;

	if (elf_getshdrstrndx(elf, &names))
		return NULL;
	while ((section = elf_nextscn(elf, section))) {
		const char *name = gelf_getshdr(section, header)
					   ? elf_strptr(elf, names, header->sh_name)
					   : NULL;

		if (!g_strcmp0(name, ".eh_frame") && header->sh_type != SHT_NOBITS &&
		    !(header->sh_flags & SHF_COMPRESSED))
			return elfbudget_take(budget, header->sh_size) ? elf_rawdata(section, NULL)
								       : NULL;
	}
	return NULL;
}

UnwindTable *unwindtable_read(Elf *elf, ElfBudget *budget)
{
	GElf_Ehdr file;
	GElf_Shdr header;
	Elf_Data *data;
	UnwindTable *table;

	if (!gelf_getehdr(elf, &file) ||
	    (file.e_machine != EM_X86_64 && file.e_machine != EM_AARCH64))
		return NULL;
	data = find_section(elf, budget, &header);
	if (!data || !data->d_buf)
		return NULL;
	table = g_new0(UnwindTable, 1);
	table->is_arm64 = file.e_machine == EM_AARCH64;
	table->bytes = data->d_buf;
	table->addr = header.sh_addr;
	table->commons = g_array_new(FALSE, FALSE, sizeof(Common));
	table->common = g_hash_table_new(seed_number, NULL);
	table->entries = g_array_new(FALSE, FALSE, sizeof(Entry));
	read_entries(table, elf, data);
	return table;
}

void unwindtable_free(UnwindTable *table)
{
	if (!table)
		return;
	g_array_unref(table->commons);
	g_hash_table_unref(table->common);
	g_array_unref(table->entries);
	g_free(table);
}

/* ---- a lookup ---- */

/*
 * The start of the caller's frame, as a register and an offset, unless an expression gives it; and
 * whether the link register is unchanged since the function's entry.
 */
typedef struct {
	guint64 reg;
	gint64 offset;
	gboolean known;
	gboolean is_linked;
} Frame;

typedef struct {
	const Common *common;
	gboolean is_arm64;
	guint64 addr, until; /* only instructions for addresses up to @until count */
	Frame frame;
	Frame remembered[REMEMBERED_MAX];
	guint count; /* number of these */
} Run;

static void skip_block(Bytes *bytes)
{
	skip(bytes, take_leb(bytes, FALSE));
}

static void advance(Run *run, guint64 delta)
{
	run->addr += delta * run->common->code_align;
}

static gboolean remember(Run *run)
{
	if (run->count == REMEMBERED_MAX)
		return FALSE;
	run->remembered[run->count++] = run->frame;
	return TRUE;
}

static gboolean restore(Run *run)
{
	if (!run->count)
		return FALSE;
	run->frame = run->remembered[--run->count];
	return TRUE;
}

static void set_rule(Run *run, guint64 reg, gboolean is_as_at_entry)
{
	if (reg == LINK_REGISTER)
		run->frame.is_linked = is_as_at_entry;
}

/* Handles a rule for a register, and skips its operands. Returns FALSE for other instructions. */
static gboolean take_rule(Run *run, guint8 code, Bytes *bytes)
{
	switch (code) {
	case DW_CFA_nop:
		return TRUE;
	case DW_CFA_GNU_window_save: /* DW_CFA_AARCH64_negate_ra_state: whether it is signed */
		return run->is_arm64;
	case DW_CFA_offset_extended:
	case DW_CFA_offset_extended_sf:
	case DW_CFA_register:
	case DW_CFA_val_offset:
	case DW_CFA_val_offset_sf:
	case DW_CFA_GNU_negative_offset_extended:
		set_rule(run, take_leb(bytes, FALSE), FALSE);
		take_leb(bytes, FALSE);
		return TRUE;
	case DW_CFA_undefined:
		set_rule(run, take_leb(bytes, FALSE), FALSE);
		return TRUE;
	case DW_CFA_restore_extended:
	case DW_CFA_same_value:
		set_rule(run, take_leb(bytes, FALSE), TRUE);
		return TRUE;
	case DW_CFA_GNU_args_size:
		take_leb(bytes, FALSE);
		return TRUE;
	case DW_CFA_expression:
	case DW_CFA_val_expression:
		set_rule(run, take_leb(bytes, FALSE), FALSE);
		skip_block(bytes);
		return TRUE;
	default:
		return FALSE;
	}
}

/* Runs an instruction. Returns FALSE if compilers don't use it, or the stack of states is wrong. */
static gboolean step(Run *run, guint8 code, Bytes *bytes)
{
	switch (code) {
	case DW_CFA_advance_loc1:
		advance(run, take_fixed(bytes, 1));
		return TRUE;
	case DW_CFA_advance_loc2:
		advance(run, take_fixed(bytes, 2));
		return TRUE;
	case DW_CFA_advance_loc4:
		advance(run, take_fixed(bytes, 4));
		return TRUE;
	case DW_CFA_def_cfa:
		run->frame.reg = take_leb(bytes, FALSE);
		run->frame.offset = (gint64)take_leb(bytes, FALSE);
		run->frame.known = TRUE;
		return TRUE;
	case DW_CFA_def_cfa_sf:
		run->frame.reg = take_leb(bytes, FALSE);
		run->frame.offset =
			(gint64)(take_leb(bytes, TRUE) * (guint64)run->common->data_align);
		run->frame.known = TRUE;
		return TRUE;
	case DW_CFA_def_cfa_register:
		run->frame.reg = take_leb(bytes, FALSE);
		return TRUE;
	case DW_CFA_def_cfa_offset:
		run->frame.offset = (gint64)take_leb(bytes, FALSE);
		return TRUE;
	case DW_CFA_def_cfa_offset_sf:
		run->frame.offset =
			(gint64)(take_leb(bytes, TRUE) * (guint64)run->common->data_align);
		return TRUE;
	case DW_CFA_def_cfa_expression:
		run->frame.known = FALSE;
		skip_block(bytes);
		return TRUE;
	case DW_CFA_remember_state:
		return remember(run);
	case DW_CFA_restore_state:
		return restore(run);
	default:
		return take_rule(run, code, bytes);
	}
}

/* Runs an instruction with its first operand in the same byte. Returns FALSE for other ones. */
static gboolean step_short(Run *run, guint8 code, Bytes *bytes)
{
	switch (code & 0xc0) {
	case DW_CFA_advance_loc:
		advance(run, code & 0x3f);
		return TRUE;
	case DW_CFA_offset:
		set_rule(run, code & 0x3f, FALSE);
		take_leb(bytes, FALSE);
		return TRUE;
	case DW_CFA_restore:
		set_rule(run, code & 0x3f, TRUE);
		return TRUE;
	default:
		return FALSE;
	}
}

static gboolean run_code(Run *run, const guint8 *code, const guint8 *end)
{
	Bytes bytes = { code, end, FALSE };

	while (bytes.at < end && run->addr <= run->until) {
		guint8 next = take_byte(&bytes);

		if (!step_short(run, next, &bytes) && !step(run, next, &bytes))
			return FALSE;
	}
	return !bytes.failed;
}

static const Entry *find_entry(const UnwindTable *table, guint64 addr)
{
	guint count = SORTED_COUNT(table->entries, Entry, start, addr);
	const Entry *last = count ? &g_array_index(table->entries, Entry, count - 1) : NULL;

	return last && addr < last->end ? last : NULL;
}

guint64 unwindtable_cost(const UnwindTable *table, guint64 addr)
{
	const Entry *entry = find_entry(table, addr);
	const Common *common;

	if (!entry)
		return 0;
	common = &g_array_index(table->commons, Common, entry->common);
	return (guint64)(entry->code_end - entry->code) +
	       (guint64)(common->code_end - common->code);
}

gboolean unwindtable_returns_from_top(const UnwindTable *table, guint64 addr)
{
	const Entry *entry = find_entry(table, addr);
	Run run = { .is_arm64 = table->is_arm64, .until = addr, .frame.is_linked = TRUE };

	if (!entry)
		return FALSE;
	run.common = &g_array_index(table->commons, Common, entry->common);
	run.addr = entry->start;
	if (!run_code(&run, run.common->code, run.common->code_end) ||
	    !run_code(&run, entry->code, entry->code_end))
		return FALSE;
	if (table->is_arm64)
		return run.frame.is_linked;
	/* The frame of the caller begins above the return address. */
	return run.frame.known && run.frame.reg == RSP && run.frame.offset == sizeof(guint64);
}

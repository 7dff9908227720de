// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/bpf/orc.h"

#include <bpf/btf.h>
#include <string.h>

#include "capture/bpf/kernel_btf.h"
#include "capture/bpf/kernel_modules.h"

#define ENTRY_BYTES 6 /* of struct orc_entry, which is packed */
#define ENTRIES_MAX (64U << 20)

/* ORC_REG_… Some have other numbers since 7.2 or so. */
enum { REG_UNDEFINED, REG_BP = 4, REG_SP_INDIRECT = 9 };

typedef struct {
	gint prev_sp, sp, bp_indirect;
} Registers;

static const Registers old_registers = { .prev_sp = 1, .sp = 5, .bp_indirect = 8 };
static const Registers new_registers = { .prev_sp = 8, .sp = 3, .bp_indirect = 10 };

typedef struct {
	Registers registers;
	BtfField sp_offset, bp_offset, sp_reg, bp_reg, type;
	BtfField end; /* up to 6.3: no caller; later the type says that. Its size is 0 then */
} Layout;

/* Code with its table: entry i is valid from the address in ips[i] on. */
typedef struct {
	guint64 from, to; /* the code */
	guint64 *ips;     /* ascending */
	guint8 *entries;  /* ENTRY_BYTES each */
	guint count;
} Table;

/* Offsets of the fields of struct module, in bytes. */
typedef struct {
	guint count, ips, entries;
} ModuleLayout;

struct OrcTables {
	Layout layout;
	ModuleLayout module;
	KernelModules modules; /* all 0: unknown */
	Table kernel;
	GArray *of_modules; /* of Table */
};

/* ---- BTF ---- */

static gboolean find_layout(Layout *layout)
{
	const struct btf_type *entry = kernel_btf_struct("orc_entry");

	*layout = (Layout){ 0 };
	kernel_btf_member(entry, "end", &layout->end);
	return entry && entry->size == ENTRY_BYTES &&
	       kernel_btf_member(entry, "sp_offset", &layout->sp_offset) &&
	       kernel_btf_member(entry, "bp_offset", &layout->bp_offset) &&
	       kernel_btf_member(entry, "sp_reg", &layout->sp_reg) &&
	       kernel_btf_member(entry, "bp_reg", &layout->bp_reg) &&
	       kernel_btf_member(entry, "type", &layout->type);
}

static gboolean find_module_layout(ModuleLayout *layout)
{
	const struct btf_type *module = kernel_btf_struct("module");

	return kernel_btf_inner(module, "arch", "num_orcs", &layout->count) &&
	       kernel_btf_inner(module, "arch", "orc_unwind_ip", &layout->ips) &&
	       kernel_btf_inner(module, "arch", "orc_unwind", &layout->entries);
}

/* ---- tables ---- */

static void clear_table(gpointer data)
{
	Table *table = data;

	g_free(table->ips);
	g_free(table->entries);
	*table = (Table){ 0 };
}

/* Each address is stored as its distance from the location where it is stored. */
static gboolean read_table(const KernelMemory *memory, guint64 ips_at, guint64 entries_at,
			   guint count, Table *table)
{
	g_autofree gint32 *distances = NULL;

	if (!count || count > ENTRIES_MAX)
		return FALSE;
	distances = g_new(gint32, count);
	table->count = count;
	table->ips = g_new(guint64, count);
	table->entries = g_malloc((gsize)count * ENTRY_BYTES);
	if (!kernel_memory_read(memory, ips_at, distances, count * sizeof(*distances)) ||
	    !kernel_memory_read(memory, entries_at, table->entries, (gsize)count * ENTRY_BYTES))
		return FALSE;
	for (guint i = 0; i < count; i++) {
		table->ips[i] = ips_at + i * sizeof(*distances) + (gint64)distances[i];
		if (i && table->ips[i] < table->ips[i - 1])
			return FALSE;
	}
	return TRUE;
}

static gboolean read_kernel(const KernelMemory *memory, const BpfSymbols *symbols, Table *table)
{
	guint64 ips = bpf_symbols_find(symbols, "__start_orc_unwind_ip");
	guint64 ips_end = bpf_symbols_find(symbols, "__stop_orc_unwind_ip");
	guint64 entries = bpf_symbols_find(symbols, "__start_orc_unwind");

	table->from = bpf_symbols_find(symbols, "_stext");
	table->to = bpf_symbols_find(symbols, "_etext");
	return ips && ips_end > ips && entries && table->from && table->to > table->from &&
	       read_table(memory, ips, entries, (guint)((ips_end - ips) / sizeof(gint32)), table);
}

static gint get_field(const guint8 *entry, BtfField field, gboolean is_signed)
{
	guint64 value = 0;

	memcpy(&value, entry, ENTRY_BYTES);
	value = value >> field.at & ((G_GUINT64_CONSTANT(1) << field.size) - 1);
	if (is_signed && value >> (field.size - 1))
		return (gint)(gint64)(value - (G_GUINT64_CONSTANT(1) << field.size));
	return (gint)value;
}

/*
 * BTF does not have the numbers of registers, and sp has one of two. Most entries are based on sp.
 * The other number then means rdi, which hardly any entry uses.
 */
static void find_registers(Layout *layout, const Table *kernel)
{
	guint old = 0, new = 0;

	for (guint i = 0; i < kernel->count; i++) {
		const guint8 *entry = kernel->entries + (gsize)i * ENTRY_BYTES;
		gint reg = get_field(entry, layout->sp_reg, FALSE);

		old += reg == old_registers.sp;
		new += reg == new_registers.sp;
	}
	layout->registers = new > old ? new_registers : old_registers;
}

OrcTables *orc_read(const KernelMemory *memory, const BpfSymbols *symbols)
{
	g_autoptr(OrcTables) tables = g_new0(OrcTables, 1);

	tables->of_modules = g_array_new(FALSE, TRUE, sizeof(Table));
	g_array_set_clear_func(tables->of_modules, clear_table);
	if (!find_layout(&tables->layout) || !read_kernel(memory, symbols, &tables->kernel))
		return NULL;
	find_registers(&tables->layout, &tables->kernel);
	if (!find_module_layout(&tables->module) || !kernel_modules_find(&tables->modules, symbols))
		tables->modules = (KernelModules){ 0 };
	return g_steal_pointer(&tables);
}

void orc_free(OrcTables *tables)
{
	if (!tables)
		return;
	clear_table(&tables->kernel);
	g_array_unref(tables->of_modules);
	g_free(tables);
}

/* ---- modules ---- */

typedef struct {
	OrcTables *tables;
	const KernelMemory *memory;
} Reading;

static void read_module(const KernelModule *module, gpointer data)
{
	const Reading *reading = data;
	const ModuleLayout *at = &reading->tables->module;
	const KernelMemory *memory = reading->memory;
	Table table = { .from = module->base, .to = module->base + module->size };
	guint64 ips, entries;
	guint32 count;

	if (kernel_memory_read(memory, module->at + at->count, &count, sizeof(count)) &&
	    kernel_memory_read(memory, module->at + at->ips, &ips, sizeof(ips)) &&
	    kernel_memory_read(memory, module->at + at->entries, &entries, sizeof(entries)) &&
	    read_table(memory, ips, entries, count, &table))
		g_array_append_val(reading->tables->of_modules, table);
	else
		clear_table(&table);
}

gboolean orc_read_modules(OrcTables *tables, const KernelMemory *memory)
{
	Reading reading = { .tables = tables, .memory = memory };

	g_array_set_size(tables->of_modules, 0);
	if (kernel_modules_each(&tables->modules, memory, read_module, &reading))
		return TRUE;
	g_array_set_size(tables->of_modules, 0);
	return FALSE;
}

/* ---- rules ---- */

static gboolean is_in(const Table *table, guint64 ip)
{
	return ip >= table->from && ip < table->to;
}

static const guint8 *find_entry(const Table *table, guint64 ip)
{
	guint low = 0, high = table->count;

	while (low < high) {
		guint middle = low + (high - low) / 2;

		if (table->ips[middle] <= ip)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? table->entries + (gsize)(low - 1) * ENTRY_BYTES : NULL;
}

static const guint8 *find_entry_anywhere(const OrcTables *tables, guint64 ip)
{
	if (is_in(&tables->kernel, ip))
		return find_entry(&tables->kernel, ip);
	for (guint i = 0; i < tables->of_modules->len; i++) {
		const Table *table = &g_array_index(tables->of_modules, Table, i);

		if (is_in(table, ip))
			return find_entry(table, ip);
	}
	return NULL;
}

/* The types of entries. Their numbers changed when a type for the end of a stack was added. */
typedef enum { TYPE_OTHER, TYPE_END, TYPE_CALL, TYPE_REGS } Type;

static Type get_type(const Layout *layout, const guint8 *entry)
{
	gint type = get_field(entry, layout->type, FALSE);

	if (!layout->end.size)
		return type >= TYPE_END && type <= TYPE_REGS ? (Type)type : TYPE_OTHER;
	if (get_field(entry, layout->sp_reg, FALSE) == REG_UNDEFINED)
		return get_field(entry, layout->end, FALSE) ? TYPE_END : TYPE_OTHER;
	return type == 0 ? TYPE_CALL : type == 1 ? TYPE_REGS : TYPE_OTHER;
}

static gboolean get_cfa(const Layout *layout, const guint8 *entry, OrcRule *rule)
{
	gint reg = get_field(entry, layout->sp_reg, FALSE);

	rule->cfa = get_field(entry, layout->sp_offset, TRUE);
	if (reg == layout->registers.sp)
		rule->kind = ORC_SP;
	else if (reg == REG_BP)
		rule->kind = ORC_BP;
	else if (reg == layout->registers.bp_indirect)
		rule->kind = ORC_BP_SAVED;
	else if (reg == REG_SP_INDIRECT)
		rule->kind = ORC_SP_SAVED;
	else
		return FALSE;
	return TRUE;
}

gboolean orc_find(const OrcTables *tables, guint64 ip, OrcRule *rule)
{
	const guint8 *entry = find_entry_anywhere(tables, ip);
	const Layout *layout = &tables->layout;
	Type type = entry ? get_type(layout, entry) : TYPE_OTHER;
	gint bp_reg = entry ? get_field(entry, layout->bp_reg, FALSE) : 0;

	*rule = (OrcRule){ .kind = ORC_END };
	if (type == TYPE_END)
		return TRUE;
	if (type == TYPE_OTHER || !get_cfa(layout, entry, rule) ||
	    (bp_reg != REG_UNDEFINED &&
	     bp_reg != (rule->kind == ORC_BP_SAVED ? REG_BP : layout->registers.prev_sp)))
		return FALSE;
	rule->saves_bp = bp_reg != REG_UNDEFINED;
	rule->bp = get_field(entry, layout->bp_offset, TRUE);
	if (type == TYPE_CALL)
		return TRUE;
	if (rule->kind != ORC_SP || rule->saves_bp)
		return FALSE;
	rule->kind = ORC_REGS;
	return TRUE;
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include "store/load/frames.h"

#include <string.h>

#include "analysis/containers/intern.h"
#include "base/seed.h"
#include "symbols/keepers.h"
#include "trace/file/reader.h"

/* Key of a lookup. */
typedef struct {
	guint64 addr;
	guint64 module; /* in ModuleTimes; 0: in none of its modules */
} FrameKey;

/* Key of a frame: addresses with the same data are one frame. */
typedef struct {
	guint64 addr;
	guint64 base;      /* of the module, if the symbol is unknown */
	guint64 offset;    /* in the symbol, bytes */
	guint32 symbol;    /* 0: unknown */
	guint32 module;    /* if the symbol is unknown; 0: none */
	gint64 trampoline; /* 1: of BPF, without a symbol */
} FrameInfo;

typedef struct {
	char *name;
	char *module; /* NULL: the kernel */
	gboolean allocator, page_allocator, bpf_exit, page_taker, replaces_returns;
	PairBacking backing;
	guint keeps; /* Keeper bits */
	gboolean is_keeper_boundary;
} SymbolInfo;

struct Frames {
	const Symbols *end, *start; /* of the trace; NULL: unknown */
	const ModuleTimes *times;
	Intern *keys;          /* of FrameKey */
	GArray *found;         /* of guint32: frames, by number in keys - 1 */
	Intern *infos;         /* FrameInfo to frame */
	GArray *symbols;       /* of SymbolInfo, by symbol - 1 */
	GHashTable *by_name;   /* "name module" to symbol */
	GPtrArray *modules;    /* names of modules without symbols, by module - 1 */
	GHashTable *by_module; /* such a name to module */
};

static void clear_symbol(gpointer data)
{
	SymbolInfo *symbol = data;

	g_free(symbol->name);
	g_free(symbol->module);
}

Frames *frames_new(const Symbols *end, const Symbols *start, const ModuleTimes *times)
{
	Frames *frames = g_new0(Frames, 1);

	frames->end = end;
	frames->start = start;
	frames->times = times;
	frames->keys = intern_new(sizeof(FrameKey));
	frames->found = g_array_new(FALSE, FALSE, sizeof(guint32));
	frames->infos = intern_new(sizeof(FrameInfo));
	frames->symbols = g_array_new(FALSE, TRUE, sizeof(SymbolInfo));
	g_array_set_clear_func(frames->symbols, clear_symbol);
	frames->by_name = g_hash_table_new_full(seed_text, g_str_equal, g_free, NULL);
	frames->modules = g_ptr_array_new();
	frames->by_module = g_hash_table_new(seed_text, g_str_equal);
	return frames;
}

void frames_free(Frames *frames)
{
	if (!frames)
		return;
	g_hash_table_unref(frames->by_module);
	g_ptr_array_unref(frames->modules);
	g_hash_table_unref(frames->by_name);
	g_array_unref(frames->symbols);
	intern_free(frames->infos);
	g_array_unref(frames->found);
	intern_free(frames->keys);
	g_free(frames);
}

static PairBacking backing_of(const Symbol *found)
{
	if (symbols_is_slab_backing(found->name, found->module))
		return PAIR_BACKING_SLAB;
	return symbols_is_percpu_backing(found->name, found->module) ? PAIR_BACKING_PERCPU
								     : PAIR_BACKING_NONE;
}

/* Merges functions of one name in one module, wherever they were linked. */
static guint32 add_symbol(Frames *frames, const Symbol *found)
{
	g_autofree char *key =
		g_strdup_printf("%s %s", found->name, found->module ? found->module : "");
	guint32 id = GPOINTER_TO_UINT(g_hash_table_lookup(frames->by_name, key));
	SymbolInfo symbol;

	if (id)
		return id;
	symbol = (SymbolInfo){
		.name = g_strdup(found->name),
		.module = g_strdup(found->module),
		.allocator = symbols_is_allocator(found->name, found->module),
		.page_allocator = symbols_is_page_allocator(found->name, found->module),
		.bpf_exit = symbols_has_bpf_exit(found->name, found->module),
		.page_taker = symbols_is_page_taker(found->name, found->module),
		.replaces_returns = !found->module && symbols_replaces_returns(found->name),
		.backing = backing_of(found),
		.keeps = symbols_keeps(found->name, found->module),
		.is_keeper_boundary = symbols_is_keeper_boundary(found->name, found->module),
	};
	g_array_append_val(frames->symbols, symbol);
	id = frames->symbols->len;
	g_hash_table_insert(frames->by_name, g_steal_pointer(&key), GUINT_TO_POINTER(id));
	return id;
}

static gboolean resolve(const Frames *frames, const FrameKey *key, Symbol *found)
{
	if (key->addr == TRACE_STACK_CUT) {
		*found = (Symbol){ .name = TRACE_STACK_CUT_NAME };
		return TRUE;
	}
	return moduletimes_symbol(frames->times, key->module, frames->end, frames->start, key->addr,
				  found);
}

/* Adds a module without symbols. The ModuleTimes own @name. */
static guint32 add_module(Frames *frames, const char *name)
{
	guint32 id = GPOINTER_TO_UINT(g_hash_table_lookup(frames->by_module, name));

	if (id)
		return id;
	g_ptr_array_add(frames->modules, (gpointer)name);
	id = frames->modules->len;
	g_hash_table_insert(frames->by_module, (gpointer)name, GUINT_TO_POINTER(id));
	return id;
}

/* Adds the frame of a new address. */
static guint32 add_key(Frames *frames, const FrameKey *key)
{
	FrameInfo info = { .addr = key->addr };
	Symbol found;

	if (resolve(frames, key, &found)) {
		info.symbol = add_symbol(frames, &found);
		info.offset = found.offset;
	} else if (key->module) {
		ModuleTime module = moduletimes_get(frames->times, key->module);

		info.module = add_module(frames, module.name);
		info.base = module.base;
	} else {
		info.trampoline = symbols_is_trampoline(frames->end, key->addr) ||
				  symbols_is_trampoline(frames->start, key->addr);
	}
	return intern_add(frames->infos, &info, NULL);
}

guint32 frames_add(Frames *frames, guint64 addr, guint era, ModuleEras *same)
{
	FrameKey key = { .addr = addr };
	gboolean added;
	guint32 number, frame;

	if (!addr)
		return 0;
	key.module = moduletimes_at(frames->times, addr, era, same);
	number = intern_add(frames->keys, &key, &added);
	if (!added)
		return g_array_index(frames->found, guint32, number - 1);
	frame = add_key(frames, &key);
	g_array_append_val(frames->found, frame);
	return frame;
}

static const FrameInfo *info_of(const Frames *frames, guint32 frame)
{
	return intern_key(frames->infos, frame);
}

static const SymbolInfo *symbol_of(const Frames *frames, guint32 frame)
{
	guint32 symbol = info_of(frames, frame)->symbol;

	return symbol ? &g_array_index(frames->symbols, SymbolInfo, symbol - 1) : NULL;
}

gboolean frames_is_cut(const Frames *frames, guint32 frame)
{
	return info_of(frames, frame)->addr == TRACE_STACK_CUT;
}

gboolean frames_has_name(const Frames *frames, guint32 frame)
{
	return symbol_of(frames, frame) != NULL;
}

gboolean frames_is_allocator(const Frames *frames, guint32 frame)
{
	const SymbolInfo *symbol = symbol_of(frames, frame);

	return symbol ? symbol->allocator : info_of(frames, frame)->trampoline != 0;
}

gboolean frames_is_page_allocator(const Frames *frames, guint32 frame)
{
	const SymbolInfo *symbol = symbol_of(frames, frame);

	return symbol ? symbol->page_allocator : info_of(frames, frame)->trampoline != 0;
}

gboolean frames_replaces_returns(const Frames *frames, guint32 frame)
{
	const SymbolInfo *symbol = symbol_of(frames, frame);

	return symbol && symbol->replaces_returns;
}

gboolean frames_has_bpf_exit(const Frames *frames, guint32 frame)
{
	const SymbolInfo *symbol = symbol_of(frames, frame);

	return symbol && symbol->bpf_exit;
}

gboolean frames_is_page_taker(const Frames *frames, guint32 frame)
{
	const SymbolInfo *symbol = symbol_of(frames, frame);

	return symbol && symbol->page_taker;
}

PairBacking frames_backing(const Frames *frames, guint32 frame)
{
	const SymbolInfo *symbol = symbol_of(frames, frame);

	return symbol ? symbol->backing : PAIR_BACKING_NONE;
}

guint frames_keeps(const Frames *frames, guint32 frame)
{
	const SymbolInfo *symbol = symbol_of(frames, frame);

	return symbol ? symbol->keeps : 0;
}

gboolean frames_is_keeper_boundary(const Frames *frames, guint32 frame)
{
	const SymbolInfo *symbol = symbol_of(frames, frame);

	return symbol ? symbol->is_keeper_boundary : info_of(frames, frame)->module != 0;
}

static void write_symbols(const Frames *frames, Db *db)
{
	Insert *insert = db_insert(db, "symbol");

	for (guint i = 0; i < frames->symbols->len; i++) {
		const SymbolInfo *symbol = &g_array_index(frames->symbols, SymbolInfo, i);

		insert_row(insert, "iss", (gint64)i + 1, symbol->name, symbol->module);
	}
}

/* Writes an address without a symbol. */
static void write_bare_frame(const Frames *frames, guint32 id, const FrameInfo *info,
			     Insert *insert)
{
	const char *module =
		info->module ? g_ptr_array_index(frames->modules, info->module - 1) : NULL;
	g_autofree char *text = NULL;

	if (module)
		text = g_strdup_printf("[%s]+0x%" G_GINT64_MODIFIER "x", module,
				       info->addr - info->base);
	else
		text = g_strdup_printf("0x%" G_GINT64_MODIFIER "x", info->addr);
	insert_row(insert, "iuiiisss", (gint64)id, info->addr, DB_NULL, DB_NULL, info->trampoline,
		   text, text, module);
}

/* Writes a frame with the displayed name: half of all queries need it, and there are few frames. */
static void write_frame(const Frames *frames, guint32 id, Insert *insert)
{
	const FrameInfo *info = info_of(frames, id);
	const SymbolInfo *symbol = symbol_of(frames, id);
	g_autofree char *name = NULL;

	if (!symbol) {
		write_bare_frame(frames, id, info, insert);
		return;
	}
	name = frames_is_cut(frames, id)
		       ? g_strdup(symbol->name)
		       : g_strdup_printf("%s+0x%" G_GINT64_MODIFIER "x%s%s%s", symbol->name,
					 info->offset, symbol->module ? " [" : "",
					 symbol->module ? symbol->module : "",
					 symbol->module ? "]" : "");
	insert_row(insert, "iuiiisss", (gint64)id, info->addr, (gint64)info->symbol,
		   (gint64)info->offset, (gint64)symbol->allocator, symbol->name, name,
		   symbol->module);
}

void frames_write(const Frames *frames, Db *db)
{
	Insert *insert = db_insert(db, "frame");

	write_symbols(frames, db);
	for (guint32 i = 1; i <= intern_count(frames->infos); i++)
		write_frame(frames, i, insert);
}

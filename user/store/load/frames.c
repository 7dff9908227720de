// SPDX-License-Identifier: GPL-2.0-or-later
#include "store/load/frames.h"

#include <string.h>

#include "analysis/containers/intern.h"
#include "base/seed.h"
#include "trace/file/reader.h"

/* What makes a frame. */
typedef struct {
	guint64 addr;
	guint64 module; /* in ModuleTimes; 0: in none that it tells of */
} FrameKey;

typedef struct {
	guint32 symbol; /* 0: not known */
	guint64 offset; /* in it, bytes */
} FrameInfo;

typedef struct {
	char *name;
	char *module; /* NULL: the kernel */
	gboolean allocator, page_taker;
	PairBacking backing;
} SymbolInfo;

struct Frames {
	const Symbols *snapshots[2]; /* in the order in which they are asked */
	const ModuleTimes *times;
	Intern *keys;        /* FrameKey to frame */
	GArray *infos;       /* of FrameInfo, by frame − 1 */
	GArray *symbols;     /* of SymbolInfo, by symbol − 1 */
	GHashTable *by_name; /* "name module" to symbol */
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

	frames->snapshots[0] = end;
	frames->snapshots[1] = start;
	frames->times = times;
	frames->keys = intern_new(sizeof(FrameKey));
	frames->infos = g_array_new(FALSE, TRUE, sizeof(FrameInfo));
	frames->symbols = g_array_new(FALSE, TRUE, sizeof(SymbolInfo));
	g_array_set_clear_func(frames->symbols, clear_symbol);
	frames->by_name = g_hash_table_new_full(seed_text, g_str_equal, g_free, NULL);
	return frames;
}

void frames_free(Frames *frames)
{
	if (!frames)
		return;
	g_hash_table_unref(frames->by_name);
	g_array_unref(frames->symbols);
	g_array_unref(frames->infos);
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

/* Functions of one name in one module are one to people, wherever the linker put them. */
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
		.page_taker = symbols_is_page_taker(found->name, found->module),
		.backing = backing_of(found),
	};
	g_array_append_val(frames->symbols, symbol);
	id = frames->symbols->len;
	g_hash_table_insert(frames->by_name, g_steal_pointer(&key), GUINT_TO_POINTER(id));
	return id;
}

/* A symbol of another module than the one that lay there is of another time. */
static gboolean resolve(const Frames *frames, const FrameKey *key, Symbol *found)
{
	const char *module = key->module ? moduletimes_get(frames->times, key->module).name : NULL;

	if (key->addr == TRACE_STACK_CUT) {
		*found = (Symbol){ .name = TRACE_STACK_CUT_NAME };
		return TRUE;
	}
	if (module && moduletimes_resolve(frames->times, key->module, key->addr, found))
		return TRUE;
	for (guint i = 0; i < G_N_ELEMENTS(frames->snapshots); i++) {
		if (frames->snapshots[i] &&
		    symbols_resolve(frames->snapshots[i], key->addr, found) &&
		    (!module || (found->module && !strcmp(found->module, module))))
			return TRUE;
	}
	return FALSE;
}

guint32 frames_add(Frames *frames, guint64 addr, guint era)
{
	FrameKey key = { .addr = addr };
	FrameInfo info = { 0 };
	gboolean added;
	Symbol found;
	guint32 frame;

	if (!addr)
		return 0;
	key.module = moduletimes_at(frames->times, addr, era);
	frame = intern_add(frames->keys, &key, &added);
	if (!added)
		return frame;
	if (resolve(frames, &key, &found)) {
		info.symbol = add_symbol(frames, &found);
		info.offset = found.offset;
	}
	g_array_append_val(frames->infos, info);
	return frame;
}

static const SymbolInfo *symbol_of(const Frames *frames, guint32 frame)
{
	guint32 symbol = g_array_index(frames->infos, FrameInfo, frame - 1).symbol;

	return symbol ? &g_array_index(frames->symbols, SymbolInfo, symbol - 1) : NULL;
}

gboolean frames_is_cut(const Frames *frames, guint32 frame)
{
	const FrameKey *key = intern_key(frames->keys, frame);

	return key->addr == TRACE_STACK_CUT;
}

gboolean frames_is_allocator(const Frames *frames, guint32 frame)
{
	const SymbolInfo *symbol = symbol_of(frames, frame);

	return symbol && symbol->allocator;
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

static void write_symbols(const Frames *frames, Db *db)
{
	Insert *insert = db_insert(db, "symbol");

	for (guint i = 0; i < frames->symbols->len; i++) {
		const SymbolInfo *symbol = &g_array_index(frames->symbols, SymbolInfo, i);

		insert_row(insert, "iss", (gint64)i + 1, symbol->name, symbol->module);
	}
}

/* An address without a symbol; @module is 0 if none lay there. */
static void write_bare_frame(const Frames *frames, guint32 id, const FrameKey *key, Insert *insert)
{
	ModuleTime module = { 0 };
	g_autofree char *text = NULL;

	if (key->module) {
		module = moduletimes_get(frames->times, key->module);
		text = g_strdup_printf("[%s]+0x%" G_GINT64_MODIFIER "x", module.name,
				       key->addr - module.base);
	} else {
		text = g_strdup_printf("0x%" G_GINT64_MODIFIER "x", key->addr);
	}
	insert_row(insert, "iuiiisss", (gint64)id, key->addr, DB_NULL, DB_NULL, (gint64)0, text,
		   text, module.name);
}

/* The names are stored as they are shown: half of all queries need them, and frames are few. */
static void write_frame(const Frames *frames, guint32 id, Insert *insert)
{
	const FrameInfo *info = &g_array_index(frames->infos, FrameInfo, id - 1);
	const SymbolInfo *symbol = symbol_of(frames, id);
	const FrameKey *key = intern_key(frames->keys, id);
	g_autofree char *name = NULL;

	if (!symbol) {
		write_bare_frame(frames, id, key, insert);
		return;
	}
	name = frames_is_cut(frames, id)
		       ? g_strdup(symbol->name)
		       : g_strdup_printf("%s+0x%" G_GINT64_MODIFIER "x%s%s%s", symbol->name,
					 info->offset, symbol->module ? " [" : "",
					 symbol->module ? symbol->module : "",
					 symbol->module ? "]" : "");
	insert_row(insert, "iuiiisss", (gint64)id, key->addr, (gint64)info->symbol,
		   (gint64)info->offset, (gint64)symbol->allocator, symbol->name, name,
		   symbol->module);
}

void frames_write(const Frames *frames, Db *db)
{
	Insert *insert = db_insert(db, "frame");

	write_symbols(frames, db);
	for (guint32 i = 1; i <= frames->infos->len; i++)
		write_frame(frames, i, insert);
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include "store/frames.h"

#include "analysis/intern.h"

typedef struct {
	guint32 symbol;		/* 0: not known */
	guint64 offset;		/* in it, bytes */
} FrameInfo;

typedef struct {
	char *name;
	char *module;		/* NULL: the kernel */
	gboolean allocator;
	gboolean slab_backing;
} SymbolInfo;

struct Frames {
	const Symbols *texts[2];	/* in the order in which they are asked */
	Intern *addrs;			/* guint64 to frame */
	GArray *infos;			/* of FrameInfo, by frame − 1 */
	GArray *symbols;		/* of SymbolInfo, by symbol − 1 */
	GHashTable *by_name;		/* "name module" to symbol */
};

static void clear_symbol(gpointer data)
{
	SymbolInfo *symbol = data;

	g_free(symbol->name);
	g_free(symbol->module);
}

Frames *frames_new(const Symbols *end, const Symbols *start)
{
	Frames *frames = g_new0(Frames, 1);

	frames->texts[0] = end;
	frames->texts[1] = start;
	frames->addrs = intern_new(sizeof(guint64));
	frames->infos = g_array_new(FALSE, TRUE, sizeof(FrameInfo));
	frames->symbols = g_array_new(FALSE, TRUE, sizeof(SymbolInfo));
	g_array_set_clear_func(frames->symbols, clear_symbol);
	frames->by_name = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	return frames;
}

void frames_free(Frames *frames)
{
	if (!frames)
		return;
	g_hash_table_unref(frames->by_name);
	g_array_unref(frames->symbols);
	g_array_unref(frames->infos);
	intern_free(frames->addrs);
	g_free(frames);
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
		.allocator = symbols_is_allocator(found->name),
		.slab_backing = symbols_is_slab_backing(found->name),
	};
	g_array_append_val(frames->symbols, symbol);
	id = frames->symbols->len;
	g_hash_table_insert(frames->by_name, g_steal_pointer(&key), GUINT_TO_POINTER(id));
	return id;
}

static gboolean resolve(const Frames *frames, guint64 addr, Symbol *found)
{
	for (guint i = 0; i < G_N_ELEMENTS(frames->texts); i++) {
		if (frames->texts[i] && symbols_resolve(frames->texts[i], addr, found))
			return TRUE;
	}
	return FALSE;
}

guint32 frames_add(Frames *frames, guint64 addr)
{
	FrameInfo info = { 0 };
	gboolean added;
	Symbol found;
	guint32 frame;

	if (!addr)
		return 0;
	frame = intern_add(frames->addrs, &addr, &added);
	if (!added)
		return frame;
	if (resolve(frames, addr, &found)) {
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

gboolean frames_is_allocator(const Frames *frames, guint32 frame)
{
	const SymbolInfo *symbol = symbol_of(frames, frame);

	return symbol && symbol->allocator;
}

gboolean frames_is_slab_backing(const Frames *frames, guint32 frame)
{
	const SymbolInfo *symbol = symbol_of(frames, frame);

	return symbol && symbol->slab_backing;
}

static void write_symbols(const Frames *frames, Db *db)
{
	Insert *insert = db_insert(db, "symbol");

	for (guint i = 0; i < frames->symbols->len; i++) {
		const SymbolInfo *symbol = &g_array_index(frames->symbols, SymbolInfo, i);

		insert_row(insert, "iss", (gint64)i + 1, symbol->name, symbol->module);
	}
}

/* The names are stored as they are shown: half of all queries need them, and frames are few. */
static void write_frame(const Frames *frames, guint32 id, Insert *insert)
{
	const FrameInfo *info = &g_array_index(frames->infos, FrameInfo, id - 1);
	const SymbolInfo *symbol = symbol_of(frames, id);
	const guint64 *addr = intern_key(frames->addrs, id);
	g_autofree char *hex = g_strdup_printf("0x%" G_GINT64_MODIFIER "x", *addr);
	g_autofree char *name = NULL;

	if (!symbol) {
		insert_row(insert, "iiiiisss", (gint64)id, (gint64)*addr, DB_NULL, DB_NULL,
			   (gint64)0, hex, hex, NULL);
		return;
	}
	name = g_strdup_printf("%s+0x%" G_GINT64_MODIFIER "x%s%s%s", symbol->name, info->offset,
			       symbol->module ? " [" : "", symbol->module ? symbol->module : "",
			       symbol->module ? "]" : "");
	insert_row(insert, "iiiiisss", (gint64)id, (gint64)*addr, (gint64)info->symbol,
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

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Numbers return addresses, and finds their functions. Private to the store.
 */
#ifndef KMT_STORE_LOAD_FRAMES_H
#define KMT_STORE_LOAD_FRAMES_H

#include "analysis/pairing/pair.h"
#include "store/schema/db.h"
#include "symbols/moduletimes.h"
#include "symbols/symbols.h"

typedef struct Frames Frames;

/*
 * @end, @start: as for symbols_resolve_both(). A symbol of a module is used only where @times has
 * that module. All must outlive the frames.
 */
Frames *frames_new(const Symbols *end, const Symbols *start, const ModuleTimes *times);
void frames_free(Frames *frames); /* NULL is allowed */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Frames, frames_free)

/*
 * Returns the frame of @addr, which may be TRACE_STACK_CUT, in an era of the modules; 0 for 0.
 * Narrows *@same, if it is not NULL, to eras with the same frame. An address has the same frame in
 * all eras in which it has the same name, also where its module was loaded again.
 */
guint32 frames_add(Frames *frames, guint64 addr, guint era, ModuleEras *same);

/* Returns whether the frame represents the frames that the tracer cut. */
gboolean frames_is_cut(const Frames *frames, guint32 frame);

/* Returns whether the function with the address is known. */
gboolean frames_has_name(const Frames *frames, guint32 frame);

/* Returns whether another tracer put it in the place of a return address. */
gboolean frames_replaces_returns(const Frames *frames, guint32 frame);

/*
 * Return whether it's an allocator's function, for page events and for all others: see symbols.h.
 */
gboolean frames_is_page_allocator(const Frames *frames, guint32 frame);
gboolean frames_is_allocator(const Frames *frames, guint32 frame);

gboolean frames_has_bpf_exit(const Frames *frames, guint32 frame);
gboolean frames_is_page_taker(const Frames *frames, guint32 frame);

/* Returns the use of the pages that a function allocates or frees; NONE: unknown. */
PairBacking frames_backing(const Frames *frames, guint32 frame);

/* See symbols/keepers.h. */
guint frames_keeps(const Frames *frames, guint32 frame);
gboolean frames_is_keeper_boundary(const Frames *frames, guint32 frame);

/* Writes the tables frame and symbol. */
void frames_write(const Frames *frames, Db *db);

#endif

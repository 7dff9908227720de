// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * There is a row for each allocation, so these rows determine the size of a database. SQLite stores
 * an integer in as few bytes as it needs, and 0, 1 and NULL in none: values that are likely equal
 * to another one are stored as the difference, and values with a small range share a column. The
 * view alloc decodes them.
 */
#include "store/load/lifetimes.h"

#include "store/scan/lifetime.h"
#include "store/schema/db.h"

#define WORDS_END (G_GUINT64_CONSTANT(1) << 44)

static gint64 place_of(guint32 cpu, guint8 context)
{
	return ((gint64)cpu << LIFETIME_CONTEXT_SHIFT) + context;
}

/* Returns whether the address can be encoded as a number of words from the base, as most can. */
static gboolean shorten(const PairLifetime *lifetime, const LifetimeBase *base, gint64 *addr)
{
	guint64 offset = lifetime->addr - base->linear_base;

	*addr = (gint64)lifetime->addr;
	if (trace_event_kind(lifetime->event) == TRACE_PAGE ||
	    offset % (1 << LIFETIME_WORD_SHIFT) || offset >> LIFETIME_WORD_SHIFT >= WORDS_END)
		return FALSE;
	*addr = (gint64)(offset >> LIFETIME_WORD_SHIFT);
	return TRUE;
}

void lifetimes_encode(const PairLifetime *lifetime, const LifetimeBase *base, gint64 *row)
{
	const PairEnd *end = lifetime->end;
	gboolean ended = lifetime->state != PAIR_LIVE && lifetime->state != PAIR_FREEING;
	gint64 place = place_of(lifetime->cpu, lifetime->context);
	gint64 lifetime_ns = (gint64)(lifetime->end_ns - lifetime->time_ns);
	gboolean shortened = shorten(lifetime, base, &row[1]);

	row[0] = lifetime->origin;
	row[2] = (gint64)(lifetime->time_ns - base->start_ns);
	row[3] = place;
	row[4] = lifetime->task;
	/* Clocks of two CPUs may differ a little: a lifetime is never negative. */
	row[5] = ended ? MAX(lifetime_ns, 0) : DB_NULL;
	row[6] = end ? (gint64)end->origin : DB_NULL;
	row[7] = end ? place_of(end->cpu, end->context) - place : DB_NULL;
	row[8] = end ? (gint64)end->task - lifetime->task : DB_NULL;
	row[9] = lifetime->state | lifetime->backing << LIFETIME_STATE_BITS |
		 (shortened ? 0 : LIFETIME_ADDR_WHOLE) |
		 (gint64)lifetime->moves << LIFETIME_MOVES_SHIFT;
	row[10] = lifetime->pieces | (gint64)lifetime->pages_freed << LIFETIME_PAGES_SHIFT;
}

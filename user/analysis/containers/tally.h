/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sums by key, for many keys in any order. Additions are queued a few at a time while their memory
 * is prefetched, since most of the time would be spent waiting for memory.
 */
#ifndef KMT_ANALYSIS_CONTAINERS_TALLY_H
#define KMT_ANALYSIS_CONTAINERS_TALLY_H

#include <glib.h>

#define TALLY_SUMS 5 /* of a key */

typedef struct Tally Tally;

typedef struct {
	guint64 key;
	gint64 sums[TALLY_SUMS];
} TallyRow;

/* Combines @more with @sums, which are 0 at first; the default adds them. */
typedef void (*TallyAdd)(gint64 *sums, const gint64 *more);

Tally *tally_new(void);
void tally_free(Tally *tally); /* NULL is allowed */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Tally, tally_free)

/* Sets the function that combines sums. */
void tally_add_by(Tally *tally, TallyAdd add);

/* Adds the sums of @row to those of its key, which may be any but the highest number. */
void tally_add(Tally *tally, const TallyRow *row);

/* Adds all of @from, which is unchanged, to @to. */
void tally_merge(Tally *to, Tally *from);

/* Returns all keys, ascending; of TallyRow. The caller unrefs it. */
GArray *tally_rows(Tally *tally);

#endif

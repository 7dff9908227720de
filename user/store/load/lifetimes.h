/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Encodes lifetimes as rows of the table lifetime. Private to the store.
 */
#ifndef KMT_STORE_LOAD_LIFETIMES_H
#define KMT_STORE_LOAD_LIFETIMES_H

#include "analysis/pairing/pair.h"

#define LIFETIME_COLUMNS 11

/* The base values of rows, see schema.sql. */
typedef struct {
	guint64 start_ns;    /* of the first event */
	guint64 linear_base; /* address of page frame 0; 0: unknown */
} LifetimeBase;

/* Encodes @lifetime as LIFETIME_COLUMNS integers at @row. */
void lifetimes_encode(const PairLifetime *lifetime, const LifetimeBase *base, gint64 *row);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Wasted memory: by rounding (internal fragmentation), by sparse slabs, and by pages that block
 * larger orders. These are separate reports: they overlap, and are never added up. Each table is
 * one SQL statement, store/sql/frag/frag_KEY.sql, and prints as text and as JSON under its key.
 */
#ifndef KMT_REPORT_FRAG_FRAG_H
#define KMT_REPORT_FRAG_FRAG_H

#include "report/print/printer.h"

typedef enum {
	FRAG_ALL, /* some tables of each part */
	FRAG_ROUNDING,
	FRAG_SLAB,
	FRAG_PAGE,
} FragPart;

typedef struct {
	FragPart part;
	int limit; /* rows of a table */
} FragOptions;

/* Returns FALSE if @word is not a part ("rounding", "slab", "page"). */
gboolean frag_parse_part(const char *word, FragPart *part);

/* @options: a FragOptions. */
gboolean frag_print(const Printer *printer, gconstpointer options, GError **error);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of the numbers in events: caches, gfp flags and migrate types of the traced kernel. A
 * number without a name in the trace is printed as a number.
 */
#ifndef KMT_REPORT_PRINT_EVENTNAMES_H
#define KMT_REPORT_PRINT_EVENTNAMES_H

#include <glib.h>
#include <stdio.h>

typedef struct EventNames EventNames;

/* From the texts "abi" and "caches" of a trace, which are modified; NULL: missing. Never NULL. */
EventNames *eventnames_new(char *abi, char *caches);
void eventnames_free(EventNames *names); /* NULL is allowed */

void eventnames_print_cache(const EventNames *names, guint32 cache, FILE *out);
void eventnames_print_gfp(const EventNames *names, guint32 gfp, FILE *out);
void eventnames_print_migratetype(const EventNames *names, guint32 type, FILE *out);

#endif

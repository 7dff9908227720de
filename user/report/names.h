/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions and stacks of a trace by names that two builds of a kernel have in common: without
 * addresses, offsets, and what the compiler puts behind a function's name.
 */
#ifndef KMT_REPORT_NAMES_H
#define KMT_REPORT_NAMES_H

#include "store/store.h"

typedef struct Names Names;

/* Reads them all. NULL with an error if the database can't be read. */
Names *names_read(StoreDb *db, GError **error);
void names_free(Names *names);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Names, names_free)

/* "function" or "function [module]"; "(unknown)" for no frame, or one without a symbol. */
const char *names_function(const Names *names, gint64 frame);

/* The module a frame is in; "(kernel)" for none. */
const char *names_module(const Names *names, gint64 frame);

/* "innermost < … < outermost", for g_free(); "(no stack)" for none. */
char *names_stack(const Names *names, gint64 stack);

/* TRUE if the function of @frame fits the glob, with or without what the compiler put behind it. */
gboolean names_match(const Names *names, gint64 frame, GPatternSpec *glob);

/* TRUE if a function of @stack does. */
gboolean names_stack_matches(const Names *names, gint64 stack, GPatternSpec *glob);

#endif

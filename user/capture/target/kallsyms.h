/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's functions from /proc/kallsyms, without data: addresses in a trace are code, and this
 * halves the text.
 */
#ifndef KMT_CAPTURE_TARGET_KALLSYMS_H
#define KMT_CAPTURE_TARGET_KALLSYMS_H

#include <glib.h>

/* @line includes its end and is valid during the call. */
typedef void (*KallsymsFunc)(const char *line, gpointer data);

/* Calls @func for each function. Fails with CAPTURE_ERROR_NO_SYMBOLS. */
gboolean kallsyms_each(KallsymsFunc func, gpointer data, GError **error);

/* Fails with CAPTURE_ERROR_NO_SYMBOLS if kallsyms shows no addresses. */
gboolean kallsyms_check(GError **error);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Texts in JSON that is written as it comes, without being built first.
 */
#ifndef KMT_REPORT_JSONTEXT_H
#define KMT_REPORT_JSONTEXT_H

#include <glib.h>
#include <stdio.h>

/* Prints @text in quotes, bytes that are no UTF-8 replaced; null for NULL. */
void jsontext_print(const char *text, FILE *out);

#endif

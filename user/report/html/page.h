/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The page of a trace: one HTML file with its figures, its program and its style, which needs no
 * network. It has only totals, so its size does not grow with the trace, and it lists its
 * omissions. The program is in user/html/.
 */
#ifndef KMT_REPORT_HTML_PAGE_H
#define KMT_REPORT_HTML_PAGE_H

#include "report/print/printer.h"

#define HTML_MAX_BYTES 4999999 /* of a page */

/* The figures read from the database with the highest limits. */
typedef struct HtmlData HtmlData;

HtmlData *htmldata_read(StoreDb *db, const char *name, const Selection *selection, GError **error);
void htmldata_free(HtmlData *data); /* NULL is allowed */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(HtmlData, htmldata_free)

/*
 * Returns the figures of a page as JSON that can be embedded in HTML, at most @max_bytes, for
 * g_free(): as much as fits; *@cut (may be NULL) counts the truncated tables and trees. NULL with
 * an error if the database can't be read, or if even the lowest limits give too much.
 */
char *htmldata_json(const HtmlData *data, gsize max_bytes, guint *cut, GError **error);

/* Returns the page with the figures of htmldata_json(): *@len bytes, for g_free(). */
char *html_page(const char *json, gsize *len);

#endif

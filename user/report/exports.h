/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the formats of export have in common. Private to them.
 */
#ifndef KMT_REPORT_EXPORTS_H
#define KMT_REPORT_EXPORTS_H

#include "report/export.h"

gboolean export_folded(const Export *export, GError **error);
gboolean export_speedscope(const Export *export, GError **error);
gboolean export_pprof(const Export *export, GError **error);
gboolean export_dhat(const Export *export, GError **error);
gboolean export_perfetto(const Export *export, GError **error);
gboolean export_csv(const Export *export, GError **error);

/* What the metric of @export needs, and @more metrics as bits. NULL with an error. */
CallData *export_read(const Export *export, guint more, GError **error);

/*
 * The one kind of a format that has one: the one that was asked for, else the first there is
 * anything of. CALLDATA_KINDS with an error if there is nothing.
 */
guint export_kind(const Export *export, const CallData *data, GError **error);

/* TRUE if @kind was asked for, or none was, and there is something of it. */
gboolean export_has_kind(const Export *export, const CallData *data, guint kind);

/* The frames from the root to node @id, outermost first (bottom-up trees: the other way). */
void export_path(const CallTree *tree, guint32 id, GArray *frames);

/* "function", "function [module]", "function [module] (file:line, inlined)". For g_free(). */
char *export_function(const CallData *data, guint32 frame);

#endif

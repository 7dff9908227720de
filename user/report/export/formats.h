/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The export formats.
 */
#ifndef KMT_REPORT_EXPORT_FORMATS_H
#define KMT_REPORT_EXPORT_FORMATS_H

#include "report/export/export.h"

typedef struct {
	const char *name;
	gboolean binary; /* not for a terminal */
	gboolean whole;  /* only for the whole trace, not for an interval */
	gboolean every;  /* has every metric, whichever is asked for */
	gboolean (*print)(const Export *export, GError **error);
} ExportFormat;

/* Returns NULL if there is no such format. */
const ExportFormat *export_find(const char *name);

/* Returns all names, separated by ", ". For g_free(). */
char *export_names(void);

gboolean export_folded(const Export *export, GError **error);
gboolean export_speedscope(const Export *export, GError **error);
gboolean export_pprof(const Export *export, GError **error);
gboolean export_dhat(const Export *export, GError **error);
gboolean export_perfetto(const Export *export, GError **error);
gboolean export_csv(const Export *export, GError **error);

#endif

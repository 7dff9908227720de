/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Limits what is kept of all processes. One user other than root may have a quarter of it, and all
 * of them together leave a quarter to root.
 */
#ifndef KMT_CAPTURE_PROCESS_QUOTA_H
#define KMT_CAPTURE_PROCESS_QUOTA_H

#include <glib.h>

/* What one user may have of @max. */
#define QUOTA_OF_ONE(max) ((max) / 4)

/* Two amounts, each with a limit of its own. */
typedef struct {
	gsize first, second;
} QuotaAmounts;

typedef struct Quota Quota;

Quota *quota_new(QuotaAmounts max);
void quota_free(Quota *quota); /* NULL is allowed */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Quota, quota_free)

/* Whether @more for a process of @uid, an answer of owner_of_process(), is within the limits. */
gboolean quota_fits(const Quota *quota, guint32 uid, QuotaAmounts more);

/* Counts @more for a process of @uid, within the limits or not. */
void quota_charge(Quota *quota, guint32 uid, QuotaAmounts more);

#endif

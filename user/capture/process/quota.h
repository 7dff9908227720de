/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Limits what all processes cost: memory, and time. A user other than root may use a quarter of it,
 * and all of these users together leave a quarter to root.
 */
#ifndef KMT_CAPTURE_PROCESS_QUOTA_H
#define KMT_CAPTURE_PROCESS_QUOTA_H

#include <glib.h>

/* The share of one user. */
#define QUOTA_OF_ONE(max) ((max) / 4)

/* Amounts, each with its own limit. */
typedef struct {
	gsize first, second, third;
} QuotaAmounts;

typedef struct Quota Quota;

Quota *quota_new(QuotaAmounts max);
void quota_free(Quota *quota); /* NULL is allowed */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Quota, quota_free)

/* Returns whether @more for a process of @uid, from owners_find(), is within the limits. */
gboolean quota_fits(const Quota *quota, guint32 uid, QuotaAmounts more);

/* Returns the third amount that is left for @uid; 0: none. */
gsize quota_left(const Quota *quota, guint32 uid);

/* Charges @more to @uid, also beyond the limits. */
void quota_charge(Quota *quota, guint32 uid, QuotaAmounts more);

#endif

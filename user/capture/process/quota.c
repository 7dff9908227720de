// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/process/quota.h"

#include "capture/process/owner.h"

#define OF_ALL(max) ((max) / 4 * 3) /* for all users except root */

struct Quota {
	QuotaAmounts max;
	QuotaAmounts all, others; /* used; others: by all users except root */
	GHashTable *users;        /* uid to QuotaAmounts; without root */
};

Quota *quota_new(QuotaAmounts max)
{
	Quota *quota = g_new0(Quota, 1);

	quota->max = max;
	quota->users = owner_table_new();
	return quota;
}

void quota_free(Quota *quota)
{
	if (!quota)
		return;
	g_hash_table_unref(quota->users);
	g_free(quota);
}

static QuotaAmounts *used_by(const Quota *quota, guint32 uid)
{
	return owner_table_get(quota->users, uid, sizeof(QuotaAmounts));
}

static gboolean is_within(QuotaAmounts used, QuotaAmounts more, gsize first, gsize second)
{
	return used.first + more.first <= first && used.second + more.second <= second;
}

gboolean quota_fits(const Quota *quota, guint32 uid, QuotaAmounts more)
{
	const QuotaAmounts *user = used_by(quota, uid);
	gsize first = quota->max.first, second = quota->max.second;

	return is_within(quota->all, more, first, second) &&
	       (!user || (is_within(*user, more, QUOTA_OF_ONE(first), QUOTA_OF_ONE(second)) &&
			  is_within(quota->others, more, OF_ALL(first), OF_ALL(second))));
}

static void add(QuotaAmounts *used, QuotaAmounts more)
{
	used->first += more.first;
	used->second += more.second;
}

void quota_charge(Quota *quota, guint32 uid, QuotaAmounts more)
{
	QuotaAmounts *user = used_by(quota, uid);

	add(&quota->all, more);
	if (!user)
		return;
	add(user, more);
	add(&quota->others, more);
}

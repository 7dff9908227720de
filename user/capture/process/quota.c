// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/process/quota.h"

#include "base/owner.h"

#define OF_ALL(max) ((max) / 4 * 3) /* for all users except root */

struct Quota {
	QuotaAmounts max;
	QuotaAmounts all, root, others; /* used; others: by all users except root */
	GHashTable *users;              /* uid to QuotaAmounts; without root */
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

static gboolean is_within(QuotaAmounts used, QuotaAmounts more, QuotaAmounts max)
{
	return used.first + more.first <= max.first && used.second + more.second <= max.second &&
	       used.third + more.third <= max.third;
}

gboolean quota_fits(const Quota *quota, guint32 uid, QuotaAmounts more)
{
	const QuotaAmounts *user = used_by(quota, uid);
	QuotaAmounts max = quota->max;
	QuotaAmounts of_one = { QUOTA_OF_ONE(max.first), QUOTA_OF_ONE(max.second),
				QUOTA_OF_ONE(max.third) };
	QuotaAmounts of_all = { OF_ALL(max.first), OF_ALL(max.second), OF_ALL(max.third) };

	if (!user) /* others may have been charged beyond their limits */
		return is_within(quota->all, more, max) || is_within(quota->root, more, of_one);
	return is_within(quota->all, more, max) && is_within(*user, more, of_one) &&
	       is_within(quota->others, more, of_all);
}

static gsize left_of(gsize used, gsize max)
{
	return max - MIN(used, max);
}

gsize quota_left(const Quota *quota, guint32 uid)
{
	const QuotaAmounts *user = used_by(quota, uid);
	gsize max = quota->max.third, of_one = QUOTA_OF_ONE(max);
	gsize left = left_of(quota->all.third, max);

	if (!user)
		return MAX(left, left_of(quota->root.third, of_one));
	left = MIN(left, left_of(user->third, of_one));
	return MIN(left, left_of(quota->others.third, OF_ALL(max)));
}

static void add(QuotaAmounts *used, QuotaAmounts more)
{
	used->first += more.first;
	used->second += more.second;
	used->third += more.third;
}

void quota_charge(Quota *quota, guint32 uid, QuotaAmounts more)
{
	QuotaAmounts *user = used_by(quota, uid);

	add(&quota->all, more);
	add(user ? &quota->others : &quota->root, more);
	if (user)
		add(user, more);
}

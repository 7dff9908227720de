// SPDX-License-Identifier: GPL-2.0-or-later
#include "store/load/failures.h"

#include "analysis/containers/intern.h"

typedef struct {
	guint64 count;
	guint64 first_ns, last_ns;
} Failure;

struct Failures {
	Intern *keys;     /* of origin << 32 | task */
	GArray *failures; /* of Failure, by number − 1 */
};

Failures *failures_new(void)
{
	Failures *failures = g_new0(Failures, 1);

	failures->keys = intern_new(sizeof(guint64));
	failures->failures = g_array_new(FALSE, TRUE, sizeof(Failure));
	return failures;
}

void failures_free(Failures *failures)
{
	if (!failures)
		return;
	g_array_unref(failures->failures);
	intern_free(failures->keys);
	g_free(failures);
}

void failures_count(Failures *failures, guint32 origin, guint32 task, guint64 time_ns)
{
	guint64 key = (guint64)origin << 32 | task;
	guint32 id = intern_add(failures->keys, &key, NULL);
	Failure *failure;

	g_array_set_size(failures->failures, MAX(failures->failures->len, id));
	failure = &g_array_index(failures->failures, Failure, id - 1);
	if (!failure->count++)
		failure->first_ns = time_ns;
	failure->last_ns = time_ns;
}

void failures_write(const Failures *failures, Db *db)
{
	Insert *insert = db_insert(db, "failed");

	for (guint32 id = 1; id <= intern_count(failures->keys); id++) {
		const Failure *failure = &g_array_index(failures->failures, Failure, id - 1);
		guint64 key = *(const guint64 *)intern_key(failures->keys, id);
		gint64 values[] = { key >> 32, failure->count, failure->first_ns, failure->last_ns,
				    key & G_MAXUINT32 };

		insert_ints(insert, values, G_N_ELEMENTS(values));
	}
}

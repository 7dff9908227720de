// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Finds suspects that are parts of reclaimable objects: each allocation comes with an object of a
 * reclaimable group, which the same thread allocated in the same function, with the same callers,
 * such as data that a lookup allocates for an inode. Only live ones count: if the kernel has
 * reclaimed the objects, and their companions are left, these leak.
 */
#include "base/seed.h"
#include "report/leaks/suspect.h"

#include "base/compare.h"
#include "store/query/temp_table.h"

/* Number of calls, outwards from the call site, in which the common function is searched. */
#define CALLS_PART   4
#define CALLS_OBJECT 6
/* Percentage of a group's allocations that must have an object each. */
#define CALLS_PERCENT 90

/* Live allocations of one suspect, origin and task. */
typedef struct {
	guint32 number, origin, task;
	gint64 count;
} Part;

/* Live objects of reclaimable groups that a task allocated in one function. */
typedef struct {
	gint64 count;
	gint64 used; /* of these, claimed by the suspect @used_by */
	guint32 used_by;
	guint32 number; /* of the group that has most of them */
	gint64 most;    /* their number */
} Call;

typedef struct {
	Suspects *suspects;
	GArray *parts;    /* of Part, by suspect */
	GArray *objects;  /* of Part */
	guint32 *calls;   /* by origin and distance from the call site: a function; 0: none */
	GHashTable *made; /* of Call: by call and task */
	/* Of one suspect: objects by the number of their group, and these numbers, of guint32. */
	gint64 *by_leader;
	GArray *leaders;
} Company;

static guint32 *calls_of(const Company *company, guint32 origin)
{
	return &company->calls[(gsize)origin * CALLS_OBJECT];
}

static gint by_number(gconstpointer a, gconstpointer b)
{
	const Part *one = a, *other = b;

	return COMPARE(one->number, other->number)
		       ?: COMPARE(one->origin, other->origin)
		       ?: COMPARE(one->task, other->task);
}

/* Divides the live allocations of suspects into likely leaks and reclaimable objects. */
static void divide(Company *company)
{
	const Suspects *suspects = company->suspects;
	g_autoptr(GArray) rows = tally_rows(suspects->held);

	for (guint i = 0; i < rows->len; i++) {
		const TallyRow *row = &g_array_index(rows, TallyRow, i);
		const Part part = { suspects_held_number(suspects, row), suspects_held_origin(row),
				    suspects_held_task(row), row->sums[0] };
		const Suspect *suspect;

		if (part.number == GROUPS_NONE)
			continue;
		suspect = suspect_at(suspects, part.number);
		if (suspect->facts.reclaimable)
			g_array_append_val(company->objects, part);
		else if (suspect->judgement.verdict == LEAK_LIKELY)
			g_array_append_val(company->parts, part);
	}
	g_array_sort(company->parts, by_number);
	g_array_sort(company->objects, by_number);
}

static void add_origins(const GArray *parts, TempTable *origins)
{
	guint32 last = 0;

	for (guint i = 0; i < parts->len; i++) {
		guint32 origin = g_array_index(parts, Part, i).origin;

		if (origin != last)
			TEMP_TABLE_ADD(origins, origin);
		last = origin;
	}
}

static void take_call(StoreRows *rows, gpointer data)
{
	const Company *company = data;
	gint64 origin = store_rows_int(rows, 0), level = store_rows_int(rows, 1);

	if (origin >= 0 && origin <= company->suspects->live->groups.origins && level >= 0 &&
	    level < CALLS_OBJECT)
		calls_of(company, (guint32)origin)[level] = (guint32)store_rows_int(rows, 2);
}

static gboolean read_calls(Company *company, GError **error)
{
	StoreDb *db = company->suspects->live->db;
	const char *const params[] = { ":levels", G_STRINGIFY(CALLS_OBJECT), NULL };
	g_autoptr(TempTable) origins = temp_table_new("company_origins", "origin");

	add_origins(company->parts, origins);
	add_origins(company->objects, origins);
	return temp_table_create(origins, db, error) &&
	       store_each(db, "suspects_calls", params, take_call, company, error);
}

static guint64 key_of(guint32 call, guint32 task)
{
	return (guint64)call << 32 | task;
}

static void add_object(Company *company, const Part *object, guint32 number)
{
	guint64 key = key_of(number, object->task);
	Call *call = g_hash_table_lookup(company->made, &key);

	if (!call) {
		call = g_new0(Call, 1);
		call->used_by = GROUPS_NONE;
		g_hash_table_insert(company->made, g_memdup2(&key, sizeof(key)), call);
	}
	call->count += object->count;
	if (object->count > call->most) {
		call->most = object->count;
		call->number = object->number;
	}
}

static void add_objects(Company *company)
{
	for (guint i = 0; i < company->objects->len; i++) {
		const Part *object = &g_array_index(company->objects, Part, i);
		const guint32 *calls = calls_of(company, object->origin);

		for (guint level = 0; level < CALLS_OBJECT && calls[level]; level++)
			add_object(company, object, calls[level]);
	}
}

static void count_leader(Company *company, guint32 number, gint64 count)
{
	if (!company->by_leader[number])
		g_array_append_val(company->leaders, number);
	company->by_leader[number] += count;
}

/*
 * Returns how many allocations of @part have an object each, in the nearest common function with
 * objects left.
 */
static gint64 match(Company *company, const Part *part)
{
	const guint32 *calls = calls_of(company, part->origin);
	gint64 left = part->count;

	for (guint level = 0; level < CALLS_PART && calls[level] && left; level++) {
		guint64 key = key_of(calls[level], part->task);
		Call *call = g_hash_table_lookup(company->made, &key);
		gint64 matched;

		if (!call)
			continue;
		if (call->used_by != part->number) {
			call->used_by = part->number;
			call->used = 0;
		}
		matched = MIN(left, call->count - call->used);
		call->used += matched;
		if (matched)
			count_leader(company, call->number, matched);
		left -= matched;
	}
	return part->count - left;
}

/* Returns the number of the group with the most objects, and forgets them all. */
static guint32 take_most_frequent(Company *company)
{
	guint32 best = 0;
	gint64 most = 0;

	for (guint i = 0; i < company->leaders->len; i++) {
		guint32 number = g_array_index(company->leaders, guint32, i);
		gint64 count = company->by_leader[number];

		if (count > most || (count == most && number < best)) {
			best = number;
			most = count;
		}
		company->by_leader[number] = 0;
	}
	g_array_set_size(company->leaders, 0);
	return best;
}

static void find_company(Company *company)
{
	const Suspects *suspects = company->suspects;
	const GArray *parts = company->parts;

	for (guint i = 0; i < parts->len;) {
		guint32 number = g_array_index(parts, Part, i).number;
		Suspect *suspect = suspect_at(suspects, number);
		gint64 count = 0, matched = 0;
		guint32 leader;

		for (; i < parts->len && g_array_index(parts, Part, i).number == number; i++) {
			count += g_array_index(parts, Part, i).count;
			matched += match(company, &g_array_index(parts, Part, i));
		}
		leader = take_most_frequent(company);
		if (matched * 100 < count * CALLS_PERCENT)
			continue;
		suspect->leader = suspects_origin(suspects, suspect_at(suspects, leader));
		suspect->facts.follows = TRUE;
	}
}

gboolean suspects_read_company(Suspects *suspects, GError **error)
{
	gsize origins = suspects->live->groups.origins + 1;
	Company company = { .suspects = suspects };
	gboolean fine = TRUE;

	company.parts = g_array_new(FALSE, FALSE, sizeof(Part));
	company.objects = g_array_new(FALSE, FALSE, sizeof(Part));
	divide(&company);
	if (company.parts->len && company.objects->len) {
		company.calls = g_new0(guint32, origins * CALLS_OBJECT);
		company.made = g_hash_table_new_full(seed_int64, g_int64_equal, g_free, g_free);
		company.by_leader = g_new0(gint64, suspects->all->len);
		company.leaders = g_array_new(FALSE, FALSE, sizeof(guint32));
		fine = read_calls(&company, error);
		if (fine) {
			add_objects(&company);
			find_company(&company);
		}
		g_hash_table_unref(company.made);
		g_array_unref(company.leaders);
	}
	g_free(company.calls);
	g_free(company.by_leader);
	g_array_unref(company.parts);
	g_array_unref(company.objects);
	return fine;
}

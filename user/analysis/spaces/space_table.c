// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/spaces/space_table.h"

#include <string.h>

#include "base/seed.h"
#include "base/sorted.h"

static void clear_space(gpointer data)
{
	g_clear_pointer(&((Space *)data)->later, g_array_unref);
}

static void free_array(gpointer array)
{
	g_array_unref(array);
}

void space_table_init(SpaceTable *table)
{
	table->spaces = g_array_new(FALSE, FALSE, sizeof(Space));
	g_array_set_clear_func(table->spaces, clear_space);
	table->readings = g_array_new(FALSE, FALSE, sizeof(Reading));
	table->ranges = ranges_new();
	table->processes = g_hash_table_new_full(seed_number, NULL, NULL, free_array);
	table->by_mm = g_hash_table_new(seed_number, NULL);
	for (guint i = 0; i < G_N_ELEMENTS(table->read_mms); i++)
		table->read_mms[i] = g_hash_table_new(seed_number, NULL);
}

void space_table_clear(SpaceTable *table)
{
	g_array_unref(table->spaces);
	g_array_unref(table->readings);
	ranges_free(table->ranges);
	g_hash_table_unref(table->processes);
	g_hash_table_unref(table->by_mm);
	for (guint i = 0; i < G_N_ELEMENTS(table->read_mms); i++)
		g_hash_table_unref(table->read_mms[i]);
}

/* ---- spaces and their versions ---- */

/* Returns a space, valid until the next one is added. */
Space *space_table_get(const SpaceTable *table, guint32 number)
{
	return &g_array_index(table->spaces, Space, number - 1);
}

static guint32 new_space(SpaceTable *table, guint64 from_ns)
{
	Space space = { .first = { .from_ns = from_ns } };

	g_array_append_val(table->spaces, space);
	return table->spaces->len;
}

SpaceVersion *space_last_version(Space *space)
{
	return space->later ? &g_array_index(space->later, SpaceVersion, space->later->len - 1)
			    : &space->first;
}

void space_add_version(Space *space, const SpaceVersion *version)
{
	if (!space->later)
		space->later = g_array_new(FALSE, FALSE, sizeof(SpaceVersion));
	g_array_append_vals(space->later, version, 1);
}

/* Counts the later versions that begin by @time_ns. */
guint space_count_later(const Space *space, guint64 time_ns)
{
	return space->later ? SORTED_COUNT(space->later, SpaceVersion, from_ns, time_ns) : 0;
}

/* Makes @space the space of @mm from now on; 0: unknown. */
void space_table_set_mm(SpaceTable *table, guint32 mm, guint32 space)
{
	if (!mm)
		return;
	space_table_get(table, space)->mm = mm;
	g_hash_table_insert(table->by_mm, GUINT_TO_POINTER(mm), GUINT_TO_POINTER(space));
}

guint32 space_table_new(SpaceTable *table, guint32 mm, guint64 from_ns)
{
	guint32 number = new_space(table, from_ns);

	space_table_set_mm(table, mm, number);
	return number;
}

guint32 space_table_new_read(SpaceTable *table, guint32 mm, gboolean at_end)
{
	guint32 number = new_space(table, 0);

	space_table_get(table, number)->mm = mm;
	if (mm)
		g_hash_table_insert(table->read_mms[at_end], GUINT_TO_POINTER(mm),
				    GUINT_TO_POINTER(number));
	return number;
}

/* Returns 0 if unknown. */
guint32 space_table_of_mm(const SpaceTable *table, guint32 mm)
{
	return GPOINTER_TO_UINT(g_hash_table_lookup(table->by_mm, GUINT_TO_POINTER(mm)));
}

GArray *space_table_tenures(const SpaceTable *table, guint32 tgid)
{
	return g_hash_table_lookup(table->processes, GUINT_TO_POINTER(tgid));
}

/* Returns the current space of a process; 0: unknown. */
guint32 space_table_current(const SpaceTable *table, guint32 tgid)
{
	const GArray *tenures = space_table_tenures(table, tgid);

	return tenures ? g_array_index(tenures, Tenure, tenures->len - 1).space : 0;
}

void space_table_move_in(SpaceTable *table, guint32 tgid, guint64 from_ns, guint32 space)
{
	GArray *tenures = space_table_tenures(table, tgid);
	Tenure tenure = { from_ns, space };

	if (!tenures) {
		tenures = g_array_new(FALSE, FALSE, sizeof(Tenure));
		g_hash_table_insert(table->processes, GUINT_TO_POINTER(tgid), tenures);
	}
	g_array_append_val(tenures, tenure);
}

static void extend(SpaceSpan *span, guint64 time_ns)
{
	span->from_ns = MIN(span->from_ns, time_ns);
	span->to_ns = MAX(span->to_ns, time_ns);
}

void space_table_forget(SpaceTable *table, guint32 tgid)
{
	g_hash_table_remove(table->processes, GUINT_TO_POINTER(tgid));
}

/* Copies its current mappings. */
guint32 space_table_copy(SpaceTable *table, guint32 number, guint64 time_ns)
{
	guint32 copy = new_space(table, time_ns);
	Space *from = space_table_get(table, number), *to = space_table_get(table, copy);

	memcpy(to->readings, from->readings, sizeof(to->readings));
	memcpy(to->spans, from->spans, sizeof(to->spans));
	for (guint i = 0; i < SPACE_LAYERS; i++)
		extend(&to->spans[i], time_ns);
	to->first = *space_last_version(from);
	to->first.from_ns = time_ns;
	return copy;
}

/* ---- readings ---- */

static Reading *get_reading(const SpaceTable *table, guint32 number)
{
	return &g_array_index(table->readings, Reading, number - 1);
}

/* Returns the layer of a new reading above the others; SPACE_LAYERS if none is free. */
static guint free_layer(const Space *space)
{
	guint layer = 0;

	while (layer < SPACE_LAYERS && space->readings[layer])
		layer++;
	return layer;
}

static void set_layer(SpaceTable *table, Space *space, guint layer, const Reading *reading)
{
	g_array_append_vals(table->readings, reading, 1);
	space->readings[layer] = table->readings->len;
	space->spans[layer] = (SpaceSpan){ reading->read_ns, reading->read_ns };
}

/* Returns a layer of a space; NULL: none is free. */
guint32 *space_table_add_reading(SpaceTable *table, const Reading *reading)
{
	Space *space = space_table_get(table, reading->owner);
	guint layer = free_layer(space);

	if (layer == SPACE_LAYERS)
		return NULL;
	set_layer(table, space, layer, reading);
	return &space->first.layers[layer];
}

/* Returns whether an event of @space shows that some of the reading was not there before. */
static gboolean is_early(const Reading *reading, guint32 space, guint64 time_ns)
{
	return reading->owner == space && !reading->is_void && time_ns <= reading->read_ns;
}

static void add_hole(SpaceTable *table, Reading *reading, const Range *hole)
{
	reading->holes = ranges_cut(table->ranges, reading->holes, hole->start, hole->end);
	reading->holes = ranges_add(table->ranges, reading->holes, hole);
}

/*
 * Voids the range in an early reading: if an event touched it before the reading, its mapping may
 * not have existed until then.
 */
static guint32 cut_layer(SpaceTable *table, guint32 space, Reading *reading, guint32 layer,
			 const Range *gone)
{
	gboolean early = is_early(reading, space, gone->from_ns);
	guint32 cut = ranges_cut(table->ranges, layer, gone->start, gone->end);

	if (cut != layer && early)
		add_hole(table, reading, gone);
	return cut;
}

/* @gone->from_ns: the time. Returns FALSE if nothing was there. */
gboolean space_table_clear_range(SpaceTable *table, guint32 number, SpaceVersion *version,
				 const Range *gone)
{
	const Space *space = space_table_get(table, number);
	SpaceVersion before = *version;

	if (gone->start >= gone->end)
		return FALSE;
	version->events = ranges_cut(table->ranges, version->events, gone->start, gone->end);
	for (guint i = 0; i < SPACE_LAYERS && space->readings[i]; i++)
		version->layers[i] =
			cut_layer(table, number, get_reading(table, space->readings[i]),
				  version->layers[i], gone);
	return before.events != version->events ||
	       memcmp(before.layers, version->layers, sizeof(before.layers)) != 0;
}

void space_table_clear_read(SpaceTable *table, guint32 mm, guint32 except, const Range *gone)
{
	for (guint i = 0; i < G_N_ELEMENTS(table->read_mms); i++) {
		guint32 number = GPOINTER_TO_UINT(
			g_hash_table_lookup(table->read_mms[i], GUINT_TO_POINTER(mm)));
		SpaceVersion version;

		if (!number || number == except)
			continue;
		version = *space_last_version(space_table_get(table, number));
		if (!space_table_clear_range(table, number, &version, gone))
			continue;
		version.from_ns = gone->from_ns;
		space_add_version(space_table_get(table, number), &version);
	}
}

/* Makes room for a layer, if needed in place of the lowest one that is not the space's own. */
static guint take_layer(const SpaceTable *table, Space *space, guint32 number,
			SpaceVersion *version)
{
	guint lowest = 0;

	if (free_layer(space) < SPACE_LAYERS || space->later)
		return free_layer(space);
	while (lowest < SPACE_LAYERS &&
	       get_reading(table, space->readings[lowest])->owner == number)
		lowest++;
	if (lowest == SPACE_LAYERS)
		return SPACE_LAYERS;
	for (guint i = lowest + 1; i < SPACE_LAYERS; i++) {
		space->readings[i - 1] = space->readings[i];
		space->spans[i - 1] = space->spans[i];
		version->layers[i - 1] = version->layers[i];
		space->first.layers[i - 1] = space->first.layers[i];
	}
	space->readings[SPACE_LAYERS - 1] = 0;
	version->layers[SPACE_LAYERS - 1] = space->first.layers[SPACE_LAYERS - 1] = RANGES_EMPTY;
	return SPACE_LAYERS - 1;
}

/* Moves a reading of @from to @to from @time_ns on, as far as it is valid. */
static void move_reading(SpaceTable *table, guint32 number, guint32 ranges, guint32 to,
			 SpaceVersion *version)
{
	Reading *old = get_reading(table, number);
	const Reading moved = { .read_ns = old->read_ns, .tgid = old->tgid, .owner = to };
	guint layer = take_layer(table, space_table_get(table, to), to, version);
	guint32 owner = old->owner;
	Space *space;

	old->is_void = TRUE;
	if (layer == SPACE_LAYERS)
		return;
	space = space_table_get(table, to);
	set_layer(table, space, layer, &moved);
	version->layers[layer] = ranges;
	/* Another process may have got the id since, unless the memory is the same. */
	if (!space->mm || space->mm != space_table_get(table, owner)->mm)
		extend(&space->spans[layer], version->from_ns);
}

static gboolean is_early_of(const Reading *reading, guint32 tgid, guint32 space, guint64 time_ns)
{
	return reading->tgid == tgid && is_early(reading, space, time_ns);
}

/*
 * Moves later readings of a process to the process that begins now: before, another process had its
 * id.
 */
void space_table_move_readings(SpaceTable *table, guint32 tgid, guint32 from, guint32 to,
			       guint64 time_ns)
{
	Space old = *space_table_get(table, from);
	SpaceVersion last = *space_last_version(&old),
		     version = *space_last_version(space_table_get(table, to));
	gboolean any = FALSE;

	version.from_ns = time_ns;
	for (guint i = 0; from != to && i < SPACE_LAYERS && old.readings[i]; i++) {
		if (!is_early_of(get_reading(table, old.readings[i]), tgid, from, time_ns))
			continue;
		move_reading(table, old.readings[i], last.layers[i], to, &version);
		any = TRUE;
	}
	if (any)
		space_add_version(space_table_get(table, to), &version);
}

/* Voids readings of this process only: the child of a vfork() leaves its parent's space. */
void space_table_void_readings(SpaceTable *table, guint32 tgid, guint32 space, guint64 time_ns)
{
	for (guint i = 0; space && i < SPACE_LAYERS && space_table_get(table, space)->readings[i];
	     i++) {
		Reading *reading = get_reading(table, space_table_get(table, space)->readings[i]);

		reading->is_void |= is_early_of(reading, tgid, space, time_ns);
	}
}

/* Returns NULL if @addr is not in the reading. */
static const Range *find_read(const SpaceTable *table, const Reading *reading, guint32 layer,
			      guint64 addr)
{
	if (reading->is_void || reading->is_late ||
	    ranges_find(table->ranges, reading->holes, addr))
		return NULL;
	return ranges_find(table->ranges, layer, addr);
}

gboolean space_table_read(const SpaceTable *table, const Space *space, guint32 tgid,
			  SpaceSpan *known)
{
	guint64 last_ns = 0;

	for (guint i = 0; i < SPACE_LAYERS && space->readings[i]; i++) {
		const Reading *reading = get_reading(table, space->readings[i]);

		if (reading->tgid != tgid || reading->is_void || reading->is_late ||
		    reading->read_ns <= last_ns)
			continue;
		last_ns = reading->read_ns;
		*known = space->spans[i];
	}
	return last_ns != 0;
}

const Range *space_table_find(const SpaceTable *table, const Space *space,
			      const SpaceVersion *version, guint64 addr, SpaceSpan *known)
{
	const Range *range;

	for (guint i = SPACE_LAYERS; i-- > 0;) {
		const Reading *reading;

		if (!space->readings[i])
			continue;
		reading = get_reading(table, space->readings[i]);
		range = find_read(table, reading, version->layers[i], addr);
		if (range) {
			*known = space->spans[i];
			return range;
		}
	}
	range = ranges_find(table->ranges, version->events, addr);
	if (range)
		*known = (SpaceSpan){ range->from_ns, range->from_ns };
	return range;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A process has one address space after another: fork gives it a copy of its parent's, or the same
 * one, and exec an empty one. A space has a version for each time at which its mappings changed;
 * versions and copies share what is equal (ranges.h).
 *
 * Events name the space by the kernel's mm, which processes may have shared since before the trace.
 * In traces of older tracers they don't: there each process is taken to have its own.
 *
 * What the recorder read from /proc/PID/maps during tracing is an early reading: its mappings are
 * taken to exist from the start, or from the fork that made the process. Where an event before the
 * reading touches the same addresses, the reading is void, at all times. A fork before the reading
 * gives the child a copy, which is void where the reading is. Readings are layers above the events'
 * mappings: where one is void, the layer below counts.
 *
 * A pointer to a space is valid until the next space is made. The number 0 means none.
 */
#ifndef KMT_ANALYSIS_SPACES_SPACE_TABLE_H
#define KMT_ANALYSIS_SPACES_SPACE_TABLE_H

#include <glib.h>

#include "analysis/containers/ranges.h"

#define SPACE_LAYERS 4 /* a process is read at the start and at the end; its parent, too */

/* Once /proc/PID/maps was read. */
typedef struct {
	guint64 read_ns;
	guint32 tgid;     /* the process that was read; others may share its space */
	guint32 owner;    /* the space that it is of; others have copies */
	guint32 holes;    /* version of the ranges where it is void */
	gboolean is_void; /* everywhere */
	gboolean is_late; /* newer than the list of mms: counts only from the FORK of @tgid on */
} Reading;

typedef struct {
	guint64 from_ns;
	guint32 events;               /* version of the events' ranges */
	guint32 layers[SPACE_LAYERS]; /* versions of those of each reading */
} SpaceVersion;

typedef struct {
	guint32 readings[SPACE_LAYERS]; /* their numbers, the last one counts first; 0: no more */
	SpaceVersion first;
	GArray *later; /* of SpaceVersion, ascending; NULL: none */
} Space;

/* From a time on a process has this space. */
typedef struct {
	guint64 from_ns;
	guint32 space;
} Tenure;

typedef struct {
	GArray *spaces;        /* of Space, by number − 1 */
	GArray *readings;      /* of Reading, by number − 1 */
	Ranges *ranges;        /* of all of them */
	GHashTable *processes; /* tgid → GArray of Tenure */
	GHashTable *by_mm;     /* mm → number of the space that it is now */
} SpaceTable;

void space_table_init(SpaceTable *table);
void space_table_clear(SpaceTable *table);

/* A space without mappings, which is that of @mm from now on; 0: of an mm that isn't told. */
guint32 space_table_new(SpaceTable *table, guint32 mm, guint64 from_ns);

/* A space with the mappings that @number has now. */
guint32 space_table_copy(SpaceTable *table, guint32 number, guint64 time_ns);

Space *space_table_get(const SpaceTable *table, guint32 number);
guint32 space_table_of_mm(const SpaceTable *table, guint32 mm);
guint32 space_table_current(const SpaceTable *table, guint32 tgid);    /* that of a process now */
void space_table_set_mm(SpaceTable *table, guint32 mm, guint32 space); /* @mm may be 0: not told */

/* From @from_ns on the process has @space. Times ascend. */
void space_table_move_in(SpaceTable *table, guint32 tgid, guint64 from_ns, guint32 space);
GArray *space_table_tenures(const SpaceTable *table, guint32 tgid); /* of Tenure; NULL: none */

SpaceVersion *space_last_version(Space *space);
void space_add_version(Space *space, const SpaceVersion *version);
guint space_count_later(const Space *space, guint64 time_ns); /* later versions until then */

/* Takes @gone out of *@version of space @number; @gone->from_ns: when. FALSE: nothing was there. */
gboolean space_table_clear_range(SpaceTable *table, guint32 number, SpaceVersion *version,
				 const Range *gone);

/* ---- readings ---- */

/* The layer of a new reading of its owner's, above the others; NULL: it has no more. */
guint32 *space_table_add_reading(SpaceTable *table, const Reading *reading);

/* What was read later of a process is of that which begins now: before, its number had another. */
void space_table_move_readings(SpaceTable *table, guint32 tgid, guint32 from, guint32 to,
			       guint64 time_ns);

/* A process leaves @space by an exec: what was read of it later was the new program's. */
void space_table_void_readings(SpaceTable *table, guint32 tgid, guint32 space, guint64 time_ns);

/* The mapping at @addr. *@known_ns: since when, or when it was read. NULL: none. */
const Range *space_table_find(const SpaceTable *table, const Space *space,
			      const SpaceVersion *version, guint64 addr, guint64 *known_ns);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A process has a sequence of address spaces: fork gives it a copy of its parent's, or the same
 * one, and exec an empty one. A space has a version for each time at which its mappings changed;
 * versions and copies share their common parts (ranges.h).
 *
 * Events name the space by the kernel's mm, which processes may have shared since before the trace.
 * In traces of older tracers they don't, and each process is assumed to have its own space.
 *
 * Mappings that the recorder read from /proc/PID/maps during tracing are an early reading: they are
 * assumed to exist from the start, or from the fork that created the process. Where an event before
 * the reading touches the same addresses, the reading is void, at all times. A fork before the
 * reading gives the child a copy, which is void where the reading is. Readings are layers above the
 * events' mappings: where one is void, the layer below counts.
 *
 * A pointer to a space is valid until the next space is added. The number 0 means none.
 */
#ifndef KMT_ANALYSIS_SPACES_SPACE_TABLE_H
#define KMT_ANALYSIS_SPACES_SPACE_TABLE_H

#include <glib.h>

#include "analysis/containers/ranges.h"

#define SPACE_LAYERS 4 /* a process is read at the start and at the end, as is its parent */

/* One reading of /proc/PID/maps. */
typedef struct {
	guint64 read_ns;
	guint32 tgid;     /* the process that was read; others may share its space */
	guint32 owner;    /* its space; others have copies */
	guint32 holes;    /* version of the ranges in which the reading is void */
	gboolean is_void; /* everywhere */
	gboolean is_late; /* after the list of mms: counts only from the FORK of @tgid on */
} Reading;

typedef struct {
	guint64 from_ns;
	guint32 events;               /* version of the events' ranges */
	guint32 layers[SPACE_LAYERS]; /* versions of the ranges of each reading */
} SpaceVersion;

/* Data that was known at a time, and is valid at others as long as no event was lost between. */
typedef struct {
	guint64 from_ns, to_ns;
} SpaceSpan;

typedef struct {
	guint32 mm;                     /* 0: unknown */
	guint32 readings[SPACE_LAYERS]; /* their numbers, the last one has precedence; 0: no more */
	SpaceSpan spans[SPACE_LAYERS];  /* from each reading to the forks that passed it on */
	SpaceVersion first;
	GArray *later; /* of SpaceVersion, ascending; NULL: none */
} Space;

/* The space of a process, as an event shows it at a time: from then on. */
typedef struct {
	guint64 from_ns;
	guint32 space;
} Tenure;

typedef struct {
	GArray *spaces;          /* of Space, by number - 1 */
	GArray *readings;        /* of Reading, by number - 1 */
	Ranges *ranges;          /* of all spaces */
	GHashTable *processes;   /* tgid to GArray of Tenure */
	GHashTable *by_mm;       /* mm to the number of its current space */
	GHashTable *read_mms[2]; /* mm that was read at the start and at the end, to its space */
} SpaceTable;

void space_table_init(SpaceTable *table);
void space_table_clear(SpaceTable *table);

/* Adds a space without mappings for @mm from now on; 0: unknown mm. */
guint32 space_table_new(SpaceTable *table, guint32 mm, guint64 from_ns);

/* Adds a space with the current mappings of @number. */
guint32 space_table_copy(SpaceTable *table, guint32 number, guint64 time_ns);

Space *space_table_get(const SpaceTable *table, guint32 number);
guint32 space_table_of_mm(const SpaceTable *table, guint32 mm);
guint32 space_table_current(const SpaceTable *table, guint32 tgid); /* current space of a process */
void space_table_set_mm(SpaceTable *table, guint32 mm, guint32 space); /* @mm may be 0: unknown */

/* Adds a space before all events for @mm, which an event of a process in it must confirm. */
guint32 space_table_new_read(SpaceTable *table, guint32 mm, gboolean at_end);

/* Gives the process @space from @from_ns on, or confirms it. Times ascend. */
void space_table_move_in(SpaceTable *table, guint32 tgid, guint64 from_ns, guint32 space);
GArray *space_table_tenures(const SpaceTable *table, guint32 tgid); /* of Tenure; NULL: none */

/* Forgets where a process was: another one had its id. */
void space_table_forget(SpaceTable *table, guint32 tgid);

SpaceVersion *space_last_version(Space *space);
void space_add_version(Space *space, const SpaceVersion *version);
guint space_count_later(const Space *space, guint64 time_ns); /* later versions by that time */

/*
 * Removes @gone from *@version of space @number; @gone->from_ns: the time. Returns FALSE if nothing
 * was there.
 */
gboolean space_table_clear_range(SpaceTable *table, guint32 number, SpaceVersion *version,
				 const Range *gone);

/*
 * Removes @gone from spaces other than @except whose processes were read with @mm: a process with
 * that mm has changed it, and may have shared the memory.
 */
void space_table_clear_read(SpaceTable *table, guint32 mm, guint32 except, const Range *gone);

/* ---- readings ---- */

/* Returns the layer of a new reading of its owner's, above the others; NULL: none is free. */
guint32 *space_table_add_reading(SpaceTable *table, const Reading *reading);

/*
 * Moves later readings of a process to the process that begins now: before, another process had its
 * id.
 */
void space_table_move_readings(SpaceTable *table, guint32 tgid, guint32 from, guint32 to,
			       guint64 time_ns);

/* Voids later readings of a process that has left @space: they show where it is then. */
void space_table_void_readings(SpaceTable *table, guint32 tgid, guint32 space, guint64 time_ns);

/* Returns whether the process was read in @space, and when that last one is known. */
gboolean space_table_read(const SpaceTable *table, const Space *space, guint32 tgid,
			  SpaceSpan *known);

/* Returns the mapping at @addr, and when it is known; NULL: none. */
const Range *space_table_find(const SpaceTable *table, const Space *space,
			      const SpaceVersion *version, guint64 addr, SpaceSpan *known);

#endif

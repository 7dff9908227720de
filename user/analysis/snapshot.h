/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parses the texts of a trace, line by line. Kernels differ and files may be damaged, so an invalid
 * line is reported, and the others still count.
 *
 * A parser may split the given line into words; its results point into the line. Names of
 * caches and tasks have at most SNAPSHOT_NAME_MAX bytes: a line with a longer one is LINE_BAD.
 */
#ifndef KMT_ANALYSIS_SNAPSHOT_H
#define KMT_ANALYSIS_SNAPSHOT_H

#include <glib.h>

#include "kmemtrace_abi.h"

#define SNAPSHOT_NAME_MAX 127 /* no kernel has a longer one */

typedef enum {
	LINE_FINE,  /* parsed into *@out */
	LINE_OTHER, /* a heading, or unused data */
	LINE_BAD,   /* invalid */
} LineResult;

/* meminfo: "Slab:  123 kB". Lines without a unit are LINE_OTHER. */
typedef struct {
	const char *key;
	gint64 kb;
} MeminfoLine;
LineResult snapshot_parse_meminfo(char *line, MeminfoLine *out);

/* slabinfo, version 2.x */
typedef struct {
	const char *name;
	gint64 active_objs, num_objs;
	gint64 object_size; /* bytes from one object to the next */
	gint64 objs_per_slab, pages_per_slab;
	gint64 num_slabs;
} SlabinfoLine;
LineResult snapshot_parse_slabinfo(char *line, SlabinfoLine *out);

/* buddyinfo: "Node 0, zone   Normal  1 2 3…" */
#define BUDDYINFO_ORDERS_MAX 32
typedef struct {
	gint64 node;
	const char *zone;
	guint orders;
	gint64 blocks[BUDDYINFO_ORDERS_MAX]; /* free blocks by order */
} BuddyinfoLine;
LineResult snapshot_parse_buddyinfo(char *line, BuddyinfoLine *out);

/* "key value" with a number: vmstat */
typedef struct {
	const char *key;
	gint64 value;
} NumberLine;
LineResult snapshot_parse_number(char *line, NumberLine *out);

/* "key=value" with any text: host */
typedef struct {
	const char *key;
	const char *value;
} TextLine;
LineResult snapshot_parse_text(char *line, TextLine *out);

/* "name value" with any text or none: filters, and paths, whose value is the state */
LineResult snapshot_parse_setting(char *line, TextLine *out);

/* "id number name": caches (number: object size) and tasks (number: tgid). The name may hold
 * spaces. */
typedef struct {
	guint32 id;
	guint32 number;
	const char *name;
} NameLine;
LineResult snapshot_parse_name(char *line, NameLine *out);

/*
 * stats: a line with the names of columns, then a line for each CPU, then lines "GROUP NAME NUMBER",
 * such as "memory NAME BYTES".
 */
typedef struct {
	int cpu, written, ignored, overwritten, consumed; /* columns; -1: missing */
	int lost[KMEMTRACE_LOSS_NR];
	int count;
} StatsColumns;
typedef struct {
	const char *group; /* "memory", "stacks", "frozen" …; NULL: of a CPU */
	const char *name;  /* only with a group */
	gint64 value;      /* only with a group; bytes of memory */
	guint32 cpu;       /* without a group, as the rest */
	guint64 written, ignored;
	gint64 overwritten; /* records; -1: not in the stats of an older tracer */
	gint64 consumed;    /* sub-buffers; likewise */
	guint64 lost[KMEMTRACE_LOSS_NR];
} StatsLine;
LineResult snapshot_parse_stats_head(char *line, StatsColumns *out);
LineResult snapshot_parse_stats(char *line, const StatsColumns *columns, StatsLine *out);

/*
 * Calls @take for each line of the text. Returns how many lines it could not parse. Overwrites
 * @text; NULL: there is none.
 */
guint snapshot_each_stats(char *text, void (*take)(const StatsLine *stats, gpointer data),
			  gpointer data);

/* abi: data about the traced kernel that the analysis needs. Unknown keys are LINE_OTHER. */
typedef enum {
	ABI_PAGE_SIZE,   /* value: bytes */
	ABI_LINEAR_BASE, /* value: address */
	ABI_GFP,         /* name, value: the flag's bit, in the low 32 */
	ABI_MIGRATETYPE, /* name, value: its number */
	ABI_PAUSES,      /* value: their number; end: their sum in nanoseconds */
	ABI_PAUSE,       /* value, end: times in nanoseconds, on the clock of events */
} AbiKey;
#define ABI_NAME_MAX    63              /* bytes; more than twice as long as the longest one */
#define ABI_GFP_ACCOUNT "__GFP_ACCOUNT" /* the flag of allocations charged to cgroups */
typedef struct {
	AbiKey key;
	const char *name;
	guint64 value;
	guint64 end; /* only of a pause, and the sum of pauses */
} AbiLine;
LineResult snapshot_parse_abi(char *line, AbiLine *out);

#endif

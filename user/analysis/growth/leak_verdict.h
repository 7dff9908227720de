/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Judges whether a group of allocations leaks, by the allocation times of what is live at the end,
 * never by the curve of live bytes: a leak adds live allocations as long as its cause persists, and
 * frees none of them, however old they are. So
 *
 * - live allocations count only if they are older than twice the age that freed ones reached
 *   (outlived): younger ones are in use, as of a pool, a queue, an LRU list or RCU;
 * - they must have been allocated throughout the time in which the group grew (active time, from
 *   the first to the last that outlived), not in one burst, and not at a falling rate, as a cache
 *   fills;
 * - the growth must not have stopped while the load went on. The load is the allocations of the
 *   threads that made the live ones, or, as these may have ended, many more of all threads. A trace
 *   that ends with idling, and a little of other work, does not show this.
 *
 * The limits below are conventions, chosen with tests/unit/test-leak-cases.c and traces of clean
 * workloads; each says what it separates. A growing load looks like a leak, and a leak that
 * happened once like an initialisation: no trace of one run can separate these.
 */
#ifndef KMT_ANALYSIS_GROWTH_LEAK_VERDICT_H
#define KMT_ANALYSIS_GROWTH_LEAK_VERDICT_H

#include "analysis/growth/lifetime_bins.h"
#include "analysis/growth/time_bins.h"

/* Live allocations of a suspect: fewer may be an accident of the end of the trace. */
#define LEAK_SUPPORT 8
/* The same for allocations of LEAK_LARGE_BYTES on average, which are never many. */
#define LEAK_SUPPORT_LARGE 5
#define LEAK_LARGE_BYTES   65536
/* From these numbers on, the number does not lower the confidence from high, or from medium. */
#define LEAK_SUPPORT_HIGH   50
#define LEAK_SUPPORT_MEDIUM 16

/*
 * Live allocations count if they are older than LEAK_PATIENCE times the 99th percentile of
 * lifetimes: 1 in 10,000 of an exponential distribution.
 */
#define LEAK_PATIENCE   2
#define LEAK_PERCENTILE 99
/* Freed allocations needed to know their lifetimes. */
#define LEAK_FREED_KNOWN 5
/*
 * There must be this many times more of them than of freed ones that reached their age: lifetimes
 * with a long tail, such as 1/t, leave about as many live as were freed.
 */
#define LEAK_TAIL 2

/* The active time is divided into this many windows, */
#define LEAK_WINDOWS 8
/*
 * of which this many must have live allocations: three bursts, or more if there are few
 * allocations,
 */
#define LEAK_FILLED     3
#define LEAK_FILLED_FEW 4
/* no window has more than 3/4 of them: one burst, and some others, */
#define LEAK_BURST_PERCENT 75
/*
 * no two bursts, each of two bins at most, have more than 9/10 of them (if there are this many
 * bins, so that a burst is 1/32 of the active time at most),
 */
#define LEAK_TWO_BURSTS_PERCENT 90
#define LEAK_BURSTS_BINS        64
/* and the second half has 1/4 or more of them: a cache that fills ever slower has less (if it
 * fills exponentially, 1/15 of 200). */
#define LEAK_LATER_PERCENT 25
/*
 * The first 1/16 of them is left out if it took 1/4 of the time or more: a call site may have some
 * from before the leak.
 */
#define LEAK_BEFORE_DIVISOR      16
#define LEAK_BEFORE_BINS_DIVISOR 4

/* Growth in less time may be one operation, such as the setup of a device. */
#define LEAK_OPERATION_NS G_GINT64_CONSTANT(500000000)
/* A shorter trace covers only the start of a workload. */
#define LEAK_SPAN_NS G_GINT64_CONSTANT(1000000000)
/* A shorter trace allows no high confidence: 30 s is the age from which on leaks shows memory. */
#define LEAK_SPAN_HIGH_NS G_GINT64_CONSTANT(30000000000)
/* Nor does an active time of less than an eighth of the trace. */
#define LEAK_ACTIVE_DIVISOR 8
/* A shorter trace that begins at boot mostly covers the boot itself. */
#define LEAK_SPAN_BOOT_NS G_GINT64_CONSTANT(120000000000)
/* Growth has stopped if the last pause is this many times longer than earlier ones, */
#define LEAK_PAUSE 2
/*
 * and the time and the load since then both reach this percentage of those of the active time: of
 * the load of the same threads, a third, as with a cache that is full for the last quarter of the
 * time; or of the load of all threads. From the last limit on, the pause is a doubt.
 */
#define LEAK_STOPPED_PERCENT     33
#define LEAK_STOPPED_ALL_PERCENT 300
#define LEAK_PAUSED_PERCENT      10
/*
 * Maximum number of known threads of the live allocations; if there are more, all threads count as
 * theirs.
 */
#define LEAK_TASKS 8

typedef struct {
	gint64 ns;
	guint32 task;
} LeakAllocation;

/* Allocations of all groups, or a sample of them. */
typedef struct {
	LeakAllocation *allocations; /* ascending by time */
	gsize count;
} LeakLoad;

typedef struct {
	gint64 span_ns;  /* of the trace */
	gint64 until_ns; /* groups have only earlier allocations; span_ns without a limit */
	gboolean incomplete;
	gboolean boot; /* begins at boot */
	LeakLoad load;
} LeakTrace;

/* A group, with unscaled counts. */
typedef struct {
	gint64 allocated, freed;
	gint64 bytes;                 /* live bytes */
	gint64 doubtful;              /* live ones allocated before events were lost */
	TimeBins live;                /* their allocation times */
	guint32 tasks[LEAK_TASKS];    /* their tasks */
	guint task_count;             /* number of these; LEAK_TASKS + 1: there are more */
	guint64 cpus;                 /* their CPUs: bits, by number modulo 64 */
	const LifetimeBins *freed_at; /* known lifetimes of freed ones; NULL: none */
	gboolean orphaned;            /* the module that allocated some was unloaded */
	gboolean reclaimable;         /* the kernel frees it when memory is short */
	gboolean follows;             /* each comes with an object of a reclaimable group */
	gboolean delayed;             /* the kernel frees it long after its last use */
	gboolean unseen;              /* some paths that free it were not traced */
} LeakGroup;

/* In the order of suspicion. */
typedef enum {
	LEAK_FEW,      /* too few to judge */
	LEAK_IN_USE,   /* no older than freed ones */
	LEAK_STOPPED,  /* stopped growing, or grew in one burst */
	LEAK_POSSIBLE, /* grows, as other memory may */
	LEAK_LIKELY,
	LEAK_ORPHANED, /* the code that could free it was unloaded */
	LEAK_VERDICTS,
} LeakVerdict;

typedef enum { LEAK_LOW, LEAK_MEDIUM, LEAK_HIGH } LeakConfidence;

/* Why the confidence, or the verdict, is not higher: bits. */
typedef enum {
	LEAK_DOUBT_SHORT = 1 << 0,   /* the trace */
	LEAK_DOUBT_SUPPORT = 1 << 1, /* few allocations */
	LEAK_DOUBT_BRIEF = 1 << 2,   /* short active time, which may be one operation */
	LEAK_DOUBT_PART = 1 << 3,    /* active in a small part of the trace */
	LEAK_DOUBT_PAUSED = 1 << 4,  /* no growth at the end, while the load went on */
	LEAK_DOUBT_RECLAIMABLE = 1 << 5,
	LEAK_DOUBT_FOLLOWS = 1 << 6,
	LEAK_DOUBT_CPUS = 1 << 7,       /* no more than one per CPU */
	LEAK_DOUBT_INCOMPLETE = 1 << 8, /* the trace */
	LEAK_DOUBT_LOST = 1 << 9,       /* most are from before a loss of events */
	LEAK_DOUBT_UNSEEN = 1 << 10,    /* frees are not traced */
	LEAK_DOUBT_DELAYED = 1 << 11,   /* its free may come later */
	LEAK_DOUBT_BOOT = 1 << 12,      /* the kernel boots: its setup grows, and stays */
} LeakDoubt;

typedef struct {
	LeakVerdict verdict;
	LeakConfidence confidence; /* only from LEAK_POSSIBLE on */
	guint doubts;              /* LeakDoubt */
	gint64 from_ns, to_ns;     /* active time */
	gint64 outlived;           /* live ones that outlived the freed ones */
	gint64 p99_ns;             /* lifetime of freed ones; 0: unknown */
	gint64 bytes_per_s;        /* growth in the active time; 0: that has no length */
} LeakJudgement;

LeakJudgement leak_judge(const LeakGroup *group, const LeakTrace *trace);

/* Return "likely leak" and so on; the verdict's meaning; "medium" and so on. */
const char *leak_verdict_name(LeakVerdict verdict);
const char *leak_verdict_legend(LeakVerdict verdict);
const char *leak_confidence_name(LeakConfidence confidence);

/* Returns "short", "support" and so on, of one bit. */
const char *leak_doubt_name(LeakDoubt doubt);

#endif

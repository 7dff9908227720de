/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * kmemtrace - what the files of the kernel part share, and nothing that anyone else needs.
 *
 * The way of an event goes down through these files, never up:
 *
 *   probes.c   a tracepoint fires: what is known becomes the arguments of an encoder
 *   defs.c     names for it: the cache's id, the thread's announcement
 *   stack.c    its stack becomes a 32-bit id
 *   record.c   it is encoded in place, in a slot of
 *   chan.c     this CPU's relay sub-buffer, which a reader gets when it is complete
 *
 * core.c holds the state and the parameters; debugfs.c is the control interface above it.
 *
 * What a probe may do: it runs in any context, under any lock, in the middle of the allocators. So
 * it takes no lock, allocates nothing, never sleeps, and in an NMI only counts. It writes to memory
 * of its own CPU with interrupts off, or to the lock-free tables of stack.c and defs.c.
 */
#ifndef KMEMTRACE_H
#define KMEMTRACE_H

#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/poll.h>
#include <linux/seq_file.h>
#include <linux/types.h>

#include "kmemtrace_abi.h"

struct kmem_cache;
struct task_struct;

/* ---- core.c ---- */

/* Sizes that take effect when buffers are set up. Changed under kmt_mutex, while there are none. */
struct kmt_config {
	unsigned int subbuf_size;	/* bytes, a multiple of PAGE_SIZE */
	unsigned int subbufs;		/* for each CPU, at least 2 */
	unsigned int stack_depth;	/* return addresses kept, 0 to KMEMTRACE_STACK_DEPTH_MAX */
	unsigned int stack_bytes;	/* of the stack table */
};

extern struct kmt_config kmt_config;
extern struct mutex kmt_mutex;	/* taken by control paths alone, never by a probe */

/*
 * True while probes are registered. Written under kmt_mutex; readers without it (the reader of an
 * empty buffer) only learn whether more may still come.
 */
bool kmt_is_enabled(void);

int kmt_enable(void);		/* sets buffers up if there are none, registers the probes */
void kmt_disable(void); /* returns when no probe runs any more and the last records can be read */
int kmt_reset(void);	/* drops buffers, stacks, counters; -EBUSY while enabled or being read */
bool kmt_has_buffers(void);	/* caller holds kmt_mutex */
int kmt_config_check(const struct kmt_config *config);

/* ---- per-CPU state: record.c and chan.c ---- */

#define KMT_TASK_SLOTS	64	/* threads remembered as announced, for each CPU; a power of two */

/* A thread whose name is in the stream of this CPU already. */
struct kmt_task_slot {
	u32 tid;			/* 0: unused */
	char comm[16];			/* the name as announced, zero-padded */
};

/*
 * Counters and marks of one CPU. Written on that CPU alone with interrupts off, except lost[NMI],
 * which the NMI itself adds to. Read from anywhere for statistics.
 */
struct kmt_cpu {
	bool writing; /* a slot is being filled; an event meanwhile is recursion */
	u64 written;			/* records */
	u64 ignored;			/* frees of NULL and ZERO_SIZE_PTR */
	u64 lost[KMEMTRACE_LOSS_MAX];	/* by enum kmemtrace_loss */
	u64 seq;			/* of the next sub-buffer */
	struct kmt_task_slot tasks[KMT_TASK_SLOTS];	/* by tid modulo KMT_TASK_SLOTS */
};

extern struct kmt_cpu __percpu *kmt_cpus;	/* valid from init to exit */

static inline void kmt_count_loss(enum kmemtrace_loss reason)
{
	this_cpu_inc(kmt_cpus->lost[reason]);
}

static inline void kmt_count_ignored(void)
{
	this_cpu_inc(kmt_cpus->ignored);
}

/* ---- chan.c ---- */

int kmt_chan_open(u64 session);		/* caller holds kmt_mutex */
void kmt_chan_close(void);		/* the same; no reader, no probe */
bool kmt_chan_is_open(void);
bool kmt_chan_covers(unsigned int cpu);	/* was online since; caller holds kmt_mutex */
void kmt_chan_flush(void);		/* completes the last sub-buffers; no probe may run */
void kmt_chan_wake(void);		/* wakes whoever polls */
u64 kmt_chan_bytes(void);		/* memory held */

/*
 * The next slot of this CPU's buffer, or NULL if there is none (counted). Interrupts must be off
 * from here to the end of writing.
 */
struct kmemtrace_record *kmt_chan_reserve(struct kmt_cpu *cpu);

/* For the trace files: see the control interface in kmemtrace_abi.h. */
int kmt_chan_get(unsigned int cpu);	/* takes the one reader's place */
void kmt_chan_put(unsigned int cpu);
ssize_t kmt_chan_read(unsigned int cpu, char __user *ubuf, size_t count);
__poll_t kmt_chan_poll(unsigned int cpu, struct file *file, poll_table *wait);
bool kmt_chan_is_read(void);		/* has a reader now; caller holds kmt_mutex */

/* ---- stack.c ---- */

/* What an event's stack gave. */
struct kmt_origin {
	unsigned long call_site;	/* 0: not known */
	u32 stack_id;			/* KMEMTRACE_STACK_NONE: none */
};

int kmt_stack_init(unsigned int bytes, u64 session);
void kmt_stack_exit(void);
bool kmt_stack_is_ready(void);
u64 kmt_stack_bytes(void);		/* memory held */
u64 kmt_stack_used(void);		/* bytes of the table in use */
ssize_t kmt_stack_read(char __user *ubuf, size_t count, loff_t *pos);

/* The origin of an event of which the tracepoint told the call site. Called by a probe itself. */
struct kmt_origin kmt_stack_of_site(unsigned long call_site);

/* The same where it didn't: the caller of the function that holds the tracepoint. */
struct kmt_origin kmt_stack_of_caller(void);

/* From an address in @iterator on: the trampoline of a tracepoint, left out of stacks. */
void kmt_stack_hide(const void *iterator);

/* ---- defs.c ---- */

int kmt_defs_init(void);
void kmt_defs_exit(void);
void kmt_defs_reset(void);		/* forgets all caches; no probe may run */
u64 kmt_defs_bytes(void);

/* What a record tells of a cache. */
struct kmt_cache_ref {
	u16 id;				/* KMEMTRACE_CACHE_NONE: the table is full */
	u32 object_size;		/* bytes */
};

struct kmt_cache_ref kmt_cache_lookup(struct kmem_cache *cache);
void kmt_caches_show(struct seq_file *seq);
void kmt_tasks_show(struct seq_file *seq);

/* ---- record.c ---- */

void kmt_record_alloc(enum kmemtrace_event event, const void *ptr, struct kmt_origin origin,
		      size_t bytes_req, size_t bytes_alloc, gfp_t gfp, int node, u16 cache);
void kmt_record_free(enum kmemtrace_event event, const void *ptr, struct kmt_origin origin,
		     u16 cache);
void kmt_record_page(enum kmemtrace_event event, unsigned long pfn, struct kmt_origin origin,
		     unsigned int order, gfp_t gfp, int migratetype, int node);
void kmt_record_reset(void);		/* zeroes the counters of all CPUs; no probe may run */

/* ---- probes.c ---- */

int kmt_probes_init(void);		/* finds the tracepoints; -ENOENT if one isn't there */
int kmt_probes_register(void);
void kmt_probes_unregister(void);	/* returns when no probe runs any more */

/* ---- names.c ---- */

void kmt_abi_show(struct seq_file *seq);

/* ---- debugfs.c ---- */

int kmt_debugfs_init(void);
void kmt_debugfs_exit(void);

#endif /* KMEMTRACE_H */

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * kmemtrace - what the files of the kernel part share, and nothing that anyone else needs.
 *
 * The way of an event goes down through these files, never up:
 *
 *   probes.c   a tracepoint fires; calls.c: a function is called, to which attach.c has put a probe
 *   filter.c   it is one that is wanted; kept.c: or the free of one that was
 *   defs.c     what is known of the slab cache becomes an id
 *   event.h    an event is begun: its time, its thread, and
 *   user.c     its user stack, if that is wanted; maps.c tells what lies in user space
 *   caller.h   its caller, if no stack is wanted, at the same places as last time, or else
 *   stack.c    its stack, which becomes a 32-bit id. It is found by
 *     recall.c   a look at the same places as last time,
 *     walk.c     or else a walk by what frames.c knows of return addresses,
 *     learn.c    and learns from the kernel's unwinder
 *   chan.c     the record lies in this CPU's relay sub-buffer; a reader gets it complete
 *
 * core.c holds the state and the parameters. Above it are control.c, the settings in sysfs, with
 * settings.c and with mark.c, which alone writes to the stream what no probe tells; and debugfs.c,
 * the views.
 *
 * What a probe may do: it runs in any context, under any lock, in the middle of the allocators. So
 * it takes no lock, allocates nothing, never sleeps, and in an NMI only counts. It writes to memory
 * of its own CPU with interrupts off, or to the lock-free tables of stack.c and defs.c.
 */
#ifndef KMEMTRACE_H
#define KMEMTRACE_H

#include <linux/jump_label.h>
#include <linux/mutex.h>
#include <linux/seq_file.h>
#include <linux/types.h>

#include "kmemtrace_abi.h"

/* What a static branch does from now on; @key is in a static_key_true or _false. */
static inline void kmt_key_set(struct static_key *key, bool on)
{
	if (on)
		static_key_enable(key);
	else
		static_key_disable(key);
}

/* ---- core.c ---- */

/* Sizes that take effect when buffers are set up. Changed under kmt_mutex, while there are none. */
struct kmt_config {
	unsigned int subbuf_size;	/* bytes, a multiple of PAGE_SIZE */
	unsigned int subbufs;		/* for each CPU, at least 2 */
	unsigned int stack_depth;	/* return addresses kept, 0 to KMEMTRACE_STACK_DEPTH_MAX */
	unsigned int stack_bytes;	/* of the stack table */
	unsigned int user_stacks;	/* 1: those of allocations too */
	unsigned int events;		/* enum kmt_group */
	bool overwrite;			/* drop the oldest; may change while not enabled */
};

extern struct kmt_config kmt_config;
extern struct mutex kmt_mutex;	/* taken by control paths and notifiers, never by a probe */

/*
 * True while probes are registered. Written under kmt_mutex; readers without it (the reader of an
 * empty buffer) only learn whether more may still come.
 */
bool kmt_is_enabled(void);

int kmt_enable(void);		/* sets buffers up if there are none, registers the probes */
void kmt_disable(void); /* returns when no probe runs any more and the last records can be read */
int kmt_reset(void);	/* drops buffers, stacks, counters; -EBUSY while enabled or being read */
void kmt_look(void);	/* notes which paths are heard no more; while enabled, under kmt_mutex */
bool kmt_has_buffers(void);	/* caller holds kmt_mutex */
int kmt_config_check(const struct kmt_config *config);

/* ---- names.c ---- */

void kmt_abi_show(struct seq_file *seq);

/* ---- control.c: the settings ---- */

/*
 * Whether the caller may enable tracing and look at what it shows: 0, or -EPERM without CAP_PERFMON
 * and CAP_SYS_ADMIN, and when lockdown forbids tracefs, where the same could be read.
 */
int kmt_check_access(void);

int kmt_control_init(void);
void kmt_control_exit(void);	/* waits for users of settings; caller doesn't hold kmt_mutex */

/* ---- debugfs.c: the views ---- */

int kmt_debugfs_init(void);
void kmt_debugfs_exit(void);

#endif /* KMEMTRACE_H */

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * kmemtrace - the path of an event, and state that all files share.
 *
 * Calls go down this list, never up. Kbuild has the order, and tests/style checks it.
 *
 *   main.c              load and unload
 *   control.c           settings in sysfs, with settings.c; debugfs.c: the views
 *   core.c              start and stop tracing
 *   tracepoint_probes.c a tracepoint fires; function_probes.c: a probed function is called;
 *                       mark.c: user space writes a mark; maps.c: a process maps a file
 *   duplicate_kmalloc.c skip the first of two events of one large kmalloc()?
 *   filter.c            skip the event? traced_addrs.c: is it the free of a recorded allocation?
 *   caches.c            slab cache to id
 *   event.h             begin the record: time, thread, and
 *   user_stack.c        the user stack, if enabled
 *   caller.h            the caller, if no stack is recorded, from cached stack offsets; or else
 *   stack.c             the stack, interned as a 32-bit id, which is found on x86-64 by
 *     stack_cache.c     comparing the addresses of the last such stack,
 *     walk_orc.c        or else walking by the frame sizes that frames.c knows,
 *     unwind_probe.c    which come from the kernel's unwinder; and on arm64 by
 *     walk_records.c    walking from frame record to frame record
 *   fill_record.h       the other fields of the record, from the probe's arguments
 *   chan.c              the record in this CPU's relay sub-buffer
 *
 * And when user space reads traceN in debugfs:
 *
 *   debugfs.c           kmt_trace_read() calls kmt_chan_read()
 *   chan.c              copies the next complete sub-buffer, and marks it as consumed
 *
 * Off this path:
 *
 *   allocator_functions.c  functions of the allocators, skipped in the search for a caller
 *   abi_view.c             the view "abi": layout of records, names of constants
 *   arch.h                 differences between architectures; compat.h: between releases
 *   attach.c               attaches probes to functions: to their returns by kretprobes,
 *   entries_ftrace.c       to their entries by ftrace, or
 *   entries_kprobes.c      by kprobes on arm64
 *   caller.c               fills the cache of caller.h
 *   clock.c                the time of events: the TSC, or CLOCK_MONOTONIC
 *   cpu.c                  per-CPU state
 *   event.c                slow paths of event.h, reset
 *   names.c                the names of threads
 *   function_size.c        finds a kernel function and its length
 *   kprobe_check.c         checks whether kprobes fire
 *   kunit.c                KUnit tests
 *   mapped_files.c         ids and paths of the files that maps.c reports
 *   missed_calls.c         counts calls of probed functions that no handler saw
 *   module_symbols.c       keeps the symbols of unloaded modules, for modules.c
 *   modules.c              modules and when they were loaded
 *   oops.c                 freezes the buffers at an oops or panic
 *   pauses.c               when tracing was disabled during a session
 *   share.c                limits how much of a table one user may use
 *   sources.c              sources of events: a line of the view "paths"
 *   state.c                configuration, and whether tracing is enabled
 *   subuids.c              whose subordinate uid a uid is
 *   trampoline.c           trampolines that other tracers put over return addresses
 *   verify.c               compares each stack with the kernel's own stack trace
 *   walk.c                 what both walks have in common
 *
 * A probe runs in any context, under any lock, in the middle of the allocators. So it takes no
 * lock, allocates nothing, never sleeps, and in an NMI only counts. It writes to its own CPU's
 * memory with interrupts disabled, or to the lock-free tables of stack.c and caches.c.
 */
#ifndef KMEMTRACE_H
#define KMEMTRACE_H

#include <linux/jump_label.h>
#include <linux/mutex.h>
#include <linux/types.h>

#include "kmemtrace_abi.h"

/* Switches the @key of a static_key_true or static_key_false. May sleep. */
static inline void kmt_key_set(struct static_key *key, bool on)
{
	if (on)
		static_key_enable(key);
	else
		static_key_disable(key);
}

/* Sizes that take effect when buffers are set up. Changed under kmt_mutex, while there are none. */
struct kmt_config {
	unsigned int subbuf_size; /* bytes, a multiple of PAGE_SIZE */
	unsigned int subbufs;     /* for each CPU, at least 2 */
	unsigned int stack_depth; /* return addresses per stack, 0 to KMEMTRACE_STACK_DEPTH_MAX */
	unsigned int stack_bytes; /* of the stack table */
	unsigned int user_stacks; /* 1: allocations have user stacks, too */
	unsigned int events;      /* bits of enum kmt_group */
	bool overwrite;           /* drop the oldest events; may change while tracing is disabled */
};

extern struct kmt_config kmt_config;
extern struct mutex kmt_mutex; /* taken by control paths and notifiers, never by a probe */

/*
 * Returns whether tracing is enabled. Changed under kmt_mutex. If it is false, even a reader
 * without kmt_mutex sees all records.
 */
bool kmt_is_enabled(void);
void kmt_set_enabled(bool enabled); /* only for core.c */

/* Returns 0; -EINVAL: a value is out of range; -EOPNOTSUPP: user stacks on this kernel. */
int kmt_config_check(const struct kmt_config *config);

#endif /* KMEMTRACE_H */

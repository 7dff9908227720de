/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Attaches probes to functions that have no tracepoint.
 *
 * On x86-64, ftrace itself reports the entries of functions, and misses no call. Returns need a
 * kretprobe. It misses calls from an interrupt while a kprobe handler runs on this CPU, and calls
 * beyond KMT_RETURNS_ACTIVE concurrent ones. The kernel counts these; each is a loss of one event
 * or more. It does not count a call made by the handler of an ftrace-based kprobe, which ftrace
 * does not report. On arm64, kprobes report entries, too, and miss the same calls.
 *
 * On x86-64 only ftrace-based kretprobes are used: others raise an exception that counts as an NMI.
 * ftrace cannot be disabled while the probes are attached, see kernel.ftrace_enabled. Kprobes can:
 * this is checked when they are registered, at the end, and at each read of the view "paths". A
 * probe on the switch notices changes in between. No ftrace-based kprobe may be registered while
 * ftrace is off.
 */
#ifndef KMEMTRACE_ATTACH_H
#define KMEMTRACE_ATTACH_H

#include <linux/kprobes.h>
#include <linux/types.h>

#include "compat.h"
#include "function_size.h"
#include "sources.h"

#define KMT_RETURNS_ACTIVE 256 /* concurrent calls of one function, sleeping or not */

#if KMT_CAN_ATTACH

/* One function. The caller sets the first fields, up to wanted. */
struct kmt_function_probe {
	struct kmt_source source; /* its name in the view "paths", and its state */
	const char *symbol;       /* its name in this kernel */
	const char *unseen;       /* why it's never probed in this kernel; NULL: it can be */
	void (*enter)(struct pt_regs *regs);     /* called at its entry */
	kretprobe_handler_t enter_return, leave; /* or at its return */
	size_t data_size;                        /* bytes that enter_return passes to leave */
	bool wanted;
	struct kmt_code code;   /* from ftrace's call on; a size of 0: not known */
	struct kretprobe probe; /* if it has a leave handler */
	unsigned long missed;   /* calls that no handler saw, those already reported */
};

/*
 * Attaches the wanted probes: first those with an enter handler, all at once, in the order of
 * @functions; then those with a leave handler, one by one. If a probe can't be attached, the source
 * of its function says why. @others: kmt_attach_others() follows. Caller holds kmt_mutex.
 */
void kmt_attach(struct kmt_function_probe *functions, unsigned int count, bool others);
void kmt_detach(struct kmt_function_probe *functions,
		unsigned int count); /* returns when no handler runs */

/*
 * Attaches at most KMT_OTHERS_MAX functions, all wanted and with enter handlers, between
 * kmt_attach() and kmt_detach(). Must not be called if kmt_attach_entry_error() returns an error.
 * Returns 0, or -errno if none is attached. Their sources aren't used. Caller holds kmt_mutex.
 */
#define KMT_OTHERS_MAX 8

const char *kmt_attach_entry_error(void);
int kmt_attach_others(struct kmt_function_probe *functions, unsigned int count);
void kmt_detach_others(void); /* returns when no handler of theirs runs */

/*
 * Returns why kprobes do not fire, now or at an earlier check since kmt_attach(); NULL: they do.
 * kmt_attach_check() also notes it in the sources of the functions that need kprobes. Caller holds
 * kmt_mutex.
 */
const char *kmt_attach_kprobe_error(void);
void kmt_attach_check(struct kmt_function_probe *functions, unsigned int count);

static inline struct kmt_function_probe *kmt_function_probe_of(struct kretprobe_instance *instance)
{
	return container_of(get_kretprobe(instance), struct kmt_function_probe, probe);
}

bool kmt_attach_ftrace_died(void); /* ftrace has shut itself down, and will call our code forever */

/*
 * Detaches from ftrace itself, after kmt_detach(). Waits for RCU tasks, possibly for a very long
 * time, so it must be called without kmt_mutex.
 */
void kmt_attach_exit(void);

#else

static inline bool kmt_attach_ftrace_died(void)
{
	return false;
}

static inline void kmt_attach_exit(void)
{
}

#endif

#endif /* KMEMTRACE_ATTACH_H */

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Attaches probes to functions that have no tracepoint.
 *
 * On x86-64 the entry of a function is reported by ftrace itself, which misses no call. Its return
 * needs a kretprobe, which misses a call that happens while a kprobe handler runs on this CPU, that
 * is a call from an interrupt, and a call that exceeds KMT_RETURNS_ACTIVE concurrent ones. The
 * kernel counts these; each is a loss of one event or more. It does not count a call made by the
 * handler of an ftrace-based kprobe, which ftrace does not report. On arm64 kprobes report entries,
 * too, and miss the same calls.
 *
 * On x86-64 only ftrace-based kretprobes are used: others raise an exception that counts as an NMI.
 * ftrace cannot be disabled while the probes are attached, see kernel.ftrace_enabled. Kprobes can:
 * this is checked when they are registered, at the end, and at each read of the paths; a hook
 * notices a switch in between. No ftrace-based kprobe may be registered while ftrace is off.
 */
#ifndef KMEMTRACE_ATTACH_H
#define KMEMTRACE_ATTACH_H

#include <linux/kprobes.h>
#include <linux/types.h>

#include "compat.h"
#include "function_size.h"
#include "sources.h"

#define KMT_RETURNS_ACTIVE 256 /* of one function at once, asleep or not */

#if KMT_CAN_ATTACH

/* One function. The caller sets the first fields, up to wanted. */
struct kmt_function_probe {
	struct kmt_source source; /* its name in the view "paths", and its state */
	const char *symbol;       /* its name in this kernel */
	const char *unseen;       /* why it's never probed in this kernel; NULL: it may be */
	void (*enter)(struct pt_regs *regs);     /* called at its entry, */
	kretprobe_handler_t enter_return, leave; /* or at its return */
	size_t data_size;                        /* bytes from the one handler to the other */
	bool wanted;
	struct kmt_code code;   /* from where ftrace calls; a size of 0: not known */
	struct kretprobe probe; /* of those that return */
	unsigned long missed;   /* calls that no handler saw, those already reported */
};

/*
 * Attaches the wanted probes: first those with an enter handler, all at once, in the order of
 * @functions; then those with a leave handler, one by one. The source of each function says why its
 * probe could not be attached. @others: kmt_attach_others() follows. Caller holds kmt_mutex.
 */
void kmt_attach(struct kmt_function_probe *functions, unsigned int count, bool others);
void kmt_detach(struct kmt_function_probe *functions,
		unsigned int count); /* returns when no handler runs */

/*
 * Attaches KMT_OTHERS_MAX functions at most, all with enter handlers and wanted, between
 * kmt_attach() and kmt_detach(); not if kmt_attach_entry_error() returns why that's impossible.
 * Returns 0 or -errno: none is called then. Their sources aren't used. Caller holds kmt_mutex.
 */
#define KMT_OTHERS_MAX 8

const char *kmt_attach_entry_error(void);
int kmt_attach_others(struct kmt_function_probe *functions, unsigned int count);
void kmt_detach_others(void); /* returns when no handler of theirs runs */

/*
 * Why no kprobe is heard, or was at an earlier look since kmt_attach(); NULL: they are. The second
 * one also notes it in the paths of those that return. Caller holds kmt_mutex.
 */
const char *kmt_attach_kprobe_error(void);
void kmt_attach_check(struct kmt_function_probe *functions, unsigned int count);

static inline struct kmt_function_probe *kmt_function_probe_of(struct kretprobe_instance *instance)
{
	return container_of(get_kretprobe(instance), struct kmt_function_probe, probe);
}

bool kmt_attach_ftrace_died(void); /* ftrace has shut itself down, and will call us forever */

/*
 * Detaches from ftrace itself, after kmt_detach(). Waits for RCU tasks, perhaps for very long, so
 * without kmt_mutex.
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

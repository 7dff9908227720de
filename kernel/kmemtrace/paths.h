/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The sources of events: tracepoints, probes.c, and where there are none calls of functions,
 * calls.c. Each belongs to a group, and may be missing in a kernel by itself; which are is told.
 */
#ifndef KMEMTRACE_PATHS_H
#define KMEMTRACE_PATHS_H

#include <linux/mm.h>
#include <linux/types.h>

struct pt_regs;
struct seq_file;

/* Groups of events, which can be chosen: bits of kmt_config.events. */
enum kmt_group {
	KMT_GROUP_SLAB		= 0x01,
	KMT_GROUP_PAGE		= 0x02,
	KMT_GROUP_PERCPU	= 0x04,
	KMT_GROUP_VMALLOC	= 0x08,
	KMT_GROUP_FRAG		= 0x10,
	KMT_GROUP_BUDDY		= 0x20,
	KMT_GROUP_ALL		= 0x3f,
	KMT_GROUP_TASK		= 0x40,	/* names of threads: always on */
};

/* One source, and what became of it when it was last to be switched on. */
struct kmt_path {
	const char *name;
	enum kmt_group group;		/* or several: it's wanted with each of them */
	bool on;
	const char *unseen;		/* why it tells nothing, or not all; NULL: it can */
};

/* Writes "on", "off" or "unseen: why" behind the name. */
void kmt_path_show(struct seq_file *seq, const struct kmt_path *path);

/* True for an address in the kernel's own code: not a module's, nor what is made at run time. */
static __always_inline bool kmt_is_kernel_code(unsigned long addr)
{
	return addr >= __START_KERNEL_map && addr < MODULES_VADDR;
}

/* Bytes of the function at @start, as kallsyms knows them; 0: it doesn't. */
unsigned long kmt_function_size(unsigned long start);

/*
 * Finds where ftrace calls from in the kernel's own function @name, or its start where ftrace
 * doesn't. A module's function of that name is never found. Returns 0; -EOPNOTSUPP: ftrace doesn't
 * carry probes on it; -ENOENT: the kernel has no such function; or why it can't be probed. *@addr
 * is 0 if it has none. It may sleep; not in early boot.
 */
int kmt_function_find(const char *name, unsigned long *addr);

/* probes.c. Which groups there are is decided by kmt_config.events. */
int kmt_probes_init(void);		/* finds them; -ENOENT: a needed one is missing */
int kmt_probes_register(void);
void kmt_probes_unregister(void);	/* returns when no probe runs any more */
void kmt_probes_show(struct seq_file *seq);

/*
 * calls.c. What can't be probed is noted, and no error. Functions that free are registered first: a
 * tracer that writes already hears them before those that allocate.
 */
void kmt_calls_register(void);
void kmt_calls_register_late(void);	/* paths tell until when they weren't heard, */
void kmt_calls_forget_late(void);	/* until then, that is until the trace is dropped */
void kmt_calls_look(void);	/* notes what is heard no more; while enabled, under kmt_mutex */
void kmt_calls_unregister(void);	/* returns when no handler runs any more */
void kmt_calls_forget_missed(void);	/* calls that no handler saw until now: before writing */
void kmt_calls_tell_missed(void);	/* counts those since then, when writing ends */
void kmt_calls_show(struct seq_file *seq);
void kmt_enter_free_bulk(struct pt_regs *regs);	/* for tests, as ftrace calls it */

/* Where code lies; a size of 0: nowhere. */
struct kmt_covered {
	unsigned long start, size;
};

static __always_inline bool kmt_covers(const struct kmt_covered *code, unsigned long addr)
{
	return addr - code->start < READ_ONCE(code->size);
}

/* The function whose pages calls.c tells of, all at once when it returns. */
extern struct kmt_covered kmt_covered;

/* True for a caller in that function. */
static __always_inline bool kmt_calls_cover(unsigned long call_site)
{
	return kmt_covers(&kmt_covered, call_site);
}

#endif /* KMEMTRACE_PATHS_H */

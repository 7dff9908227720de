/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the BPF programs and their loader share: the layout of maps that both have in memory, and
 * the settings, which are constants once the programs are loaded.
 *
 * Each CPU has a ring of sub-buffers, laid out as kmemtrace_abi.h says. A slot is reserved by a
 * compare-and-exchange of the ring's head: whatever interrupts the program there takes a later slot
 * and a later time, so the slots of a CPU are in the order of their times. The loader reads a
 * sub-buffer once all its records have a type, clears the types, and gives it back.
 */
#ifndef KMEMTRACE_BPF_H
#define KMEMTRACE_BPF_H

#include "kmemtrace_abi.h"

/* The head of a ring: the number of the sub-buffer, and how many of its records are reserved. */
#define KMT_BPF_HEAD_SHIFT 16
#define KMT_BPF_HEAD_USED  ((1ULL << KMT_BPF_HEAD_SHIFT) - 1)

/* A program for each source of events, in the order of the loader's table. */
enum kmt_bpf_program {
	KMT_BPF_KMALLOC,
	KMT_BPF_KFREE,
	KMT_BPF_CACHE_ALLOC,
	KMT_BPF_CACHE_FREE,
	KMT_BPF_PAGE_ALLOC,
	KMT_BPF_PAGE_FREE,
	KMT_BPF_PERCPU_ALLOC,
	KMT_BPF_PERCPU_FAIL,
	KMT_BPF_PERCPU_FREE,
	KMT_BPF_VMAP_ALLOC,
	KMT_BPF_VMAP_FREE,
	KMT_BPF_EXTFRAG,
	KMT_BPF_COMPACT,
	KMT_BPF_ZONE_LOCKED,
	KMT_BPF_PCPU_DRAIN,
	KMT_BPF_TASK_NEW,
	KMT_BPF_TASK_RENAME,
	KMT_BPF_FREE_BULK,
	KMT_BPF_KFREE_RCU,
	KMT_BPF_ALLOC_BULK,
	KMT_BPF_MODULE_LOAD,
	KMT_BPF_MODULE_FREE,
	KMT_BPF_PROGRAMS,
};

#define KMT_BPF_PROGRAMS_MAX 32U /* of arrays: a power of two, so that a mask bounds their index */

#define KMT_BPF_CONTEXTS 4U /* KMEMTRACE_CONTEXT_NR, as a power of two */

/*
 * One CPU's ring. A program that runs is not run again on that CPU by an event that interrupts it:
 * then another one at the same tracepoint takes the event, see kmt_is_mine().
 */
struct kmt_bpf_ring {
	__u64 head;
	__u64 consumed; /* sub-buffers that the reader has given back */
	__u64 ignored;  /* frees of NULL and the like */
	__u64 stacks;   /* stacks that were unwound */
	__u64 frames;   /* bits of the places in use of stacks that are looked up */
	__u64 lost[KMEMTRACE_LOSS_MAX];
	__u8 busy[KMT_BPF_PROGRAMS_MAX];   /* by program: it runs */
	__u64 last[KMT_BPF_CONTEXTS];      /* event that a program was run for */
	__u32 taken[KMT_BPF_PROGRAMS_MAX]; /* by program: events of its later ones */
	__u64 reserved[11];
};

/* A module that was loaded or unloaded. */
#define KMT_BPF_MODULES     1024U
#define KMT_BPF_MODULE_NAME 56U

struct kmt_bpf_module {
	__u64 time_ns;    /* 0: it is being written */
	__u64 base, size; /* of its code */
	__u32 is_unloaded;
	__u32 first, count; /* unloaded alone: of its functions */
	char name[KMT_BPF_MODULE_NAME];
	__u32 reserved;
};

/* The functions of those that were unloaded. */
#define KMT_BPF_FUNCTIONS     65536U
#define KMT_BPF_FUNCTION_NAME 55U

struct kmt_bpf_function {
	__u64 addr;
	char type; /* as of nm */
	char name[KMT_BPF_FUNCTION_NAME];
};

/* A slab cache, found by its address: its id is its place in the table + 1. */
#define KMT_BPF_CACHES     4096U
#define KMT_BPF_CACHE_NAME 64U
#define KMT_BPF_CACHE_GONE 1ULL /* in place of the address: another cache may be there now */

struct kmt_bpf_cache {
	__u64 cache;
	__u32 object_size;
	__u32 ready; /* the name and the size are there */
	char name[KMT_BPF_CACHE_NAME];
};

#define KMT_BPF_NESTED 3U /* functions that report a large kmalloc() again */

/*
 * The innermost frames of a stack are those of tracing itself: the program, and the functions that
 * called it, whose addresses are here. 0: not in this kernel.
 */
#define KMT_BPF_OWN_FUNCTIONS 4U
#define KMT_BPF_OWN_FRAMES    8U /* at most */

#define KMT_BPF_DEPTH 8U /* of stacks that are looked up at a time on a CPU */

/* In place of a shift. */
#define KMT_BPF_ONE_NODE     64U
#define KMT_BPF_NODE_UNKNOWN 65U

struct kmt_bpf_range {
	__u64 from, to;
};

/* Programs at a tracepoint: as many as there are contexts that interrupt each other. */
#define KMT_BPF_TURNS 3U

struct kmt_bpf_config {
	__u32 turns;       /* of them, that are attached */
	__u32 subbufs;     /* of each CPU, a power of two */
	__u32 records;     /* of each sub-buffer */
	__u32 overwrite;   /* a full ring drops its oldest sub-buffer */
	__u32 stack_depth; /* return addresses, 0: none */
	__u32 stack_limit; /* of the kernel, for all frames: kernel.perf_event_max_stack */
	__u64 stack_words; /* of the table of stacks */
	__u32 stack_slots; /* of its hash table, a power of two */
	__u32 node_shift;  /* of the flags of a page, or below */
	__u64 min_size;    /* smaller allocations are left out */
	__u32 page_shift;
	__u32 stack_bytes; /* of a thread's stack in the kernel */
	__u32 rcu_offset;  /* kvfree_call_rcu() has the offset of the rcu_head, not the object */
	__u32 slab;        /* events of slab objects are wanted */
	__u32 vmalloc;     /* and of vmalloc space */
	__u32 cpus;        /* that have a ring */
	struct kmt_bpf_range nested[KMT_BPF_NESTED];
	struct kmt_bpf_range own[KMT_BPF_PROGRAMS_MAX][KMT_BPF_OWN_FUNCTIONS];
};

/* What the loader finds out before it begins: see learn.h. */
#define KMT_BPF_LEARNED 64U

struct kmt_bpf_learn {
	__u64 addr; /* reads the word there */
	__u64 value;
	__s64 error;                 /* of that */
	__u64 task;                  /* the address of the struct of this process */
	__u32 tgid;                  /* pages that this process allocates are noted */
	__u32 pages;                 /* how many were */
	__u64 page[KMT_BPF_LEARNED]; /* addresses of struct page, the last ones */
};

/* The programs' variables. */
struct kmt_bpf_state {
	__u64 enabled;      /* events are recorded */
	__u64 vmemmap;      /* address of the first struct page */
	__u64 linear_base;  /* of the first byte of memory, */
	__u64 linear_bytes; /* of which there are no more */
	__u64 stack_words;  /* used of the table of stacks */
	__u32 modules;      /* entries of the list of modules, also those that had no room */
	__u32 functions;    /* the same of functions */
	__u32 own_frames[KMT_BPF_PROGRAMS_MAX]; /* by program: as it was the last time */
	struct kmt_bpf_learn learn;
};

#endif /* KMEMTRACE_BPF_H */

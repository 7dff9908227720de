/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The interface between the BPF programs and their loader: the layout of the maps that both have in
 * memory, and the settings, which are constants once the programs are loaded.
 *
 * Each CPU has a ring of sub-buffers with the layout of kmemtrace_abi.h. A program reserves a slot
 * by a compare-and-exchange of the ring's head. If an interrupt takes a slot first, the exchange
 * fails and the program reads the time again, so the slots of a CPU are in time order. The loader
 * reads a sub-buffer once all its records have a type, clears the types, and returns the sub-buffer
 * to the ring.
 */
#ifndef KMEMTRACE_BPF_H
#define KMEMTRACE_BPF_H

#include "kmemtrace_abi.h"

/*
 * The version of this interface. Every change increases it, since pinned programs may come from
 * another build of the loader.
 */
#define KMT_BPF_LAYOUT 12U

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
	KMT_BPF_KREALLOC,
	KMT_BPF_FREE_SHEAF,
	KMT_BPF_FREE_SHEAF_NOBARN,
	KMT_BPF_NOLOCK,
	KMT_BPF_KFREE_NOLOCK,
	KMT_BPF_PAGES_BULK,
	KMT_BPF_PAGES_BULK_ENTRY, /* at the entry of the same function */
	KMT_BPF_CONTIG_RANGE,
	KMT_BPF_MIGRATE,
	KMT_BPF_MAP_REGION, /* this and the next ones only with user stacks: see maps.h */
	KMT_BPF_MAPPED,
	KMT_BPF_UNMAP,
	KMT_BPF_EXEC,
	KMT_BPF_DUP_MM,
	KMT_BPF_FREE_MOUNT,
	KMT_BPF_FREE_USERS,
	KMT_BPF_EXECUTED, /* instead of these, if functions can't be traced */
	KMT_BPF_MODULE_LOAD,
	KMT_BPF_MODULE_INIT,
	KMT_BPF_MODULE_FREE,
	KMT_BPF_PROGRAMS,
};

#define KMT_BPF_PROGRAMS_MAX 64U /* array size: a power of two, so that a mask bounds an index */

#define KMT_BPF_CONTEXTS 4U /* KMEMTRACE_CONTEXT_NR, rounded up to a power of two */

#define KMT_BPF_NOTED_BITS 16 /* of the index of a noted event */

#define KMT_BPF_TURNS 3U /* programs of a tracepoint, at most; the next records what one misses */

/*
 * One CPU's ring. The kernel doesn't run a program on a CPU where it is running already. If an
 * event interrupts the program, another program of the same tracepoint records the event: see
 * notes.h.
 */
struct kmt_bpf_ring {
	__u64 head;
	__u64 consumed; /* sub-buffers that the reader has given back */
	__u64 ignored;  /* frees of NULL and the like */
	__u64 stacks;   /* stacks that were unwound */
	__u64 recalled; /* stacks that were found in the tree */
	__u64 frames;   /* bits of the entries of the map "frames" that are in use */
	__u64 lost[KMEMTRACE_LOSS_MAX];
	__u32 busy[KMT_BPF_PROGRAMS_MAX];                 /* by program: how many are running */
	__u64 last[KMT_BPF_CONTEXTS];                     /* by context: key of the last event */
	__u32 taken[KMT_BPF_PROGRAMS_MAX];                /* by program: events the first missed */
	__u64 here[KMT_BPF_PROGRAMS_MAX * KMT_BPF_TURNS]; /* by program and turn: its context */
	__u64 left_out;                                   /* events that filters left out */
	__u64 reserved[5];                                /* pads to whole cache lines */
};

/* A module that was loaded or unloaded. */
#define KMT_BPF_MODULES     4096U
#define KMT_BPF_MODULE_NAME 56U

struct kmt_bpf_module {
	__u64 time_ns;              /* 0: the entry is being written */
	__u64 base, size;           /* of its code */
	__u64 init_base, init_size; /* only if loaded: of its init code */
	__u64 init_end_ns;          /* likewise: when that ended; 0: it has not */
	__u32 is_unloaded;
	__u32 first, count; /* of the functions of the init code, or if unloaded, of the code */
	char name[KMT_BPF_MODULE_NAME];
	__u32 reserved;
};

/* The functions of unloaded modules and of init code. */
#define KMT_BPF_FUNCTIONS     65536U
#define KMT_BPF_FUNCTION_NAME 55U

struct kmt_bpf_function {
	__u64 addr;
	char type; /* a letter as nm prints it */
	char name[KMT_BPF_FUNCTION_NAME];
};

/* A slab cache, hashed by its address. Its id is its index in the table + 1. */
#define KMT_BPF_CACHES     4096U
#define KMT_BPF_CACHE_NAME 64U
#define KMT_BPF_CACHE_GONE 1ULL /* replaces the address of a destroyed cache */

#define KMT_BPF_CACHE_READY     1U
#define KMT_BPF_CACHE_WANTED    2U /* the cache filter selects it */
#define KMT_BPF_CACHE_OF_CACHES 4U /* its objects are caches */

struct kmt_bpf_cache {
	__u64 cache;
	__u32 object_size;
	__u32 ready; /* KMT_BPF_CACHE_…; READY: the name and the size are valid */
	char name[KMT_BPF_CACHE_NAME];
	char name_now[KMT_BPF_CACHE_NAME]; /* as read for the last comparison */
	__u64 compared;                    /* state.resumes at the last comparison */
};

/* Filters: see filter.h and traced_addrs.h. */
#define KMT_BPF_PIDS         (1U << 22) /* process ids: PID_MAX_LIMIT */
#define KMT_BPF_FILTER_CACHE 48U        /* bytes of a cache's name, with the NUL */
#define KMT_BPF_TRACED_ORDER 16         /* log2 of the buckets of kept addresses, 64 bytes each */

#define KMT_BPF_NESTED 4U /* functions that report a large kmalloc() a second time */

/*
 * The innermost frames of a stack are those of tracing itself: the program, and the functions that
 * called it. kmt_bpf_config.own has the addresses of these functions; 0: not in this kernel.
 */
#define KMT_BPF_OWN_FUNCTIONS 4U
#define KMT_BPF_OWN_FRAMES    8U /* at most */
#define KMT_BPF_CALLER_FRAMES 4U /* at most, between those and the call site */
#define KMT_BPF_FRAMES_MAX                                                                         \
	(KMEMTRACE_STACK_DEPTH_MAX + 1 + KMT_BPF_CALLER_FRAMES + KMT_BPF_OWN_FRAMES)

#define KMT_BPF_SLOT_WORDS 8U /* of the table of stacks, for each slot of its hash table at least */

#define KMT_BPF_DEPTH 8U /* stacks that a CPU can look up at the same time */

/* A file that a process has mapped as code. Its id is its index in the table + 1. */
#define KMT_BPF_FILES      4096U /* a power of two */
#define KMT_BPF_FILE_SLOTS (2 * KMT_BPF_FILES)
#define KMT_BPF_NAME_MAX   256U                   /* of a file, with the NUL */
#define KMT_BPF_PATH       (4 * KMT_BPF_NAME_MAX) /* bytes; three quarters of it always fit */

/* Identifies a file, as in the module's mapped_files.c. */
struct kmt_bpf_file_key {
	__u64 inode;
	__s64 ctime_ns;
	__s64 size;
	__u64 mount; /* addresses */
	__u64 user;
	__u32 dev;
	__u32 generation;
};

#define KMT_BPF_FILE_READY   1U /* the entry is complete */
#define KMT_BPF_FILE_REMOVED 2U

struct kmt_bpf_file {
	struct kmt_bpf_file_key key;
	__u32 flags;        /* KMT_BPF_FILE_…; written last */
	__u32 is_forgotten; /* another file may have its key now */
	__u32 path_len;     /* 0: unknown */
	__u32 reserved;
	char path[KMT_BPF_PATH]; /* NUL-terminated names, the file's own first */
};

/* The address space of a process, as the iterator kmt_list_mms lists it. */
struct kmt_bpf_mm {
	__u32 tgid;
	__u32 mm;
};

/* Address spaces that fork() is copying, hashed by the address of the copy. */
#define KMT_BPF_COPIES 256U /* a power of two */

#define KMT_BPF_IRQ_ENTRIES 3U /* hardirqs, softirqs, handle_softirqs() */

/* Special values of kmt_bpf_config.node_shift. */
#define KMT_BPF_ONE_NODE     64U
#define KMT_BPF_NODE_UNKNOWN 65U

struct kmt_bpf_range {
	__u64 from, to;
};

/* Subordinate uids, and the user who has them. */
struct kmt_bpf_subuids {
	__u32 first, last, owner;
};

/*
 * The tree of stacks: see stack_tree.h. A node has the next addresses of a stack and their
 * positions on the stack, in bytes from a base. The first base is the program's context.
 */
#define KMT_BPF_RUN_WORDS 8U
#define KMT_BPF_AT_ZERO   32768U
#define KMT_BPF_ROOTS     (2 * KMT_BPF_PROGRAMS_MAX) /* by program; the second half: interrupts */

/* How to get from a frame to the next return address. The flags apply in this order. */
#define KMT_BPF_STEP_LOAD_BP 1U  /* bp becomes the word at @bp_at */
#define KMT_BPF_STEP_REGS    2U  /* the stack ends if the code segment at @user_at is the user's */
#define KMT_BPF_STEP_TO_BP   4U  /* the base becomes bp */
#define KMT_BPF_STEP_TO_WORD 8U  /* the base becomes the word at @move_at */
#define KMT_BPF_STEP_BY_BP   16U /* base, bp become the words at @move_at, @outer_bp_at from bp */

struct kmt_bpf_step {
	__u16 flags; /* KMT_BPF_STEP_… */
	__s16 bp_at, move_at, outer_bp_at, user_at;
	__s16 next_at; /* of the address: from the new base, or with REGS from the old one */
};

/* Return addresses at known distances from a base, and the step that follows the last one. */
struct kmt_bpf_run {
	__u64 addr[KMT_BPF_RUN_WORDS];
	__u16 at[KMT_BPF_RUN_WORDS]; /* bytes from the base + KMT_BPF_AT_ZERO */
	__u16 count;                 /* of addresses */
	struct kmt_bpf_step step;
	__u16 reserved;
};

#define KMT_BPF_NODE_NEXT 1U /* it has children */
#define KMT_BPF_NODE_ENDS 2U /* the stack ends here; with STEP_REGS: if it came from user mode */

struct kmt_bpf_node {
	struct kmt_bpf_run run;
	__u32 parent;
	__u32 flags; /* KMT_BPF_NODE_… */
	/* If a stack ends here: */
	__u32 stack_id;
	__u32 whole;     /* its index in the table of whole stacks; 0: none */
	__u64 given;     /* the call site that the tracepoint passed, or 0 */
	__u64 call_site; /* of the event */
};

/* A whole stack. Comparing it is faster than searching the tree. */
#define KMT_BPF_WHOLE_RUNS 6U

struct kmt_bpf_whole {
	__u64 given, call_site;
	__u32 root;
	__u32 stack_id;
	__u32 runs; /* 0: the entry is being written */
	__u32 reserved;
	struct kmt_bpf_run run[KMT_BPF_WHOLE_RUNS];
};

/* The whole stacks that were found last, hashed by root, call site and system call. */
#define KMT_BPF_LAST_FOUND 4096U

#define KMT_BPF_NODE_PROBES 8U /* slots of the hash table of nodes that a search looks at */

/* A stack that was not in the tree, with what the loader needs to add it. */
#define KMT_BPF_MISSES       512U /* a power of two */
#define KMT_BPF_WINDOW_WORDS 32U

enum { KMT_BPF_MISS_FREE, KMT_BPF_MISS_WRITING, KMT_BPF_MISS_READY };

struct kmt_bpf_miss {
	__u32 state;
	__u32 root;
	__u32 stack_id;
	__u32 last;    /* index of the last address that the stack depends on */
	__u32 is_all;  /* the stack ends at @last */
	__u32 unloads; /* kmt_bpf_state.unloads when it was unwound */
	__u32 uid;     /* the user who is charged for it, see shares.h */
	__u32 reserved;
	__u64 given, call_site;
	__u64 window[KMT_BPF_WINDOW_WORDS]; /* the stack, from the program's context on */
	__u64 addr[KMT_BPF_FRAMES_MAX];     /* the program's own is the first */
};

struct kmt_bpf_config {
	__u32 subbufs;      /* of each CPU, a power of two */
	__u32 records;      /* of each sub-buffer */
	__u32 overwrite;    /* a full ring drops its oldest sub-buffer */
	__u32 stack_depth;  /* return addresses, 0: none */
	__u32 stack_limit;  /* the kernel's limit for all frames: kernel.perf_event_max_stack */
	__u64 stack_words;  /* of the table of stacks */
	__u64 stack_factor; /* of the hash: random and odd */
	__u32 stack_slots;  /* of its hash table, a power of two */
	__u32 nodes;        /* of the tree of stacks; 0: there is none */
	__u32 node_slots;   /* of its hash table, a power of two */
	__u32 wholes;       /* entries of the table of whole stacks */
	__u32 verify;       /* stacks that are found in the tree are also unwound, and compared */
	__u32 node_shift;   /* of the node in a page's flags, or one of the values above */
	__u64 min_size;     /* smaller allocations are left out */
	__u32 page_shift;
	__u32 stack_bytes;  /* of a thread's stack in the kernel */
	__u64 functions;    /* bits of the programs that are attached to functions */
	__u32 user_stacks;  /* record user stacks of allocations, and the mappings of processes */
	__u32 user_maps;    /* then: functions are traced for the mappings */
	__u32 record_bytes; /* from one record to the next */
	__u32 unmap_desc;   /* unmap_vmas() gets its range in a struct unmap_desc */
	__u32 rcu_offset;   /* kvfree_call_rcu() gets the offset of the rcu_head, not the object */
	__u32 slab;         /* events of slab objects are wanted */
	__u32 vmalloc;      /* and of vmalloc space */
	/* Numbers of arguments: */
	__u32 pages_list; /* of alloc_pages_bulk(); 0: none */
	__u32 pages_array;
	__u32 krealloc_align; /* 0: none */
	__u32 krealloc_gfp;
	__u32 krealloc_node; /* 0: none */
	__u32 gfp_thisnode;  /* the flag, where that matters */
	__u32 bulk_is_bool;  /* kmem_cache_alloc_bulk() returns whether it allocated all */
	__u32 cpus;          /* CPUs that have a ring */
	__u32 filters;       /* whether any is set: one of the next ones, min_size, or cache */
	__u32 filter_pids;   /* only selected processes; the next: only those of a cgroup */
	__u32 filter_cgroup;
	__u32 keeps;       /* keep the addresses of allocations, to recognize their frees */
	__u32 sample_mask; /* 0: all addresses */
	char cache[KMT_BPF_FILTER_CACHE]; /* name of the only cache that is traced; empty: all */
	struct kmt_bpf_subuids subuids[KMEMTRACE_SUBUIDS_MAX];
	__u32 subuid_count; /* of these */
	__u32 reserved;
	struct kmt_bpf_range nested[KMT_BPF_NESTED];
	struct kmt_bpf_range own[KMT_BPF_PROGRAMS_MAX][KMT_BPF_OWN_FUNCTIONS];
	struct kmt_bpf_range irq_entry[KMT_BPF_IRQ_ENTRIES]; /* entry code of interrupts */
};

/* What the loader learns about the kernel before tracing starts: see learn.h. */
#define KMT_BPF_LEARNED 64U
#define KMT_BPF_CHUNK   65536U /* bytes */

struct kmt_bpf_learn {
	__u64 addr; /* read the word there, */
	__u32 len;  /* or this many bytes into the chunk */
	__u64 value;
	__s64 error;                 /* of the read */
	__u64 task;                  /* address of the task_struct of this thread */
	__u32 tgid;                  /* the process whose allocated pages are noted */
	__u32 pages;                 /* how many pages were noted */
	__u64 page[KMT_BPF_LEARNED]; /* addresses of the struct page of the last ones */
};

#define KMT_BPF_SHARES 64U /* users with a share of their own; the others share the last one */

enum kmt_bpf_shared { KMT_BPF_OF_STACKS, KMT_BPF_OF_USER_STACKS, KMT_BPF_OF_FILES, KMT_BPF_SHARED };

/* How much of a table users have used. */
struct kmt_bpf_shares {
	__u32 uid[KMT_BPF_SHARES]; /* 0: free */
	__u64 used[KMT_BPF_SHARES];
	__u64 others; /* by all but root */
	__u64 all;    /* by all; counted for user stacks only */
};

/* A mark of the loader: see mark.h. */
struct kmt_bpf_mark {
	__u32 tid;     /* of the thread that made it */
	__u32 parts;   /* number of records */
	__u32 written; /* result; 0: there was no room */
	__u32 reserved;
	char text[KMEMTRACE_MARK_RECORDS][KMEMTRACE_MARK_TEXT]; /* zero-padded */
};

/*
 * A running call of alloc_pages_bulk(). When it ends, perhaps on another CPU, the new pages are
 * those in entries of the array that were empty at its entry.
 */
#define KMT_BPF_CALLS       256U /* a power of two */
#define KMT_BPF_PLACES_WORD 32U
#define KMT_BPF_PLACES      512U /* entries of an array that are tracked singly; 100 are usual */

struct kmt_bpf_call {
	__u64 frame;  /* address of the trampoline's, which no other running call has; 0: free */
	__u64 caller; /* the thread, or the CPU and the kind of interrupt */
	__u64 page;  /* the last page that the function allocated singly: it has an event already */
	__u32 first; /* array index of the first bit of .empty */
	__u32 full;  /* how many entries beyond .empty had a page */
	__u32 empty[KMT_BPF_PLACES / KMT_BPF_PLACES_WORD]; /* a bit for each entry that was */
};

#define KMT_BPF_NOT_TAUGHT 0xffffffffU /* value of kmt_bpf_state.taught: there is no tree */

/* The programs' variables. */
struct kmt_bpf_state {
	__u64 enabled;      /* events are recorded */
	__u64 names_early;  /* before that, events of thread names are */
	__u64 maps_late;    /* after that, events of mappings and forks are */
	__u64 resumes;      /* how often recording began */
	__u64 vmemmap;      /* address of the first struct page */
	__u64 linear_base;  /* address of the first byte of the direct map, */
	__u64 linear_bytes; /* and its size */
	__u64 stack_words;  /* words of the table of stacks that are used */
	struct kmt_bpf_shares shares[KMT_BPF_SHARED]; /* words of stacks, and files */
	__u32 files;                                  /* ids given out */
	__u32 files_refused; /* mappings of files for which there was no room */
	__u32 modules;       /* entries for the list of modules, including those without room */
	__u32 functions;     /* the same for functions */
	__u32 unloads;       /* modules that were unloaded */
	__u32 taught;        /* @unloads for which the tree of stacks is valid */
	__u32 misses;        /* stacks that were offered to the loader */
	__u32 running;       /* entries of .calls that are in use */
	__u64 compared, differed; /* stacks from the tree with unwound ones, see @verify */
	struct kmt_bpf_learn learn;
	struct kmt_bpf_mark mark;
	struct kmt_bpf_call calls[KMT_BPF_CALLS];
	__u64 copies[KMT_BPF_COPIES]; /* mm << 32 | number of mappings of the original */
};

#endif /* KMEMTRACE_BPF_H */

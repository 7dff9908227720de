/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * The binary interface between the kmemtrace kernel part and its readers.
 *
 * A per-CPU stream is a sequence of sub-buffers. Each starts with a struct kmemtrace_subbuf_header
 * and continues with records of one fixed size, so the n-th record is one multiplication away, and
 * a bad record never hides the next one. Everything is in the byte order of the traced machine; the
 * magic identifies it.
 *
 * Rules that always hold: fields are __u8 to __u64, naturally aligned, no bitfields, no implicit
 * padding; fields are only ever added at the end of the header (readers use header_len) or of the
 * record (readers use record_len); an event or reason number is never reused.
 *
 * Documentation/abi.rst explains every field. abi/golden/abi.txt is the frozen layout.
 */
#ifndef KMEMTRACE_ABI_H
#define KMEMTRACE_ABI_H

#include <linux/types.h>

#define KMEMTRACE_ABI_VERSION	1

/* "KMTB" read as bytes on a little-endian machine; a reader that sees it swapped swaps all. */
#define KMEMTRACE_SUBBUF_MAGIC	0x42544d4bU

/*
 * The event of a record. 0 is never written: a record is published by storing its type last, so a
 * record of type 0 is unfinished.
 */
enum kmemtrace_event {
	KMEMTRACE_EVENT_NONE		= 0,
	KMEMTRACE_EVENT_KMALLOC		= 1,	/* addr 0: the allocation failed */
	KMEMTRACE_EVENT_CACHE_ALLOC	= 2,	/* kmem_cache_alloc; addr 0: it failed */
	KMEMTRACE_EVENT_KFREE		= 3,
	KMEMTRACE_EVENT_CACHE_FREE	= 4,	/* kmem_cache_free */
	KMEMTRACE_EVENT_PAGE_ALLOC	= 5,	/* addr is a pfn; 0: the allocation failed */
	KMEMTRACE_EVENT_PAGE_FREE	= 6,	/* addr is a pfn */
	KMEMTRACE_EVENT_TASK		= 7,	/* a thread has this name from here on */
	KMEMTRACE_EVENT_KFREE_RCU	= 8,	/* will be freed after an RCU grace period */
	KMEMTRACE_EVENT_PERCPU_ALLOC	= 9,	/* addr is a per-CPU pointer; 0: it failed */
	KMEMTRACE_EVENT_PERCPU_FREE	= 10,
	KMEMTRACE_EVENT_VMAP_ALLOC	= 11,	/* an area of vmalloc space; addr 0: it failed */
	KMEMTRACE_EVENT_VMAP_FREE	= 12,
	KMEMTRACE_EVENT_EXTFRAG		= 13,	/* pages taken from blocks of another type */
	KMEMTRACE_EVENT_ZONE_LOCKED	= 14,	/* pages left the buddy lists */
	KMEMTRACE_EVENT_PCPU_DRAIN	= 15,	/* pages went back to the buddy lists */
	KMEMTRACE_EVENT_MAP		= 16,	/* a process maps or unmaps memory */
	KMEMTRACE_EVENT_EXEC		= 17,	/* a process gets new, empty memory */
	KMEMTRACE_EVENT_FORK		= 18,	/* a process creates another one */
	KMEMTRACE_EVENT_MARK		= 19,	/* a named mark at this time */
	KMEMTRACE_EVENT_PAGE_MOVE	= 20,	/* the kernel migrated pages: addr is a pfn */
	KMEMTRACE_EVENT_RESIZE		= 21,	/* krealloc() left the object where it was */
	KMEMTRACE_EVENT_COMPACT		= 22,	/* an allocation makes the kernel compact memory */
	KMEMTRACE_EVENT_DUP_MM		= 23,	/* fork() copies the memory of a process */
	KMEMTRACE_EVENT_NR		= 24,	/* one above the highest */
};

/* The low six bits of kmemtrace_record.type are the event, the high two the context. */
#define KMEMTRACE_TYPE_EVENT_MASK	0x3fU
#define KMEMTRACE_TYPE_CONTEXT_SHIFT	6

enum kmemtrace_context {
	KMEMTRACE_CONTEXT_TASK		= 0,	/* tid is the thread that caused the event */
	KMEMTRACE_CONTEXT_SOFTIRQ	= 1,	/* tid is the thread that was interrupted */
	KMEMTRACE_CONTEXT_HARDIRQ	= 2,	/* the same */
	KMEMTRACE_CONTEXT_NR		= 3,
};

#define KMEMTRACE_NODE_ANY	0xffU	/* no node was requested */
#define KMEMTRACE_NODE_HIGH	0xfeU	/* a node number of 254 or above */
#define KMEMTRACE_CACHE_NONE	0U	/* no cache known; ids start at 1 */
#define KMEMTRACE_STACK_NONE	0U	/* no stack; ids start at 1 */

/* Bits of gfp in a PAGE_MOVE record, which are set only when addresses are sampled. */
#define KMEMTRACE_MOVE_FROM_OUTSIDE	1U	/* the source isn't in the sample */
#define KMEMTRACE_MOVE_TO_OUTSIDE	2U	/* the destination isn't in the sample */

/* A mark is a line of at most this many bytes, in as many records as needed. */
#define KMEMTRACE_MARK_RECORDS	4U
#define KMEMTRACE_MARK_TEXT	32U	/* bytes of text in each */
#define KMEMTRACE_MARK_MAX	(KMEMTRACE_MARK_RECORDS * KMEMTRACE_MARK_TEXT)

/*
 * One event. The meaning of the fields depends on it:
 *
 *   field        KMALLOC  CACHE_ALLOC  KFREE  CACHE_FREE  PAGE_ALLOC    PAGE_FREE
 *   addr         pointer  pointer      ptr    pointer     pfn           pfn
 *   bytes_req    yes      object size  0      0           size          size
 *   bytes_alloc  yes      object size  0      0           size          size
 *   gfp          yes      yes          0      0           yes           0
 *   cache        slab's   yes          0      yes         -             -
 *   order, mt    -        -            -      -           yes, yes      order, 0xff
 *
 * Each object that a bulk call allocates or frees has a CACHE_ALLOC, CACHE_FREE or KFREE, each page
 * of alloc_pages_bulk() a PAGE_ALLOC. alloc_contig_range() has a PAGE_ALLOC for each block, as
 * large as its alignment and the range allow, and at most of order 10.
 *
 *   field        KFREE_RCU  PERCPU_ALLOC  PERCPU_FREE  VMAP_ALLOC  VMAP_FREE
 *   addr         pointer    per-CPU ptr   the same     address     address
 *   bytes_req    0          yes           0            yes         0
 *   bytes_alloc  0          on all CPUs   0            yes         0
 *   gfp          0          yes           0            0           0
 *
 *   field        RESIZE
 *   addr         pointer
 *   bytes_req    the new size
 *   bytes_alloc  bytes that the object has room for
 *   gfp          yes
 *
 *   field        EXTFRAG              ZONE_LOCKED          PCPU_DRAIN
 *   addr         pfn                  pfn                  pfn
 *   order, mt    requested            yes, yes             yes, yes
 *   bytes_req    order of the block   1: per-CPU refill    0
 *   bytes_alloc  its migratetype      0                    0
 *
 *   field        COMPACT
 *   addr         0
 *   gfp          yes
 *   order, mt    requested, 0xff
 *
 *   field        PAGE_MOVE
 *   addr         pfn of the source
 *   bytes_req    low 32 bits of the destination's pfn
 *   bytes_alloc  high 32 bits of the destination's pfn
 *   gfp          KMEMTRACE_MOVE_FROM_OUTSIDE, KMEMTRACE_MOVE_TO_OUTSIDE
 *   order, mt    of both, 0xff
 *   node         of the destination
 *
 * A PAGE_MOVE follows the PAGE_ALLOC of the destination, which compaction lacks, and precedes the
 * PAGE_FREE of the source.
 *
 * Events about the memory of processes are only written with user stacks, and have no call site or
 * stack:
 *
 *   field        MAP                  EXEC      FORK                         DUP_MM
 *   addr         first address        0         0                            0
 *   call_site    offset in the file   0         0                            0
 *   bytes_req    pages of memory      0         tgid of the parent           0
 *   bytes_alloc  file, or 0: no code  0         1: both share the memory     the original, or 0
 *   gfp          tgid                 tgid      tgid of the new process      tgid
 *   tid          the thread           thread    thread of the new process    the thread
 *   mm           the memory           the new   of the new process           the copy
 *
 * Pages: 0xffffffff stands for all addresses from there on. A tgid of 0 in an EXEC record: changes
 * were missed, and everything known before is invalid.
 *
 * mm identifies the memory: processes with the same mm share it. Older tracers left it 0, and wrote
 * no DUP_MM. The copy has the mappings that the original had at the time of DUP_MM, except for the
 * MAP records of the copy that follow. If the original is 0, the mappings are not known.
 *
 * In a TASK record, comm is the thread's name, which is text and never swapped. gfp is its thread
 * group id, tid its thread id, and everything else is 0. From here on, on any CPU, tid has this
 * name.
 *
 * A MARK record has a part of the text instead of the six fields from addr to gfp, the index of the
 * part, and the number of parts. The records of one mark are consecutive in one sub-buffer, and
 * have the same time.
 */
struct kmemtrace_record {
	__u64 time_ns;		/* CLOCK_MONOTONIC, nanoseconds */
	union {
		struct {
			union {
				struct {
					__u64 addr;	 /* object pointer, or page frame number */
					__u64 call_site; /* address after the call; 0: unknown */
				};
				char comm[16];	/* TASK only: the thread's name, zero-padded */
			};
			__u32 stack_id;		/* into the stack table, or KMEMTRACE_STACK_NONE */
			__u32 bytes_req;	/* requested bytes; 0xffffffff: that or more */
			__u32 bytes_alloc;	/* allocated bytes; 0xffffffff: that or more */
			__u32 gfp;		/* flags as this kernel numbers them, see "abi" */
		};
		char text[KMEMTRACE_MARK_TEXT];	/* MARK only: zero-padded */
	};
	__u32 tid;		/* thread id in the initial pid namespace; 0: idle */
	union {
		__u16 cache;	/* slab events: into the cache table, or KMEMTRACE_CACHE_NONE */
		struct {
			__u8 order;		/* page events: 2^order pages */
			__u8 migratetype;	/* page allocations; 0xff: unknown */
		} page;
		struct {
			__u8 part;		/* MARK only: index of this part of the text */
			__u8 parts;		/* number of parts, 1 to KMEMTRACE_MARK_RECORDS */
		} mark;
	};
	__u8 node;		/* requested node, KMEMTRACE_NODE_ANY or _HIGH; pages: their node */
	__u8 type;		/* context << 6 | event; stored last */
};

/* A record with user stacks; record_len identifies it. */
struct kmemtrace_record_user {
	struct kmemtrace_record record;
	union {
		__u32 user_stack_id;	/* allocations in TASK context: into the table, or 0 */
		__u32 mm;		/* MAP, EXEC, FORK, DUP_MM: identifies the memory, or 0 */
	};
	__u32 tgid;		/* thread group id of tid: user stacks point to its memory */
};

/*
 * Why something was lost. STACK_FULL and CACHE_FULL lose a detail, never the record: it is in the
 * stream without its stack or its cache. NAME counts only lost TASK records; the others count only
 * events.
 */
enum kmemtrace_loss {
	KMEMTRACE_LOSS_BUFFER_FULL	= 0,	/* no free sub-buffer: the reader is too slow */
	KMEMTRACE_LOSS_NMI		= 1,	/* the event came in an NMI */
	KMEMTRACE_LOSS_RECURSION	= 2,	/* the event came while a probe ran, see abi.rst */
	KMEMTRACE_LOSS_STACK_FULL	= 3,	/* stack table full: record kept, without stack */
	KMEMTRACE_LOSS_CACHE_FULL	= 4,	/* cache table full: record kept, without cache */
	KMEMTRACE_LOSS_NAME		= 5,	/* name of a thread: no room, or being renamed */
	KMEMTRACE_LOSS_NR		= 6,
	KMEMTRACE_LOSS_MAX		= 8,	/* room in the header; unused reasons are 0 */
};

#define KMEMTRACE_BYTE_ORDER_LITTLE	1
#define KMEMTRACE_BYTE_ORDER_BIG	2

/* At the start of each sub-buffer. The counters have their values before its first record. */
struct kmemtrace_subbuf_header {
	__u32 magic;		/* KMEMTRACE_SUBBUF_MAGIC */
	__u16 abi_version;	/* KMEMTRACE_ABI_VERSION */
	__u16 header_len;	/* bytes from here to the first record */
	__u16 record_len;	/* bytes from one record to the next */
	__u8 byte_order;	/* KMEMTRACE_BYTE_ORDER_LITTLE or _BIG: as the magic */
	__u8 word_size;		/* bytes of a long on the traced machine: 4 or 8 */
	__u32 cpu;
	__u64 seq;		/* 0, 1, 2… on this CPU in this session; a gap is a loss */
	__u64 time_ns;		/* when it was started: no record in it is earlier */
	__u64 session;		/* a new value each time that buffers are set up */
	__u64 written;		/* records written on this CPU so far */
	__u64 ignored;		/* frees of NULL and the like so far: not recorded */
	__u64 reserved;		/* 0 */
	__u64 lost[KMEMTRACE_LOSS_MAX];	/* so far, by enum kmemtrace_loss */
};

/*
 * The stack table, as read from "stacks": a header, then entries one after the other. The id of a
 * stack is the offset of its entry from the table's start in units of 8 bytes, so an id is found
 * without a search. Entries are only ever added. An entry with a hash of 0 is being written: all
 * before it are complete; continue reading from there later.
 *
 * A user stack begins with the address at which the thread left user space. The word at the top of
 * its stack follows if it looks like a return address, otherwise 0: the innermost function may have
 * no frame, which its unwind tables show. Then come the return addresses found by following frame
 * pointers. All addresses of user stacks are in the lower half of the 64-bit range, those of the
 * kernel in the upper half.
 */
#define KMEMTRACE_STACK_MAGIC	0x53544d4bU	/* "KMTS" */
#define KMEMTRACE_STACK_DEPTH_MAX	128

#define KMEMTRACE_STACK_CUT	1	/* flag: there were more addresses, farther out */

struct kmemtrace_stack_table {
	__u32 magic;		/* KMEMTRACE_STACK_MAGIC */
	__u16 abi_version;
	__u16 header_len;	/* bytes from here to the first entry */
	__u64 session;		/* as in the sub-buffers that refer to this table */
};

struct kmemtrace_stack {
	__u32 hash;		/* never 0 once the entry is complete */
	__u16 depth;		/* addresses that follow, 1 to KMEMTRACE_STACK_DEPTH_MAX */
	__u16 flags;		/* KMEMTRACE_STACK_CUT; older tracers never set it */
	__u64 addr[];		/* return addresses, innermost first */
};

/*
 * The control interface: files below KMEMTRACE_SYSFS_DIR of /sys/kernel. Only root may open them,
 * and each read() and write() gives EPERM to a caller with neither CAP_PERFMON nor CAP_SYS_ADMIN.
 * Lockdown restricts only enable, which gives EPERM in confidentiality mode.
 *
 *   enable       rw  0 or 1. 1 sets up the buffers if there are none; EBUSY: after some seconds
 *                    a task is still in a probe of the last time. 0 stops, and completes the last
 *                    sub-buffers, which can still be read. Writing 2 with overwrite and user_stacks
 *                    leaves only mappings of processes and forks to be recorded until 0 or 1 is
 *                    written, and reads as 2; EINVAL: not enabled, or without these settings
 *   reset        w   1 drops buffers, stacks and counters; EBUSY while enabled or being read. 2:
 *                    the same, but the processes of filter_pids and their children stay selected.
 *   flush        rw  1 completes the sub-buffers that have records, while tracing continues;
 *                    reading it gives the time_ns before which all records were complete at the
 *                    last flush, 0 if there was none. ENODEV: not enabled; EBUSY: overwrite is
 *                    set; EAGAIN: half of a CPU's sub-buffers wait for their reader
 *   subbuf_size  rw  bytes; EBUSY while there are buffers (this and the next four)
 *   subbufs      rw  number for each CPU
 *   stack_depth  rw  return addresses kept, 0 (none) to KMEMTRACE_STACK_DEPTH_MAX
 *   stack_bytes  rw  size of the stack table
 *   user_stacks  rw  1: also record user stacks of allocations, and the mappings of processes
 *   events       rw  the groups that are traced, words of "slab page percpu vmalloc frag buddy"
 *                    (EBUSY while enabled, as the next ones): slab with its bulk and RCU paths;
 *                    frag is EXTFRAG and COMPACT, buddy ZONE_LOCKED and PCPU_DRAIN
 *   overwrite    rw  1: a full buffer drops its oldest sub-buffer instead of the new event
 *   filter_pids  rw  process ids: these processes, with all their threads and all children that
 *                    they start later; empty (the default): all
 *   filter_cgroup rw the inode number of a cgroup v2: the processes in it and its descendants are
 *                    traced; 0: all
 *   filter_cache rw  name of a slab cache; other slab events are left out; empty: all
 *   filter_size  rw  bytes: smaller allocations are left out (with their frees where known)
 *   sample       rw  N, a power of two: one address in N, with its free; 1: all
 *   subuids      rw  subordinate uids: lines of the first uid, the last one, and the user who has
 *                    them and whose shares of tables their processes use; EINVAL: a line is not
 *                    valid, or the user is 0; E2BIG: more than KMEMTRACE_SUBUIDS_MAX lines
 *   mark         w   lines of text: each becomes a mark. EINVAL: there is no text, or a zero in it;
 *                    E2BIG: longer than KMEMTRACE_MARK_MAX; ENODEV: not enabled; ENOSPC: this CPU's
 *                    buffer has no room. An error after the first line ends the write there. One
 *                    write() uses whole lines, at most a page of memory, and returns their size in
 *                    bytes.
 */
#define KMEMTRACE_SYSFS_DIR	"kmemtrace"
#define KMEMTRACE_ENABLE_MAPS	2
#define KMEMTRACE_RESET_ALL	1
#define KMEMTRACE_RESET_FOLLOWS	2
#define KMEMTRACE_SUBUIDS_MAX	64

/*
 * The views: files below KMEMTRACE_DEBUGFS_DIR of debugfs, which can only be read, as lockdown's
 * integrity mode demands. Only root may open them. open() gives EPERM to a caller with neither
 * CAP_PERFMON nor CAP_SYS_ADMIN, and in lockdown's confidentiality mode.
 *
 *   abi          r   lines "key value…": versions, sizes, field offsets, event, flag and
 *                    migratetype names of this kernel. A trace carries a copy as its schema.
 *   paths        r   lines "name state": each source of events, and "on", "off" (not requested) or
 *                    "unseen: why"
 *   modules      r   lines "load_ns unload_ns base size name": modules that were loaded at any time
 *                    since the buffers were set up; load_ns 0: before that, unload_ns 0: still
 *                    loaded
 *   module_functions r  the functions in module code that was unloaded since then: for each code
 *                    range a line "WHAT load_ns unload_ns base size name", then lines "address
 *                    type name"
 *   stats        r   a line of column names, then one for each CPU with a buffer, then memory
 *   stacks       r   the stack table, binary
 *   caches       r   lines "id object_size name"
 *   clock        r   the time_ns that an event would have now
 *   files        r   lines "id inode ctime_ns size MAJOR:MINOR path": the files that MAP events have
 *                    named; a path of "?": not known
 *   tasks        r   lines "tid tgid name": the threads that exist now
 *   mms          r   lines "tgid mm": the memory that processes have now
 *   traceN       r   the stream of CPU N. One reader at a time (EBUSY). A read() gives exactly one
 *                    completed sub-buffer (EINVAL if it doesn't fit in the reader's buffer),
 *                    EAGAIN if there is none yet, 0 if tracing is disabled and all are read.
 *                    poll() waits for a completed sub-buffer. ENODEV: this CPU has no buffer.
 */
#define KMEMTRACE_DEBUGFS_DIR	"kmemtrace"

#define KMEMTRACE_ABI_ASSERT(what)	_Static_assert(what, #what)
KMEMTRACE_ABI_ASSERT(sizeof(struct kmemtrace_record) == 48);
KMEMTRACE_ABI_ASSERT(sizeof(struct kmemtrace_record_user) == 56);
KMEMTRACE_ABI_ASSERT(sizeof(struct kmemtrace_subbuf_header) == 128);
KMEMTRACE_ABI_ASSERT(sizeof(struct kmemtrace_stack_table) == 16);
KMEMTRACE_ABI_ASSERT(sizeof(struct kmemtrace_stack) == 8);
KMEMTRACE_ABI_ASSERT(KMEMTRACE_LOSS_NR <= KMEMTRACE_LOSS_MAX);
KMEMTRACE_ABI_ASSERT((KMEMTRACE_EVENT_NR & ~KMEMTRACE_TYPE_EVENT_MASK) == 0);

#endif /* KMEMTRACE_ABI_H */

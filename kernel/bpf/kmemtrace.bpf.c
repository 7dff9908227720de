// SPDX-License-Identifier: GPL-2.0-only
/*
 * Each program writes a record for an event of its tracepoint or function into the ring of its CPU.
 * Nothing here allocates, sleeps or takes a lock.
 *
 * The kernel does not run a program for an event that interrupts it on its CPU, and counts that. So
 * tracepoints have three programs, one for each context: the second and the third take the events
 * for which those before were not run.
 */
#include <linux/types.h>

#include "caches.h"
#include "kernel_types.h"
#include "learn.h"
#include "modules.h"
#include "ring.h"
#include "stacks.h"

#include <bpf/bpf_tracing.h>

char LICENSE[] SEC("license") = "GPL";

const volatile struct kmt_bpf_config config = {
	.subbufs = 2,
	.records = 1,
	.stack_depth = 1,
	.stack_slots = 1,
};

struct kmt_bpf_state state;

/* ---- the context ---- */

/*
 * If an extern isn't in the kernel's BTF, libbpf looks at that of all modules, which needs more
 * than the right to use BPF. So the programs are built for each place of the count.
 */
#ifndef KMT_CONTEXT_BY_STACK

#define KMT_PREEMPT_SOFTIRQ 0x100 /* a softirq is served */
#define KMT_PREEMPT_HARDIRQ 0x0f0000
#define KMT_PREEMPT_NMI     0xf00000
#define KMT_CONTEXT_NMI     KMEMTRACE_CONTEXT_NR

#ifdef KMT_CONTEXT_BY_HOT
extern const struct pcpu_hot pcpu_hot __ksym;

static __always_inline int kmt_preempt_count(void)
{
	return ((const struct pcpu_hot *)bpf_this_cpu_ptr(&pcpu_hot))->preempt_count;
}
#else
extern const int __preempt_count __ksym;

static __always_inline int kmt_preempt_count(void)
{
	return *(const int *)bpf_this_cpu_ptr(&__preempt_count);
}
#endif

static __always_inline __u32 kmt_context(const void *ctx)
{
	int preempt = kmt_preempt_count();

	(void)ctx;
	if (preempt & KMT_PREEMPT_NMI)
		return KMT_CONTEXT_NMI;
	if (preempt & KMT_PREEMPT_HARDIRQ)
		return KMEMTRACE_CONTEXT_HARDIRQ;
	return preempt & KMT_PREEMPT_SOFTIRQ ? KMEMTRACE_CONTEXT_SOFTIRQ : KMEMTRACE_CONTEXT_TASK;
}

#else

/*
 * For a kernel whose variables have no known addresses. Interrupts and the softirqs that they begin
 * have a stack of their own: which of both it is isn't known, and what ksoftirqd does is its own.
 */
static __always_inline __u32 kmt_context(const void *ctx)
{
	const struct task_struct *task = (const struct task_struct *)bpf_get_current_task();
	__u64 stack = (__u64)BPF_CORE_READ(task, stack), here = 0;

	/* The verifier allows no arithmetic with @ctx, so it is read as a number. */
	bpf_probe_read_kernel(&here, sizeof(here), &ctx);
	return here - stack < config.stack_bytes ? KMEMTRACE_CONTEXT_TASK
						 : KMEMTRACE_CONTEXT_SOFTIRQ;
}

#endif

/* ---- events ---- */

struct kmt_event {
	struct kmt_bpf_ring *ring;
	__u32 cpu;
	__u32 program;
	__u32 context;
	__u32 stack_id;
	__u64 call_site;
	struct kmt_slot slot;
};

static __always_inline bool kmt_find_ring(struct kmt_event *event, __u32 program)
{
	event->program = program;
	event->cpu = bpf_get_smp_processor_id();
	event->ring = bpf_map_lookup_elem(&rings, &event->cpu);
	return event->ring;
}

/* Whether the event can be recorded; else it is lost. */
static __always_inline bool kmt_can_record(const struct kmt_event *event)
{
	if (event->context >= KMEMTRACE_CONTEXT_NR) {
		kmt_count_lost(event->ring, KMEMTRACE_LOSS_NMI);
		return false;
	}
	if (event->cpu < config.cpus)
		return true;
	kmt_count_lost(event->ring, KMEMTRACE_LOSS_BUFFER_FULL);
	return false;
}

/*
 * Of the programs at a tracepoint, each takes the events for which none before was run. That leaves
 * in @last what it was run for: only events that interrupt the context that it stands for could
 * change that before the next one is run, and these have their own.
 *
 * If contexts can't be told apart, it is whether the first program runs: then the second misses the
 * events that come just as the first begins or ends.
 */
static __always_inline bool kmt_is_mine(const struct kmt_event *event, __u64 key, __u32 turn)
{
#ifndef KMT_CONTEXT_BY_STACK
	__u64 *last = &event->ring->last[event->context % KMT_BPF_CONTEXTS];
	bool mine = !turn || *last != key;

	*last = turn + 1 == config.turns ? 0 : key;
	return mine;
#else
	return !turn || (turn == 1 && event->ring->busy[event->program % KMT_BPF_PROGRAMS_MAX]);
#endif
}

/* The first program missed the event, which is no loss. */
static __always_inline void kmt_count_taken(const struct kmt_event *event)
{
	__sync_fetch_and_add(&event->ring->taken[event->program % KMT_BPF_PROGRAMS_MAX], 1);
}

static __always_inline int kmt_leave(const struct kmt_event *event, __u32 turn)
{
	if (!turn)
		event->ring->busy[event->program % KMT_BPF_PROGRAMS_MAX]--;
	return 0;
}

/*
 * Whether the event is to be recorded by this program, whose @turn it is, from 0 on. kmt_leave()
 * must follow.
 */
static __always_inline bool kmt_enter(struct kmt_event *event, const void *ctx, __u32 program,
				      __u64 key, __u32 turn)
{
	if (!state.enabled && turn != 1)
		return false;
	if (!kmt_find_ring(event, program))
		return false;
	if (!state.enabled) {
		/* The first one still records, and missed this, but it is no loss any more. */
		if (event->ring->busy[program % KMT_BPF_PROGRAMS_MAX])
			kmt_count_taken(event);
		return false;
	}
	if (!turn) /* as soon as possible, see kmt_is_mine() */
		event->ring->busy[program % KMT_BPF_PROGRAMS_MAX]++;
	event->context = kmt_context(ctx);
	if (kmt_is_mine(event, key, turn) && kmt_can_record(event)) {
		if (turn)
			kmt_count_taken(event);
		return true;
	}
	kmt_leave(event, turn);
	return false;
}

/* Finds out where the event comes from. @call_site: 0: the innermost frame of its stack. */
static __always_inline void kmt_find_origin(void *ctx, struct kmt_event *event, __u64 call_site)
{
	__u64 caller = 0;

	event->stack_id = KMEMTRACE_STACK_NONE;
	if (config.stack_depth || !call_site)
		event->stack_id = kmt_stack(ctx, event->ring, event->program, &caller);
	event->call_site = call_site ?: caller;
}

/* Reserves the record and fills in the common fields. */
static __always_inline bool kmt_begin_known(struct kmt_event *event)
{
	if (!kmt_reserve(event->ring, event->cpu, KMEMTRACE_LOSS_BUFFER_FULL, &event->slot))
		return false;
	event->slot.record->time_ns = event->slot.time_ns;
	event->slot.record->call_site = event->call_site;
	event->slot.record->stack_id = event->stack_id;
	event->slot.record->tid = (__u32)bpf_get_current_pid_tgid();
	return true;
}

static __always_inline bool kmt_begin(void *ctx, struct kmt_event *event, __u64 call_site)
{
	kmt_find_origin(ctx, event, call_site);
	return kmt_begin_known(event);
}

static __always_inline void kmt_end(const struct kmt_event *event, enum kmemtrace_event type)
{
	kmt_publish(&event->slot, event->context << KMEMTRACE_TYPE_CONTEXT_SHIFT | type);
}

static __always_inline __u32 kmt_bytes(__u64 bytes)
{
	return bytes < 0xffffffffU ? bytes : 0xffffffffU;
}

static __always_inline __u8 kmt_node(int node)
{
	if (node < 0)
		return KMEMTRACE_NODE_ANY;
	return node < (int)KMEMTRACE_NODE_HIGH ? node : KMEMTRACE_NODE_HIGH;
}

static __always_inline void kmt_fill_object(struct kmemtrace_record *record, __u64 addr,
					    __u64 bytes_req, __u64 bytes_alloc, __u32 gfp, int node,
					    __u16 cache)
{
	record->addr = addr;
	record->bytes_req = kmt_bytes(bytes_req);
	record->bytes_alloc = kmt_bytes(bytes_alloc);
	record->gfp = gfp;
	record->cache = cache;
	record->node = kmt_node(node);
}

static __always_inline void kmt_fill_freed(struct kmemtrace_record *record, __u64 addr, __u16 cache)
{
	kmt_fill_object(record, addr, 0, 0, 0, -1, cache);
}

/* NULL or ZERO_SIZE_PTR. */
static __always_inline bool kmt_is_no_object(__u64 addr)
{
	return addr <= 16;
}

/* Of the event that the programs of a tracepoint are run for. */
static __always_inline __u64 kmt_event_key(const struct bpf_raw_tracepoint_args *ctx, __u32 program)
{
	return ((ctx->args[0] * KMT_HASH_FACTOR) ^ ctx->args[1]) + program + 1;
}

/*
 * Defines the programs @name, @name_2 and @name_3 of a tracepoint, which call kmt_record_@name()
 * with its arguments.
 */
#define KMT_PROGRAM(name, function, tracepoint, program, turn)                                     \
	SEC("raw_tp/" #tracepoint)                                                                 \
	int function(struct bpf_raw_tracepoint_args *ctx)                                          \
	{                                                                                          \
		struct kmt_event event;                                                            \
                                                                                                   \
		if (!kmt_enter(&event, ctx, program, kmt_event_key(ctx, program), turn))           \
			return 0;                                                                  \
		kmt_record_##name(ctx, &event, ctx->args);                                         \
		return kmt_leave(&event, turn);                                                    \
	}

#define KMT_TRACEPOINT(name, tracepoint, program)                                                  \
	KMT_PROGRAM(name, kmt_##name, tracepoint, program, 0)                                      \
	KMT_PROGRAM(name, kmt_##name##_2, tracepoint, program, 1)                                  \
	KMT_PROGRAM(name, kmt_##name##_3, tracepoint, program, 2)

/* ---- slab objects ---- */

/*
 * Whether another event of the same kmalloc() follows, with the caller's call site: some kernels
 * report large ones in the function that allocates the pages, too.
 */
static __always_inline bool kmt_is_nested(__u64 call_site)
{
	__u32 i;

	for (i = 0; i < KMT_BPF_NESTED; i++) {
		if (call_site >= config.nested[i].from && call_site < config.nested[i].to)
			return true;
	}
	return false;
}

/* call_site, ptr, bytes_req, bytes_alloc, gfp, node */
static __always_inline void kmt_record_kmalloc(void *ctx, struct kmt_event *event,
					       const __u64 *args)
{
	if (args[2] < config.min_size || kmt_is_nested(args[0]) || !kmt_begin(ctx, event, args[0]))
		return;
	kmt_fill_object(event->slot.record, args[1], args[2], args[3], args[4], (int)args[5],
			KMEMTRACE_CACHE_NONE);
	kmt_end(event, KMEMTRACE_EVENT_KMALLOC);
}
KMT_TRACEPOINT(kmalloc, kmalloc, KMT_BPF_KMALLOC)

/* call_site, ptr, cache, gfp, node */
static __always_inline void kmt_record_cache_alloc(void *ctx, struct kmt_event *event,
						   const __u64 *args)
{
	__u32 size = 0;
	__u16 id = kmt_cache(event->ring, (const struct kmem_cache *)args[2], &size);

	if (size < config.min_size || !kmt_begin(ctx, event, args[0]))
		return;
	kmt_fill_object(event->slot.record, args[1], size, size, args[3], (int)args[4], id);
	kmt_end(event, KMEMTRACE_EVENT_CACHE_ALLOC);
}
KMT_TRACEPOINT(cache_alloc, kmem_cache_alloc, KMT_BPF_CACHE_ALLOC)

/* call_site, ptr */
static __always_inline void kmt_record_kfree(void *ctx, struct kmt_event *event, const __u64 *args)
{
	if (kmt_is_no_object(args[1])) {
		__sync_fetch_and_add(&event->ring->ignored, 1);
		return;
	}
	if (!kmt_begin(ctx, event, args[0]))
		return;
	kmt_fill_freed(event->slot.record, args[1], KMEMTRACE_CACHE_NONE);
	kmt_end(event, KMEMTRACE_EVENT_KFREE);
}
KMT_TRACEPOINT(kfree, kfree, KMT_BPF_KFREE)

/* call_site, ptr, cache */
static __always_inline void kmt_record_cache_free(void *ctx, struct kmt_event *event,
						  const __u64 *args)
{
	__u64 ptr = *(const volatile __u64 *)&args[1]; /* no address in @ctx is kept */
	__u32 size;
	__u16 id = kmt_cache(event->ring, (const struct kmem_cache *)args[2], &size);

	kmt_cache_note_free(id, ptr);
	if (!kmt_begin(ctx, event, args[0]))
		return;
	kmt_fill_freed(event->slot.record, ptr, id);
	kmt_end(event, KMEMTRACE_EVENT_CACHE_FREE);
}
KMT_TRACEPOINT(cache_free, kmem_cache_free, KMT_BPF_CACHE_FREE)

/* ---- pages ---- */

static __always_inline __u64 kmt_pfn(__u64 page)
{
	return (page - state.vmemmap) / bpf_core_type_size(struct page);
}

static __always_inline int kmt_page_node(__u64 page)
{
	__u64 flags = 0; /* the first word, whatever its type */

	if (config.node_shift < KMT_BPF_ONE_NODE) {
		bpf_probe_read_kernel(&flags, sizeof(flags), (const void *)page);
		return flags >> config.node_shift;
	}
	return config.node_shift == KMT_BPF_ONE_NODE ? 0 : -1;
}

/* @page: 0: there are none. */
static __always_inline void kmt_fill_pages(struct kmemtrace_record *record, __u64 page, __u32 order,
					   __u32 bytes_req, __u32 bytes_alloc, __u32 gfp,
					   __u8 migratetype)
{
	record->addr = page ? kmt_pfn(page) : 0;
	record->bytes_req = bytes_req;
	record->bytes_alloc = bytes_alloc;
	record->gfp = gfp;
	record->page.order = order;
	record->page.migratetype = migratetype;
	record->node = kmt_node(page ? kmt_page_node(page) : -1);
}

static __always_inline __u32 kmt_block_bytes(__u32 order)
{
	return 1U << config.page_shift << (order & 31);
}

/* page, order, gfp, migratetype */
static __always_inline void kmt_record_page_alloc(void *ctx, struct kmt_event *event,
						  const __u64 *args)
{
	__u32 bytes = kmt_block_bytes(args[1]);

	if (bytes < config.min_size || !kmt_begin(ctx, event, 0))
		return;
	kmt_fill_pages(event->slot.record, args[0], args[1], bytes, bytes, args[2], args[3]);
	kmt_end(event, KMEMTRACE_EVENT_PAGE_ALLOC);
}
KMT_TRACEPOINT(page_alloc, mm_page_alloc, KMT_BPF_PAGE_ALLOC)

/* page, order */
static __always_inline void kmt_record_page_free(void *ctx, struct kmt_event *event,
						 const __u64 *args)
{
	__u32 bytes = kmt_block_bytes(args[1]);

	if (!kmt_begin(ctx, event, 0))
		return;
	kmt_fill_pages(event->slot.record, args[0], args[1], bytes, bytes, 0, 0xff);
	kmt_end(event, KMEMTRACE_EVENT_PAGE_FREE);
}
KMT_TRACEPOINT(page_free, mm_page_free, KMT_BPF_PAGE_FREE)

/* ---- per-CPU memory ---- */

/* call_site, reserved, is_atomic, size, align, base, offset, ptr, bytes_alloc, gfp */
static __always_inline void kmt_record_percpu_alloc(void *ctx, struct kmt_event *event,
						    const __u64 *args)
{
	if (args[3] < config.min_size || !kmt_begin(ctx, event, args[0]))
		return;
	kmt_fill_object(event->slot.record, args[7], args[3], args[8], args[9], -1,
			KMEMTRACE_CACHE_NONE);
	kmt_end(event, KMEMTRACE_EVENT_PERCPU_ALLOC);
}
KMT_TRACEPOINT(percpu_alloc, percpu_alloc_percpu, KMT_BPF_PERCPU_ALLOC)

/* reserved, is_atomic, size, align */
static __always_inline void kmt_record_percpu_fail(void *ctx, struct kmt_event *event,
						   const __u64 *args)
{
	if (args[2] < config.min_size || !kmt_begin(ctx, event, 0))
		return;
	kmt_fill_object(event->slot.record, 0, args[2], 0, 0, -1, KMEMTRACE_CACHE_NONE);
	kmt_end(event, KMEMTRACE_EVENT_PERCPU_ALLOC);
}
KMT_TRACEPOINT(percpu_fail, percpu_alloc_percpu_fail, KMT_BPF_PERCPU_FAIL)

/* base, offset, ptr */
static __always_inline void kmt_record_percpu_free(void *ctx, struct kmt_event *event,
						   const __u64 *args)
{
	if (!kmt_begin(ctx, event, 0))
		return;
	kmt_fill_freed(event->slot.record, args[2], KMEMTRACE_CACHE_NONE);
	kmt_end(event, KMEMTRACE_EVENT_PERCPU_FREE);
}
KMT_TRACEPOINT(percpu_free, percpu_free_percpu, KMT_BPF_PERCPU_FREE)

/* ---- vmalloc space ---- */

/* addr, size, align, start, end, failed */
static __always_inline void kmt_record_vmap_alloc(void *ctx, struct kmt_event *event,
						  const __u64 *args)
{
	if (args[1] < config.min_size || !kmt_begin(ctx, event, 0))
		return;
	kmt_fill_object(event->slot.record, (int)args[5] ? 0 : args[0], args[1], args[1], 0, -1,
			KMEMTRACE_CACHE_NONE);
	kmt_end(event, KMEMTRACE_EVENT_VMAP_ALLOC);
}
KMT_TRACEPOINT(vmap_alloc, alloc_vmap_area, KMT_BPF_VMAP_ALLOC)

/* addr */
static __always_inline void kmt_record_vmap_free(void *ctx, struct kmt_event *event,
						 const __u64 *args)
{
	if (!kmt_begin(ctx, event, 0))
		return;
	kmt_fill_freed(event->slot.record, args[0], KMEMTRACE_CACHE_NONE);
	kmt_end(event, KMEMTRACE_EVENT_VMAP_FREE);
}
KMT_TRACEPOINT(vmap_free, free_vmap_area_noflush, KMT_BPF_VMAP_FREE)

/* ---- fragmentation ---- */

/* page, alloc_order, fallback_order, alloc_migratetype, fallback_migratetype */
static __always_inline void kmt_record_extfrag(void *ctx, struct kmt_event *event,
					       const __u64 *args)
{
	if (!kmt_begin(ctx, event, 0))
		return;
	kmt_fill_pages(event->slot.record, args[0], args[1], args[2], args[4], 0, args[3]);
	kmt_end(event, KMEMTRACE_EVENT_EXTFRAG);
}
KMT_TRACEPOINT(extfrag, mm_page_alloc_extfrag, KMT_BPF_EXTFRAG)

/* order, gfp */
static __always_inline void kmt_record_compact(void *ctx, struct kmt_event *event,
					       const __u64 *args)
{
	if (!kmt_begin(ctx, event, 0))
		return;
	kmt_fill_pages(event->slot.record, 0, args[0], 0, 0, args[1], 0xff);
	kmt_end(event, KMEMTRACE_EVENT_COMPACT);
}
KMT_TRACEPOINT(compact, mm_compaction_try_to_compact_pages, KMT_BPF_COMPACT)

/* page, order, migratetype, percpu_refill */
static __always_inline void kmt_record_zone_locked(void *ctx, struct kmt_event *event,
						   const __u64 *args)
{
	if (!kmt_begin(ctx, event, 0))
		return;
	kmt_fill_pages(event->slot.record, args[0], args[1], args[3], 0, 0, args[2]);
	kmt_end(event, KMEMTRACE_EVENT_ZONE_LOCKED);
}
KMT_TRACEPOINT(zone_locked, mm_page_alloc_zone_locked, KMT_BPF_ZONE_LOCKED)

/* page, order, migratetype */
static __always_inline void kmt_record_pcpu_drain(void *ctx, struct kmt_event *event,
						  const __u64 *args)
{
	if (!kmt_begin(ctx, event, 0))
		return;
	kmt_fill_pages(event->slot.record, args[0], args[1], 0, 0, 0, args[2]);
	kmt_end(event, KMEMTRACE_EVENT_PCPU_DRAIN);
}
KMT_TRACEPOINT(pcpu_drain, mm_page_pcpu_drain, KMT_BPF_PCPU_DRAIN)

/* ---- threads ---- */

static __always_inline void kmt_record_name(struct kmt_event *event, const struct task_struct *task,
					    const char *comm)
{
	struct kmemtrace_record *record;

	event->context = KMEMTRACE_CONTEXT_TASK;
	if (!kmt_reserve(event->ring, event->cpu, KMEMTRACE_LOSS_NAME, &event->slot))
		return;
	record = event->slot.record;
	record->time_ns = event->slot.time_ns;
	__builtin_memset(record->comm, 0, sizeof(record->comm));
	bpf_probe_read_kernel_str(record->comm, sizeof(record->comm), comm);
	record->stack_id = 0;
	record->bytes_req = 0;
	record->bytes_alloc = 0;
	record->gfp = BPF_CORE_READ(task, tgid);
	record->tid = BPF_CORE_READ(task, pid);
	record->cache = 0;
	record->node = 0;
	kmt_end(event, KMEMTRACE_EVENT_TASK);
}

/* task, clone_flags */
static __always_inline void kmt_record_task_new(void *ctx, struct kmt_event *event,
						const __u64 *args)
{
	const struct task_struct *task = (const struct task_struct *)args[0];

	(void)ctx;
	kmt_record_name(event, task, task->comm);
}
KMT_TRACEPOINT(task_new, task_newtask, KMT_BPF_TASK_NEW)

/* task, comm */
static __always_inline void kmt_record_task_rename(void *ctx, struct kmt_event *event,
						   const __u64 *args)
{
	(void)ctx;
	kmt_record_name(event, (const struct task_struct *)args[0], (const char *)args[1]);
}
KMT_TRACEPOINT(task_rename, task_rename, KMT_BPF_TASK_RENAME)

/* ---- modules ---- */

SEC("raw_tp/module_load")
int kmt_module_load(struct bpf_raw_tracepoint_args *ctx)
{
	kmt_note_module((const struct module *)ctx->args[0], false);
	return 0;
}

SEC("raw_tp/module_free")
int kmt_module_free(struct bpf_raw_tracepoint_args *ctx)
{
	kmt_note_module((const struct module *)ctx->args[0], true);
	return 0;
}

/* ---- functions ---- */

/* The objects of a bulk call, which is one event of each. */
struct kmt_bulk {
	struct kmt_event *event;
	const __u64 *ptrs;
	const struct kmem_cache *cache; /* 0: objects of any */
	__u32 gfp;
	__u32 size;
	__u16 cache_id;
};

static __always_inline __u64 kmt_bulk_ptr(const struct kmt_bulk *bulk, __u32 i)
{
	__u64 ptr = 0;

	bpf_probe_read_kernel(&ptr, sizeof(ptr), bulk->ptrs + i);
	return ptr;
}

static long kmt_free_one(__u32 i, struct kmt_bulk *bulk)
{
	__u64 ptr = kmt_bulk_ptr(bulk, i);

	if (kmt_is_no_object(ptr) || !kmt_begin_known(bulk->event))
		return 0;
	kmt_fill_freed(bulk->event->slot.record, ptr, bulk->cache_id);
	kmt_end(bulk->event, bulk->cache ? KMEMTRACE_EVENT_CACHE_FREE : KMEMTRACE_EVENT_KFREE);
	return 0;
}

/* Whether kmem_cache_alloc_bulk() frees what it got when it can't get all: that has no events. */
static __always_inline bool kmt_gives_back(const struct kmt_event *event)
{
	const volatile struct kmt_bpf_range *range = &config.own[KMT_BPF_ALLOC_BULK][0];

	return event->call_site >= range->from && event->call_site < range->to;
}

/* The argument @n of the function; for those of types that a program can't have as they are. */
static __always_inline __u64 kmt_arg(void *ctx, __u32 n)
{
	__u64 value = 0;

	bpf_get_func_arg(ctx, n, &value);
	return value;
}

/* cache, count, ptrs */
SEC("fentry/kmem_cache_free_bulk")
int kmt_free_bulk(void *ctx)
{
	struct kmt_event event;
	struct kmt_bulk bulk = {
		.event = &event,
		.cache = (const struct kmem_cache *)kmt_arg(ctx, 0),
		.ptrs = (const __u64 *)kmt_arg(ctx, 2),
	};

	if (!kmt_enter(&event, ctx, KMT_BPF_FREE_BULK, 0, 0))
		return 0;
	kmt_find_origin(ctx, &event, 0);
	if (bulk.cache)
		bulk.cache_id = kmt_cache(event.ring, bulk.cache, &bulk.size);
	if (!kmt_gives_back(&event))
		bpf_loop(kmt_arg(ctx, 1), kmt_free_one, &bulk, 0);
	return kmt_leave(&event, 0);
}

static long kmt_alloc_one(__u32 i, struct kmt_bulk *bulk)
{
	__u64 ptr = kmt_bulk_ptr(bulk, i);

	if (!kmt_begin_known(bulk->event))
		return 0;
	kmt_fill_object(bulk->event->slot.record, ptr, bulk->size, bulk->size, bulk->gfp, -1,
			bulk->cache_id);
	kmt_end(bulk->event, KMEMTRACE_EVENT_CACHE_ALLOC);
	return 0;
}

/* cache, gfp, count, ptrs; returns how many it has allocated */
SEC("fexit/kmem_cache_alloc_bulk")
int kmt_alloc_bulk(void *ctx)
{
	struct kmt_event event;
	struct kmt_bulk bulk = {
		.event = &event,
		.cache = (const struct kmem_cache *)kmt_arg(ctx, 0),
		.gfp = kmt_arg(ctx, 1),
		.ptrs = (const __u64 *)kmt_arg(ctx, 3),
	};
	__u64 count = 0;

	bpf_get_func_ret(ctx, &count);
	if ((int)count <= 0 || !kmt_enter(&event, ctx, KMT_BPF_ALLOC_BULK, 0, 0))
		return 0;
	bulk.cache_id = kmt_cache(event.ring, bulk.cache, &bulk.size);
	if (bulk.size >= config.min_size) {
		kmt_find_origin(ctx, &event, 0);
		bpf_loop((__u32)count, kmt_alloc_one, &bulk, 0);
	}
	return kmt_leave(&event, 0);
}

/* rcu_head, object; up to 6.2 the offset of the rcu_head, or without one the object */
SEC("fentry/kvfree_call_rcu")
int kmt_kfree_rcu(void *ctx)
{
	__u64 head = kmt_arg(ctx, 0), second = kmt_arg(ctx, 1);
	__u64 ptr = config.rcu_offset && head ? head - second : second;
	bool in_slab = ptr - state.linear_base < state.linear_bytes;
	struct kmt_event event;

	if (!(in_slab ? config.slab : config.vmalloc) ||
	    !kmt_enter(&event, ctx, KMT_BPF_KFREE_RCU, 0, 0))
		return 0;
	if (kmt_begin(ctx, &event, 0)) {
		kmt_fill_freed(event.slot.record, ptr, KMEMTRACE_CACHE_NONE);
		kmt_end(&event, KMEMTRACE_EVENT_KFREE_RCU);
	}
	return kmt_leave(&event, 0);
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Each program writes a record for an event of its tracepoint or function into the ring of its CPU.
 * Nothing here allocates, sleeps or takes a lock.
 *
 * If an event interrupts a program, the kernel does not run that program for the event, but counts
 * a miss. So each tracepoint and function has two programs: the second records the events that the
 * first misses. Where threads may be preempted at tracepoints, there is a third one: see
 * preemption.h.
 */
#include <linux/types.h>

#include "caches.h"
#include "calls.h"
#include "filter.h"
#include "kernel_types.h"
#include "learn.h"
#include "mark.h"
#include "modules.h"
#include "objects.h"
#include "preemption.h"
#include "ring.h"
#include "stack_offer.h"
#include "stack_tree.h"
#include "stacks.h"
#include "user_stack.h"
#include "words.h"

#include <bpf/bpf_tracing.h>

#ifndef KMT_CONTEXT_BY_STACK
#include "notes.h" /* the loader recognizes programs that have notes by their map */
#endif

char LICENSE[] SEC("license") = "GPL";

const volatile struct kmt_bpf_config config = {
	.subbufs = 2,
	.records = 1,
	.record_bytes = sizeof(struct kmemtrace_record),
	.stack_depth = 1,
	.stack_slots = 1,
	.node_slots = 1,
	.verify = 1,
};

struct kmt_bpf_state state;

/* ---- the context ---- */

/*
 * If an extern isn't in the kernel's BTF, libbpf searches the BTF of all modules, which needs more
 * privileges than BPF alone. So the programs are built once for each place where a kernel may keep
 * the preemption count.
 */
#ifndef KMT_CONTEXT_BY_STACK

#define KMT_PREEMPT_OFF     0xff
#define KMT_PREEMPT_SOFTIRQ 0x100 /* a softirq is being served */
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

/*
 * Returns whether this is a thread that may be preempted here; true for any thread if the kernel
 * does not count that.
 */
static __always_inline bool kmt_is_preemptible(void)
{
	return !(kmt_preempt_count() &
		 (KMT_PREEMPT_OFF | KMT_PREEMPT_NMI | KMT_PREEMPT_HARDIRQ | KMT_PREEMPT_SOFTIRQ));
}

static __always_inline __u32 kmt_context(__u64 here)
{
	int preempt = kmt_preempt_count();

	(void)here;
	if (!(preempt & (KMT_PREEMPT_NMI | KMT_PREEMPT_HARDIRQ | KMT_PREEMPT_SOFTIRQ)))
		return KMEMTRACE_CONTEXT_TASK;
	if (preempt & KMT_PREEMPT_NMI)
		return KMT_CONTEXT_NMI;
	if (preempt & KMT_PREEMPT_HARDIRQ)
		return KMEMTRACE_CONTEXT_HARDIRQ;
	return KMEMTRACE_CONTEXT_SOFTIRQ;
}

#else

/* For kernels whose variables have no known addresses. */
static __always_inline bool kmt_is_preemptible(void)
{
	return true;
}

/*
 * Hardirqs, and the softirqs that run after them, have stacks of their own. Which of the two it is
 * can't be known. Work of ksoftirqd counts as that of a thread.
 */
static __always_inline __u32 kmt_context(__u64 here)
{
	const struct task_struct *task = (const struct task_struct *)bpf_get_current_task();
	__u64 stack = kmt_word((__u64)&task->stack);

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
	bool preemptible;
	__u64 here; /* address of the program's context */
	__u32 stack_id;
	__u32 user_stack_id;
	__u64 call_site;
	struct kmt_slot slot;
};

static __always_inline bool kmt_find_ring(struct kmt_event *event, __u32 program)
{
	event->program = program;
	event->user_stack_id = KMEMTRACE_STACK_NONE;
	event->cpu = bpf_get_smp_processor_id();
	event->ring = bpf_map_lookup_elem(&rings, &event->cpu);
	return event->ring;
}

/* Returns whether the event can be recorded. If not, counts it as lost. */
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

#ifndef KMT_CONTEXT_BY_STACK

static __always_inline void kmt_note_run(const struct kmt_event *event, __u64 key, __u32 turn)
{
	if (turn != KMT_TURN_LAST)
		kmt_note(&event->ring->last[event->context % KMT_BPF_CONTEXTS],
			 event->preemptible ? kmt_noted(event->here) : NULL, key, turn);
}

/* Returns whether an earlier program ran for the event. No other event has the same @key then. */
static __always_inline bool kmt_was_run_before(const struct kmt_event *event, __u64 key, __u32 turn)
{
	return kmt_take_note(event->ring->last, event->preemptible ? kmt_noted(event->here) : NULL,
			     key, turn);
}

#else

/*
 * Contexts can't be told apart here, so the test is whether the first program is running. The
 * second one misses events that come just as the first begins or ends.
 */
static __always_inline void kmt_note_run(const struct kmt_event *event, __u64 key, __u32 turn)
{
	(void)event;
	(void)key;
	(void)turn;
}

static __always_inline bool kmt_was_run_before(const struct kmt_event *event, __u64 key, __u32 turn)
{
	(void)key;
	(void)turn;
	return !event->ring->busy[event->program % KMT_BPF_PROGRAMS_MAX];
}

#endif

/* Counts an event that the first program missed, so that it does not count as lost. */
static __always_inline void kmt_count_taken(const struct kmt_event *event)
{
	__sync_fetch_and_add(&event->ring->taken[event->program % KMT_BPF_PROGRAMS_MAX], 1);
}

static __always_inline void kmt_change_busy(const struct kmt_event *event, __s32 by)
{
	__u32 *busy = &event->ring->busy[event->program % KMT_BPF_PROGRAMS_MAX];

	if (event->preemptible)
		__sync_fetch_and_add(busy, by);
	else
		*busy += by;
}

static __always_inline int kmt_leave(const struct kmt_event *event, __u32 turn)
{
	if (!turn)
		kmt_change_busy(event, -1);
	kmt_enable_preemption();
	return 0;
}

static __always_inline bool kmt_is_of_name(__u32 program)
{
	return program == KMT_BPF_TASK_NEW || program == KMT_BPF_TASK_RENAME;
}

/*
 * As kmt_enter(), with preemption off. While nothing is recorded, events that the first program
 * misses don't count as lost.
 */
static __always_inline bool kmt_is_for(struct kmt_event *event, const void *ctx, __u32 program,
				       __u64 key, __u32 turn)
{
	bool enabled = state.enabled ||
		       (kmt_is_of_name(program) && (state.names_early || state.maps_late));

	if (!kmt_find_ring(event, program))
		return false;
	if (!turn && enabled) /* as soon as possible, see kmt_was_run_before() */
		kmt_change_busy(event, 1);
	event->here = kmt_here(ctx, event->ring, program, turn);
	if (turn && kmt_was_run_before(event, key + event->here, turn)) /* the usual case */
		return false;
	event->context = kmt_context(event->here);
	kmt_note_run(event, key + event->here, turn);
	if (!enabled || kmt_can_record(event)) {
		if (turn)
			kmt_count_taken(event);
		return enabled;
	}
	if (!turn)
		kmt_change_busy(event, -1);
	return false;
}

/*
 * Returns whether this program, whose turn is @turn (from 0), must record the event. If so,
 * kmt_leave() must follow. @may_preempt: whether threads may be preempted where programs are
 * called.
 */
static __always_inline bool kmt_enter(struct kmt_event *event, const void *ctx, __u32 program,
				      __u64 key, __u32 turn, bool may_preempt)
{
	event->preemptible = may_preempt && kmt_is_preemptible();
	kmt_disable_preemption();
	if (kmt_is_for(event, ctx, program, key, turn))
		return true;
	kmt_enable_preemption();
	return false;
}

/* Compares the recognized stack with the unwound one: they must be the same. */
static __always_inline void kmt_compare(const struct kmt_event *event,
					const struct kmt_origin *known)
{
	if (!event->stack_id && config.stack_depth) /* there was no room for it */
		return;
	__sync_fetch_and_add(&state.compared, 1);
	if (event->stack_id != known->stack_id || event->call_site != known->call_site)
		__sync_fetch_and_add(&state.differed, 1);
}

struct kmt_unwinding {
	__u64 here;
	__u64 call_site; /* in: passed by the tracepoint, or 0; out: of the event */
	__u32 cpu;
	__u32 program;
	__u32 in_irq;
	__u32 is_known; /* the stack is in the tree, or can't be */
	__u32 stack_id; /* out */
	__u32 reserved;
};

/* Unwinds the stack of an event, and offers it to the loader for the tree unless it is known. */
static __always_inline void kmt_unwind_event(void *ctx, struct kmt_bpf_ring *ring,
					     struct kmt_unwinding *event)
{
	struct kmt_unwound stack = {
		.program = event->program,
		.given = event->call_site,
		.in_irq = event->in_irq,
	};
	__u32 place;

	event->stack_id = KMEMTRACE_STACK_NONE;
	if (kmt_unwind_begin(ctx, ring, event->cpu, &stack, &place)) {
		event->stack_id = stack.id;
		if (!event->call_site)
			event->call_site = kmt_frame(stack.frames, stack.key.first);
		if (!event->is_known && kmt_tree_is_valid() && (stack.id || !config.stack_depth))
			kmt_offer(event->here, &stack, kmt_root(stack.program, stack.in_irq),
				  event->call_site);
	}
	kmt_unwind_end(ring, place);
}

/*
 * The same for programs of tracepoints. The verifier checks a global function once, not again for
 * each of its callers.
 */
__noinline int kmt_unwind_at_tracepoint(struct bpf_raw_tracepoint_args *ctx,
					struct kmt_unwinding *event)
{
	struct kmt_bpf_ring *ring;
	__u32 cpu;

	if (!event)
		return 0;
	cpu = event->cpu;
	ring = bpf_map_lookup_elem(&rings, &cpu);
	if (ring)
		kmt_unwind_event(ctx, ring, event);
	return 0;
}

static __always_inline struct kmt_unwinding kmt_unwinding_of(const struct kmt_event *event,
							     __u64 call_site, bool is_known)
{
	return (struct kmt_unwinding){
		.here = event->here,
		.call_site = call_site,
		.cpu = event->cpu,
		.program = event->program,
		.in_irq = event->context != KMEMTRACE_CONTEXT_TASK,
		.is_known = is_known,
	};
}

static __always_inline void kmt_take_origin(struct kmt_event *event,
					    const struct kmt_unwinding *found)
{
	event->stack_id = found->stack_id;
	event->call_site = found->call_site;
}

/*
 * Finds the stack and the call site of a traced function's call. The code that calls the program is
 * not in the kernel's unwind tables, so the tree has no such stacks.
 */
static __always_inline void kmt_find_origin_of_call(void *ctx, struct kmt_event *event)
{
	struct kmt_unwinding found = kmt_unwinding_of(event, 0, true);

	kmt_unwind_event(ctx, event->ring, &found);
	kmt_take_origin(event, &found);
}

/* Finds the stack and the call site of an event. @call_site: 0: the tracepoint did not pass it. */
static __always_inline void kmt_find_origin(void *ctx, struct kmt_event *event, __u64 call_site)
{
	bool in_irq = event->context != KMEMTRACE_CONTEXT_TASK, is_known = false;
	struct kmt_origin known = { 0 };

	if (!config.stack_depth && call_site) {
		event->stack_id = KMEMTRACE_STACK_NONE;
		event->call_site = call_site;
		return;
	}
	if (kmt_tree_is_valid())
		is_known = kmt_recognize(event->here, kmt_root(event->program, in_irq), call_site,
					 &known);
	if (is_known) {
		event->stack_id = known.stack_id;
		event->call_site = known.call_site;
		__sync_fetch_and_add(&event->ring->recalled, 1);
	}
	if (!is_known || config.verify) {
		struct kmt_unwinding found = kmt_unwinding_of(event, call_site, is_known);

		kmt_unwind_at_tracepoint(ctx, &found);
		kmt_take_origin(event, &found);
	}
	if (is_known && config.verify)
		kmt_compare(event, &known);
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

/* Finds the user stack of an allocation. */
static __always_inline void kmt_find_user_stack(struct kmt_event *event)
{
	if (config.user_stacks && event->context == KMEMTRACE_CONTEXT_TASK)
		event->user_stack_id = kmt_user_stack(event->cpu);
}

static __always_inline bool kmt_begin_alloc(void *ctx, struct kmt_event *event, __u64 call_site)
{
	kmt_find_user_stack(event);
	return kmt_begin(ctx, event, call_site);
}

/* As kmt_begin(), for a function. */
static __always_inline bool kmt_begin_call(void *ctx, struct kmt_event *event)
{
	kmt_find_origin_of_call(ctx, event);
	return kmt_begin_known(event);
}

static __always_inline void kmt_end(const struct kmt_event *event, enum kmemtrace_event type)
{
	if (config.user_stacks) {
		struct kmemtrace_record_user *whole = kmt_user_record(&event->slot);

		whole->tgid = bpf_get_current_pid_tgid() >> 32;
		whole->user_stack_id = event->user_stack_id;
	}
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

/* The key of the event for the programs of a tracepoint; kmt_is_for() adds the address of @ctx. */
static __always_inline __u64 kmt_event_key(const struct bpf_raw_tracepoint_args *ctx, __u32 program)
{
	return (ctx->args[0] ^ ctx->args[1]) + program + 1;
}

/*
 * Defines the programs @name and @name_2 of a tracepoint, which call kmt_record_@name() with its
 * arguments.
 */
#define KMT_PROGRAM(name, function, tracepoint, program, turn)                                     \
	SEC("raw_tp/" #tracepoint)                                                                 \
	int function(struct bpf_raw_tracepoint_args *ctx)                                          \
	{                                                                                          \
		struct kmt_event event;                                                            \
                                                                                                   \
		if (!kmt_enter(&event, ctx, program, kmt_event_key(ctx, program), turn,            \
			       KMT_AT_TRACEPOINT))                                                 \
			return 0;                                                                  \
		kmt_record_##name(ctx, &event, ctx->args);                                         \
		return kmt_leave(&event, turn);                                                    \
	}

#ifdef KMT_PREEMPTIBLE
#define KMT_TRACEPOINT(name, tracepoint, program)                                                  \
	KMT_PROGRAM(name, kmt_##name, tracepoint, program, 0)                                      \
	KMT_PROGRAM(name, kmt_##name##_2, tracepoint, program, 1)                                  \
	KMT_PROGRAM(name, kmt_##name##_3, tracepoint, program, KMT_TURN_LAST)
#else
#define KMT_TRACEPOINT(name, tracepoint, program)                                                  \
	KMT_PROGRAM(name, kmt_##name, tracepoint, program, 0)                                      \
	KMT_PROGRAM(name, kmt_##name##_2, tracepoint, program, KMT_TURN_LAST)
#endif

/* ---- slab objects ---- */

/*
 * Returns whether another event of the same kmalloc() follows, with the caller's call site. Some
 * kernels report large allocations also in the function that allocates the pages.
 */
__noinline int kmt_is_nested(__u64 call_site)
{
	__u32 i;

	for (i = 0; i < KMT_BPF_NESTED; i++) {
		if (call_site >= config.nested[i].from && call_site < config.nested[i].to)
			return 1;
	}
	return 0;
}

/* call_site, ptr, bytes_req, bytes_alloc, gfp, node */
static __always_inline void kmt_record_kmalloc(void *ctx, struct kmt_event *event,
					       const __u64 *args)
{
	const struct kmem_cache *cache;
	__u16 id = KMEMTRACE_CACHE_NONE;
	__u32 size;

	/* Large allocations are whole pages. */
	if (!(args[3] & ((1ULL << config.page_shift) - 1)) && kmt_is_nested(args[0]))
		return;
	cache = kmt_kmalloc_cache(args[1], args[2]);
	if (!kmt_filter_alloc(event->ring, event->context, KMT_FILTER_SLAB, args[1], args[2],
			      cache))
		return;
	if (cache)
		id = kmt_cache(event->ring, cache, &size);
	if (!kmt_begin_alloc(ctx, event, args[0]))
		return;
	kmt_fill_object(event->slot.record, args[1], args[2], args[3], args[4], (int)args[5], id);
	kmt_end(event, KMEMTRACE_EVENT_KMALLOC);
}
KMT_TRACEPOINT(kmalloc, kmalloc, KMT_BPF_KMALLOC)

/* call_site, ptr, cache, gfp, node */
static __always_inline void kmt_record_cache_alloc(void *ctx, struct kmt_event *event,
						   const __u64 *args)
{
	const struct kmem_cache *cache = (const struct kmem_cache *)args[2];
	__u32 size = 0;
	__u16 id;

	if (!kmt_filter_alloc(event->ring, event->context, KMT_FILTER_SLAB, args[1], 0, cache))
		return;
	id = kmt_cache(event->ring, cache, &size);
	if (!kmt_begin_alloc(ctx, event, args[0]))
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
	if (!kmt_filter_free(event->ring, KMT_FILTER_SLAB, args[1], 1) ||
	    !kmt_begin(ctx, event, args[0]))
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
	__u32 size, flags;
	__u16 id = kmt_cache_find(event->ring, (const struct kmem_cache *)args[2], &size, &flags);

	if (flags & KMT_BPF_CACHE_OF_CACHES)
		kmt_cache_forget(ptr);
	if (!kmt_filter_free(event->ring, KMT_FILTER_SLAB, ptr, 1) ||
	    !kmt_begin(ctx, event, args[0]))
		return;
	kmt_fill_freed(event->slot.record, ptr, id);
	kmt_end(event, KMEMTRACE_EVENT_CACHE_FREE);
}
KMT_TRACEPOINT(cache_free, kmem_cache_free, KMT_BPF_CACHE_FREE)

/* ---- pages ---- */

static __always_inline int kmt_page_node(__u64 page)
{
	/* The flags are the first word, whatever their type is. */
	if (config.node_shift < KMT_BPF_ONE_NODE)
		return kmt_word(page) >> config.node_shift;
	return config.node_shift == KMT_BPF_ONE_NODE ? 0 : -1;
}

/* @page: 0: no pages. */
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

#include "blocks.h"

/* page, order, gfp, migratetype */
static __always_inline void kmt_record_page_alloc(void *ctx, struct kmt_event *event,
						  const __u64 *args)
{
	__u32 bytes = kmt_block_bytes(args[1]);

	kmt_call_note_page(event->context, event->cpu, args[0]);
	if (!kmt_filter_pages_alloc(event->ring, event->context, args[0], args[1]) ||
	    !kmt_begin_alloc(ctx, event, 0))
		return;
	kmt_fill_pages(event->slot.record, args[0], args[1], bytes, bytes, args[2], args[3]);
	kmt_end(event, KMEMTRACE_EVENT_PAGE_ALLOC);
}
KMT_TRACEPOINT(page_alloc, mm_page_alloc, KMT_BPF_PAGE_ALLOC)

/* Records the free of a gigantic page as its allocation was, block by block. */
static __always_inline void kmt_record_blocks_free(void *ctx, struct kmt_event *event,
						   const __u64 *args)
{
	struct kmt_page_range range = { .pfn = kmt_pfn(args[0]) };

	kmt_find_origin(ctx, event, 0);
	range.end = range.pfn + (1ULL << (args[1] & 31));
	range.block = kmt_block_of(event, KMEMTRACE_EVENT_PAGE_FREE, 0);
	kmt_record_range(&range);
}

/* page, order */
static __always_inline void kmt_record_page_free(void *ctx, struct kmt_event *event,
						 const __u64 *args)
{
	__u32 bytes = kmt_block_bytes(args[1]);

	if (config.filters && args[1] > KMT_BLOCK_ORDER) {
		kmt_record_blocks_free(ctx, event, args);
		return;
	}
	if (!kmt_filter_pages_free(event->ring, args[0], args[1]) || !kmt_begin(ctx, event, 0))
		return;
	kmt_fill_pages(event->slot.record, args[0], args[1], bytes, bytes, 0, KMT_NO_TYPE);
	kmt_end(event, KMEMTRACE_EVENT_PAGE_FREE);
}
KMT_TRACEPOINT(page_free, mm_page_free, KMT_BPF_PAGE_FREE)

/* ---- per-CPU memory ---- */

/* call_site, reserved, is_atomic, size, align, base, offset, ptr, bytes_alloc, gfp */
static __always_inline void kmt_record_percpu_alloc(void *ctx, struct kmt_event *event,
						    const __u64 *args)
{
	if (!kmt_filter_alloc(event->ring, event->context, KMT_FILTER_PERCPU, args[7], args[3],
			      0) ||
	    !kmt_begin_alloc(ctx, event, args[0]))
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
	if (!kmt_filter_alloc(event->ring, event->context, KMT_FILTER_PERCPU, 0, args[2], 0) ||
	    !kmt_begin_alloc(ctx, event, 0))
		return;
	kmt_fill_object(event->slot.record, 0, args[2], 0, 0, -1, KMEMTRACE_CACHE_NONE);
	kmt_end(event, KMEMTRACE_EVENT_PERCPU_ALLOC);
}
KMT_TRACEPOINT(percpu_fail, percpu_alloc_percpu_fail, KMT_BPF_PERCPU_FAIL)

/* base, offset, ptr */
static __always_inline void kmt_record_percpu_free(void *ctx, struct kmt_event *event,
						   const __u64 *args)
{
	if (!kmt_filter_free(event->ring, KMT_FILTER_PERCPU, args[2], 1) ||
	    !kmt_begin(ctx, event, 0))
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
	if (!kmt_filter_alloc(event->ring, event->context, KMT_FILTER_VMALLOC, args[0], args[1],
			      0) ||
	    !kmt_begin_alloc(ctx, event, 0))
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
	if (!kmt_filter_free(event->ring, KMT_FILTER_VMALLOC, args[0], 1) ||
	    !kmt_begin(ctx, event, 0))
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
	if (!kmt_filter_thread(event->ring, event->context) || !kmt_begin(ctx, event, 0))
		return;
	kmt_fill_pages(event->slot.record, args[0], args[1], args[2], args[4], 0, args[3]);
	kmt_end(event, KMEMTRACE_EVENT_EXTFRAG);
}
KMT_TRACEPOINT(extfrag, mm_page_alloc_extfrag, KMT_BPF_EXTFRAG)

/* order, gfp */
static __always_inline void kmt_record_compact(void *ctx, struct kmt_event *event,
					       const __u64 *args)
{
	if (!kmt_filter_thread(event->ring, event->context) || !kmt_begin(ctx, event, 0))
		return;
	kmt_fill_pages(event->slot.record, 0, args[0], 0, 0, args[1], 0xff);
	kmt_end(event, KMEMTRACE_EVENT_COMPACT);
}
KMT_TRACEPOINT(compact, mm_compaction_try_to_compact_pages, KMT_BPF_COMPACT)

/* page, order, migratetype, percpu_refill */
static __always_inline void kmt_record_zone_locked(void *ctx, struct kmt_event *event,
						   const __u64 *args)
{
	if (!kmt_filter_thread(event->ring, event->context) || !kmt_begin(ctx, event, 0))
		return;
	kmt_fill_pages(event->slot.record, args[0], args[1], args[3], 0, 0, args[2]);
	kmt_end(event, KMEMTRACE_EVENT_ZONE_LOCKED);
}
KMT_TRACEPOINT(zone_locked, mm_page_alloc_zone_locked, KMT_BPF_ZONE_LOCKED)

/* page, order, migratetype */
static __always_inline void kmt_record_pcpu_drain(void *ctx, struct kmt_event *event,
						  const __u64 *args)
{
	if (!kmt_filter_thread(event->ring, event->context) || !kmt_begin(ctx, event, 0))
		return;
	kmt_fill_pages(event->slot.record, args[0], args[1], 0, 0, 0, args[2]);
	kmt_end(event, KMEMTRACE_EVENT_PCPU_DRAIN);
}
KMT_TRACEPOINT(pcpu_drain, mm_page_pcpu_drain, KMT_BPF_PCPU_DRAIN)

/* ---- modules ---- */

SEC("raw_tp/module_load")
int kmt_module_load(struct bpf_raw_tracepoint_args *ctx)
{
	kmt_note_module((const struct module *)ctx->args[0], false);
	return 0;
}

/* func, ret */
SEC("raw_tp/initcall_finish")
int kmt_module_init(struct bpf_raw_tracepoint_args *ctx)
{
	kmt_note_init(ctx->args[0]);
	return 0;
}

SEC("raw_tp/module_free")
int kmt_module_free(struct bpf_raw_tracepoint_args *ctx)
{
	__sync_fetch_and_add(&state.unloads, 1); /* first of all: see kmt_tree_is_valid() */
	kmt_note_module((const struct module *)ctx->args[0], true);
	return 0;
}

/* ---- functions: they use the code above ---- */

#include "functions.h"
#include "maps.h"
#include "page_functions.h"

/* ---- threads ---- */

#define KMT_CLONE_VM     0x100
#define KMT_CLONE_THREAD 0x10000

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
	if (config.user_stacks && !(args[1] & KMT_CLONE_THREAD))
		kmt_record_fork(task, args[1] & KMT_CLONE_VM);
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

// SPDX-License-Identifier: GPL-2.0-only
/*
 * The programs: one for each tracepoint, which writes a record into the ring of its CPU.
 *
 * Nothing here allocates, sleeps or takes a lock. A program that is interrupted by an event of its
 * own tracepoint is not run for that one: the kernel counts it, and the loader reports it as lost.
 */
#include <linux/types.h>

#include "caches.h"
#include "kernel_types.h"
#include "learn.h"
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

#ifndef KMT_CONTEXT_BY_STACK

#define KMT_PREEMPT_SOFTIRQ 0x100    /* a softirq is served */
#define KMT_PREEMPT_HARDIRQ 0xff0000 /* or an NMI */

extern const int __preempt_count __ksym __weak;
extern const struct pcpu_hot pcpu_hot __ksym __weak;

static __always_inline int kmt_preempt_count(void)
{
	if (config.preempt_in_hot)
		return ((const struct pcpu_hot *)bpf_this_cpu_ptr(&pcpu_hot))->preempt_count;
	return *(const int *)bpf_this_cpu_ptr(&__preempt_count);
}

static __always_inline __u32 kmt_context(const void *ctx)
{
	int preempt = kmt_preempt_count();

	(void)ctx;
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
	__u32 context;
	__u32 stack_id;
	__u64 call_site;
	struct kmt_slot slot;
};

static __always_inline bool kmt_enter(struct kmt_event *event)
{
	event->cpu = bpf_get_smp_processor_id();
	event->ring = bpf_map_lookup_elem(&rings, &event->cpu);
	if (!event->ring)
		return false;
	if (event->cpu < config.cpus)
		return true;
	kmt_count_lost(event->ring, KMEMTRACE_LOSS_BUFFER_FULL);
	return false;
}

/* Looks up the stack, reserves the record and fills in the common fields. */
static __always_inline bool kmt_begin(void *ctx, struct kmt_event *event, __u32 program,
				      __u64 call_site)
{
	__u64 caller = 0;

	event->context = kmt_context(ctx);
	event->stack_id = KMEMTRACE_STACK_NONE;
	if (config.stack_depth || !call_site)
		event->stack_id = kmt_stack(ctx, event->ring, program, event->context, &caller);
	event->call_site = call_site ?: caller;
	if (!kmt_reserve(event->ring, event->cpu, KMEMTRACE_LOSS_BUFFER_FULL, &event->slot))
		return false;
	event->slot.record->time_ns = event->slot.time_ns;
	event->slot.record->call_site = event->call_site;
	event->slot.record->stack_id = event->stack_id;
	event->slot.record->tid = (__u32)bpf_get_current_pid_tgid();
	return true;
}

static __always_inline int kmt_end(const struct kmt_event *event, enum kmemtrace_event type)
{
	kmt_publish(&event->slot, event->context << KMEMTRACE_TYPE_CONTEXT_SHIFT | type);
	return 0;
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

/* Returns whether events of the address are in the sample: as a free has the same, it is, too. */
static __always_inline bool kmt_is_sampled(__u64 addr)
{
	return !config.sample_mask || !addr ||
	       !((addr * KMT_HASH_FACTOR >> 32) & config.sample_mask);
}

/* ---- slab objects ---- */

SEC("raw_tp/kmalloc")
int BPF_PROG(kmt_kmalloc, __u64 call_site, __u64 ptr, __u64 bytes_req, __u64 bytes_alloc, __u32 gfp,
	     int node)
{
	struct kmt_event event;

	if (bytes_req < config.min_size || !kmt_is_sampled(ptr) || !kmt_enter(&event) ||
	    !kmt_begin(ctx, &event, KMT_BPF_KMALLOC, call_site))
		return 0;
	kmt_fill_object(event.slot.record, ptr, bytes_req, bytes_alloc, gfp, node,
			KMEMTRACE_CACHE_NONE);
	return kmt_end(&event, KMEMTRACE_EVENT_KMALLOC);
}

SEC("raw_tp/kmem_cache_alloc")
int BPF_PROG(kmt_cache_alloc, __u64 call_site, __u64 ptr, const struct kmem_cache *cache, __u32 gfp,
	     int node)
{
	struct kmt_event event;
	__u32 size = 0;
	__u16 id;

	if (!kmt_is_sampled(ptr) || !kmt_enter(&event))
		return 0;
	id = kmt_cache(event.ring, cache, &size);
	if (size < config.min_size || !kmt_begin(ctx, &event, KMT_BPF_CACHE_ALLOC, call_site))
		return 0;
	kmt_fill_object(event.slot.record, ptr, size, size, gfp, node, id);
	return kmt_end(&event, KMEMTRACE_EVENT_CACHE_ALLOC);
}

SEC("raw_tp/kfree")
int BPF_PROG(kmt_kfree, __u64 call_site, __u64 ptr)
{
	struct kmt_event event;

	if (!kmt_is_sampled(ptr) || !kmt_enter(&event))
		return 0;
	if (ptr <= 16) { /* NULL or ZERO_SIZE_PTR */
		__sync_fetch_and_add(&event.ring->ignored, 1);
		return 0;
	}
	if (!kmt_begin(ctx, &event, KMT_BPF_KFREE, call_site))
		return 0;
	kmt_fill_object(event.slot.record, ptr, 0, 0, 0, -1, KMEMTRACE_CACHE_NONE);
	return kmt_end(&event, KMEMTRACE_EVENT_KFREE);
}

SEC("raw_tp/kmem_cache_free")
int BPF_PROG(kmt_cache_free, __u64 call_site, __u64 ptr, const struct kmem_cache *cache)
{
	struct kmt_event event;
	__u32 size;
	__u16 id;

	if (!kmt_is_sampled(ptr) || !kmt_enter(&event))
		return 0;
	id = kmt_cache(event.ring, cache, &size);
	if (!kmt_begin(ctx, &event, KMT_BPF_CACHE_FREE, call_site))
		return 0;
	kmt_fill_object(event.slot.record, ptr, 0, 0, 0, -1, id);
	return kmt_end(&event, KMEMTRACE_EVENT_CACHE_FREE);
}

/* ---- pages ---- */

static __always_inline __u64 kmt_pfn(const struct page *page)
{
	return ((__u64)page - state.vmemmap) / bpf_core_type_size(struct page);
}

static __always_inline int kmt_page_node(const struct page *page)
{
	if (config.node_shift < KMT_BPF_ONE_NODE)
		return BPF_CORE_READ(page, flags) >> config.node_shift;
	return config.node_shift == KMT_BPF_ONE_NODE ? 0 : -1;
}

static __always_inline void kmt_fill_pages(struct kmemtrace_record *record, const struct page *page,
					   __u32 order, __u32 bytes_req, __u32 bytes_alloc,
					   __u32 gfp, __u8 migratetype)
{
	record->addr = page ? kmt_pfn(page) : 0;
	record->bytes_req = bytes_req;
	record->bytes_alloc = bytes_alloc;
	record->gfp = gfp;
	record->page.order = order;
	record->page.migratetype = migratetype;
	record->node = page ? kmt_node(kmt_page_node(page)) : KMEMTRACE_NODE_ANY;
}

/* Page frames are sampled by their page, as blocks may be freed in parts: whole blocks are not. */
SEC("raw_tp/mm_page_alloc")
int BPF_PROG(kmt_page_alloc, const struct page *page, __u32 order, __u32 gfp, int migratetype)
{
	__u32 bytes = 1U << config.page_shift << (order & 31);
	struct kmt_event event;

	if (bytes < config.min_size || !kmt_enter(&event) ||
	    !kmt_begin(ctx, &event, KMT_BPF_PAGE_ALLOC, 0))
		return 0;
	kmt_fill_pages(event.slot.record, page, order, bytes, bytes, gfp, migratetype);
	return kmt_end(&event, KMEMTRACE_EVENT_PAGE_ALLOC);
}

SEC("raw_tp/mm_page_free")
int BPF_PROG(kmt_page_free, const struct page *page, __u32 order)
{
	__u32 bytes = 1U << config.page_shift << (order & 31);
	struct kmt_event event;

	if (!kmt_enter(&event) || !kmt_begin(ctx, &event, KMT_BPF_PAGE_FREE, 0))
		return 0;
	kmt_fill_pages(event.slot.record, page, order, bytes, bytes, 0, 0xff);
	return kmt_end(&event, KMEMTRACE_EVENT_PAGE_FREE);
}

/* ---- per-CPU memory ---- */

/* Ten arguments: more than the macro for programs has. */
SEC("raw_tp/percpu_alloc_percpu")
int kmt_percpu_alloc(const struct bpf_raw_tracepoint_args *ctx)
{
	struct kmt_event event;

	if (ctx->args[3] < config.min_size || !kmt_is_sampled(ctx->args[7]) || !kmt_enter(&event) ||
	    !kmt_begin((void *)ctx, &event, KMT_BPF_PERCPU_ALLOC, ctx->args[0]))
		return 0;
	kmt_fill_object(event.slot.record, ctx->args[7], ctx->args[3], ctx->args[8], ctx->args[9],
			-1, KMEMTRACE_CACHE_NONE);
	return kmt_end(&event, KMEMTRACE_EVENT_PERCPU_ALLOC);
}

SEC("raw_tp/percpu_alloc_percpu_fail")
int BPF_PROG(kmt_percpu_fail, __u32 reserved, __u32 atomic, __u64 size)
{
	struct kmt_event event;

	if (size < config.min_size || !kmt_enter(&event) ||
	    !kmt_begin(ctx, &event, KMT_BPF_PERCPU_FAIL, 0))
		return 0;
	kmt_fill_object(event.slot.record, 0, size, 0, 0, -1, KMEMTRACE_CACHE_NONE);
	return kmt_end(&event, KMEMTRACE_EVENT_PERCPU_ALLOC);
}

SEC("raw_tp/percpu_free_percpu")
int BPF_PROG(kmt_percpu_free, __u64 base, __u64 offset, __u64 ptr)
{
	struct kmt_event event;

	if (!kmt_is_sampled(ptr) || !kmt_enter(&event) ||
	    !kmt_begin(ctx, &event, KMT_BPF_PERCPU_FREE, 0))
		return 0;
	kmt_fill_object(event.slot.record, ptr, 0, 0, 0, -1, KMEMTRACE_CACHE_NONE);
	return kmt_end(&event, KMEMTRACE_EVENT_PERCPU_FREE);
}

/* ---- vmalloc space ---- */

SEC("raw_tp/alloc_vmap_area")
int BPF_PROG(kmt_vmap_alloc, __u64 addr, __u64 size, __u64 align, __u64 start, __u64 end,
	     int failed)
{
	struct kmt_event event;

	if (size < config.min_size || !kmt_is_sampled(failed ? 0 : addr) || !kmt_enter(&event) ||
	    !kmt_begin(ctx, &event, KMT_BPF_VMAP_ALLOC, 0))
		return 0;
	kmt_fill_object(event.slot.record, failed ? 0 : addr, size, size, 0, -1,
			KMEMTRACE_CACHE_NONE);
	return kmt_end(&event, KMEMTRACE_EVENT_VMAP_ALLOC);
}

SEC("raw_tp/free_vmap_area_noflush")
int BPF_PROG(kmt_vmap_free, __u64 addr)
{
	struct kmt_event event;

	if (!kmt_is_sampled(addr) || !kmt_enter(&event) ||
	    !kmt_begin(ctx, &event, KMT_BPF_VMAP_FREE, 0))
		return 0;
	kmt_fill_object(event.slot.record, addr, 0, 0, 0, -1, KMEMTRACE_CACHE_NONE);
	return kmt_end(&event, KMEMTRACE_EVENT_VMAP_FREE);
}

/* ---- fragmentation ---- */

SEC("raw_tp/mm_page_alloc_extfrag")
int BPF_PROG(kmt_extfrag, const struct page *page, int alloc_order, int fallback_order,
	     int alloc_migratetype, int fallback_migratetype)
{
	struct kmt_event event;

	if (!kmt_enter(&event) || !kmt_begin(ctx, &event, KMT_BPF_EXTFRAG, 0))
		return 0;
	kmt_fill_pages(event.slot.record, page, alloc_order, fallback_order, fallback_migratetype,
		       0, alloc_migratetype);
	return kmt_end(&event, KMEMTRACE_EVENT_EXTFRAG);
}

SEC("raw_tp/mm_compaction_try_to_compact_pages")
int BPF_PROG(kmt_compact, int order, __u32 gfp)
{
	struct kmt_event event;

	if (!kmt_enter(&event) || !kmt_begin(ctx, &event, KMT_BPF_COMPACT, 0))
		return 0;
	kmt_fill_pages(event.slot.record, NULL, order, 0, 0, gfp, 0xff);
	return kmt_end(&event, KMEMTRACE_EVENT_COMPACT);
}

SEC("raw_tp/mm_page_alloc_zone_locked")
int BPF_PROG(kmt_zone_locked, const struct page *page, __u32 order, int migratetype, int refill)
{
	struct kmt_event event;

	if (!kmt_enter(&event) || !kmt_begin(ctx, &event, KMT_BPF_ZONE_LOCKED, 0))
		return 0;
	kmt_fill_pages(event.slot.record, page, order, refill, 0, 0, migratetype);
	return kmt_end(&event, KMEMTRACE_EVENT_ZONE_LOCKED);
}

SEC("raw_tp/mm_page_pcpu_drain")
int BPF_PROG(kmt_pcpu_drain, const struct page *page, __u32 order, int migratetype)
{
	struct kmt_event event;

	if (!kmt_enter(&event) || !kmt_begin(ctx, &event, KMT_BPF_PCPU_DRAIN, 0))
		return 0;
	kmt_fill_pages(event.slot.record, page, order, 0, 0, 0, migratetype);
	return kmt_end(&event, KMEMTRACE_EVENT_PCPU_DRAIN);
}

/* ---- threads ---- */

static __always_inline int kmt_name(const struct task_struct *task, const char *comm)
{
	struct kmt_event event;
	struct kmemtrace_record *record;

	if (!kmt_enter(&event))
		return 0;
	event.context = KMEMTRACE_CONTEXT_TASK;
	if (!kmt_reserve(event.ring, event.cpu, KMEMTRACE_LOSS_NAME, &event.slot))
		return 0;
	record = event.slot.record;
	record->time_ns = event.slot.time_ns;
	__builtin_memset(record->comm, 0, sizeof(record->comm));
	bpf_probe_read_kernel_str(record->comm, sizeof(record->comm), comm);
	record->stack_id = 0;
	record->bytes_req = 0;
	record->bytes_alloc = 0;
	record->gfp = BPF_CORE_READ(task, tgid);
	record->tid = BPF_CORE_READ(task, pid);
	record->cache = 0;
	record->node = 0;
	return kmt_end(&event, KMEMTRACE_EVENT_TASK);
}

SEC("raw_tp/task_newtask")
int BPF_PROG(kmt_task_new, const struct task_struct *task)
{
	return kmt_name(task, task->comm);
}

SEC("raw_tp/task_rename")
int BPF_PROG(kmt_task_rename, const struct task_struct *task, const char *comm)
{
	return kmt_name(task, comm);
}

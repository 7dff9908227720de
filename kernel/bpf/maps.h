/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The events about the memory of processes: MAP, EXEC, FORK and DUP_MM. They are recorded only with
 * user stacks, at the functions that kernel/kmemtrace/maps.c traces. All programs are at function
 * entries, in the context of a thread that changes its own memory. Included by kmemtrace.bpf.c.
 *
 * If functions can't be traced, one tracepoint shows that a process executes a program, and another
 * that a process is created. Changes of mappings in between are not seen then.
 */
#ifndef KMEMTRACE_MAPS_H
#define KMEMTRACE_MAPS_H

#include "functions.h"
#include "mapped_files.h"

#define KMT_VM_EXEC   0x4
#define KMT_S_PRIVATE 0x200 /* a kernel-internal inode: memory that is shared without a file */

#define KMT_MM_SHIFT 9 /* two mm_structs are farther apart than that: see the module */

static __always_inline __u32 kmt_mm_id(__u64 mm)
{
	return mm ? (__u32)(mm >> KMT_MM_SHIFT) ?: 1 : 0;
}

static __always_inline __u64 kmt_current_mm(void)
{
	const struct task_struct *task = (const struct task_struct *)bpf_get_current_task();

	return (__u64)BPF_CORE_READ(task, mm);
}

static __always_inline bool kmt_space_is_on(void)
{
	return state.enabled || state.maps_late;
}

/* Writes the record @from, without context and stack, for the thread @tid of @tgid. */
static __always_inline void kmt_write_space(const struct kmemtrace_record *from,
					    enum kmemtrace_event type, __u32 tgid, __u32 tid,
					    __u64 mm)
{
	struct kmt_event event = { .context = KMEMTRACE_CONTEXT_TASK };
	struct kmemtrace_record *record;

	if (!kmt_space_is_on() || !kmt_find_ring(&event, 0) || !kmt_can_record(&event))
		return;
	kmt_disable_preemption();
	if (!kmt_reserve(event.ring, event.cpu, KMEMTRACE_LOSS_BUFFER_FULL, &event.slot)) {
		kmt_enable_preemption();
		return;
	}
	record = event.slot.record;
	record->time_ns = event.slot.time_ns;
	record->addr = from->addr;
	record->call_site = from->call_site;
	record->stack_id = KMEMTRACE_STACK_NONE;
	record->bytes_req = from->bytes_req;
	record->bytes_alloc = from->bytes_alloc;
	record->gfp = tgid;
	record->tid = tid;
	record->cache = 0;
	record->node = 0;
	kmt_user_record(&event.slot)->mm = kmt_mm_id(mm);
	kmt_user_record(&event.slot)->tgid = tgid;
	kmt_publish(&event.slot, KMEMTRACE_CONTEXT_TASK << KMEMTRACE_TYPE_CONTEXT_SHIFT | type);
	kmt_enable_preemption();
}

static __always_inline void kmt_write_own_space(const struct kmemtrace_record *from,
						enum kmemtrace_event type, __u64 mm)
{
	__u64 pid_tgid = bpf_get_current_pid_tgid();

	kmt_write_space(from, type, pid_tgid >> 32, (__u32)pid_tgid, mm);
}

static __always_inline void kmt_write_map(__u64 mm, __u64 start, __u64 len, __u64 offset,
					  __u32 file)
{
	const struct kmemtrace_record record = {
		.addr = start,
		.call_site = offset,
		/* The number of pages; the largest value: all from @start on. */
		.bytes_req = kmt_bytes(len >> config.page_shift),
		.bytes_alloc = file,
	};

	kmt_write_own_space(&record, KMEMTRACE_EVENT_MAP, mm);
}

/* ---- mmap_region(file, addr, len, …) ---- */

SEC("fentry/mmap_region")
int kmt_map_region(void *ctx)
{
	kmt_write_map(kmt_current_mm(), kmt_arg(ctx, 1), kmt_arg(ctx, 2), 0, 0);
	return 0;
}

/* ---- perf_event_mmap(vma): it is mapped, expanded, or gets another protection ---- */

static __always_inline bool kmt_is_code_of_file(const struct vm_area_struct *vma,
						const struct file *file)
{
	return file && BPF_CORE_READ(vma, vm_flags) & KMT_VM_EXEC &&
	       !(BPF_CORE_READ(file, f_inode, i_flags) & KMT_S_PRIVATE);
}

static __always_inline void kmt_record_code(const struct vm_area_struct *vma)
{
	const struct file *file = BPF_CORE_READ(vma, vm_file);
	__u64 start = BPF_CORE_READ(vma, vm_start);

	if (kmt_is_code_of_file(vma, file))
		kmt_write_map((__u64)BPF_CORE_READ(vma, vm_mm), start,
			      BPF_CORE_READ(vma, vm_end) - start,
			      BPF_CORE_READ(vma, vm_pgoff) << config.page_shift,
			      kmt_file_id((__u64)file));
}

SEC("fentry/perf_event_mmap")
int kmt_mapped(void *ctx)
{
	const struct vm_area_struct *vma = (const struct vm_area_struct *)kmt_arg(ctx, 0);

	if (kmt_space_is_on() && (__u64)BPF_CORE_READ(vma, vm_mm) == kmt_current_mm())
		kmt_record_code(vma);
	return 0;
}

/*
 * ---- unmap_vmas(tlb, …, vma, start, end, …), since 6.19 unmap_vmas(tlb, unmap): memory is
 * unmapped, by whatever system call ----
 */

static __always_inline void kmt_record_unmap(const struct vm_area_struct *first, __u64 start,
					     __u64 end)
{
	__u64 mm = kmt_current_mm();

	if ((__u64)BPF_CORE_READ(first, vm_mm) == mm)
		kmt_write_map(mm, start, end - start, 0, 0);
}

SEC("fentry/unmap_vmas")
int kmt_unmap(void *ctx)
{
	if (config.unmap_desc) {
		const struct unmap_desc *unmap = (const struct unmap_desc *)kmt_arg(ctx, 1);

		kmt_record_unmap(BPF_CORE_READ(unmap, first), BPF_CORE_READ(unmap, vma_start),
				 BPF_CORE_READ(unmap, vma_end));
	} else {
		kmt_record_unmap((const struct vm_area_struct *)kmt_arg(ctx, 2), kmt_arg(ctx, 3),
				 kmt_arg(ctx, 4));
	}
	return 0;
}

/* ---- setup_new_exec(bprm): the memory is new, and has only the arguments ---- */

SEC("fentry/setup_new_exec")
int kmt_exec(void *ctx)
{
	const struct kmemtrace_record record = { 0 };

	(void)ctx;
	kmt_write_own_space(&record, KMEMTRACE_EVENT_EXEC, kmt_current_mm());
	return 0;
}

/* ---- uprobe_dup_mmap(oldmm, newmm): fork() is about to copy the mappings ---- */

static __always_inline volatile __u64 *kmt_copy_place(__u64 mm)
{
	return &state.copies[(mm * KMT_HASH_FACTOR >> 32) % KMT_BPF_COPIES];
}

/* Returns the entry for the copy @mm of memory with the mappings of @from. */
static __always_inline __u64 kmt_copy_of(__u64 mm, __u64 from)
{
	const struct mm_struct *original = (const struct mm_struct *)from;

	return (__u64)kmt_mm_id(mm) << 32 | (__u32)BPF_CORE_READ(original, map_count);
}

SEC("fentry/uprobe_dup_mmap")
int kmt_dup_mm(void *ctx)
{
	__u64 from = kmt_arg(ctx, 0), to = kmt_arg(ctx, 1);
	const struct kmemtrace_record record = { .bytes_alloc = kmt_mm_id(from) };

	*kmt_copy_place(to) = kmt_copy_of(to, from);
	kmt_write_own_space(&record, KMEMTRACE_EVENT_DUP_MM, to);
	return 0;
}

/*
 * Returns whether all mappings were copied. One with MADV_DONTFORK is not. Its addresses may have
 * been code before, and mremap() may move other memory there later, without an event. If another
 * fork has reused the entry meanwhile, the result is false.
 */
static __always_inline bool kmt_copy_is_whole(__u64 mm)
{
	return *kmt_copy_place(mm) == kmt_copy_of(mm, mm);
}

/* If functions aren't traced, the original may have changed before this. */
static __always_inline void kmt_record_late_copy(__u64 mm)
{
	__u64 from = kmt_current_mm();
	const struct kmemtrace_record record = {
		.bytes_alloc = kmt_copy_of(mm, from) == kmt_copy_of(mm, mm) ? kmt_mm_id(from) : 0,
	};

	kmt_write_own_space(&record, KMEMTRACE_EVENT_DUP_MM, mm);
}

/* The current process has created the process @task. @shared: they share their memory. */
static __always_inline void kmt_record_fork(const struct task_struct *task, bool shared)
{
	const struct kmemtrace_record unknown = { 0 }, record = {
		.bytes_req = bpf_get_current_pid_tgid() >> 32,
		.bytes_alloc = shared,
	};
	__u64 mm = (__u64)BPF_CORE_READ(task, mm);

	if (mm && !shared && !config.user_maps)
		kmt_record_late_copy(mm);
	else if (mm && !shared && !kmt_copy_is_whole(mm))
		kmt_write_own_space(&unknown, KMEMTRACE_EVENT_DUP_MM, mm);
	kmt_write_space(&record, KMEMTRACE_EVENT_FORK, BPF_CORE_READ(task, tgid),
			BPF_CORE_READ(task, pid), mm);
}

/* ---- delayed_free_vfsmnt(head): frees the mount that contains the head ---- */

SEC("fentry/delayed_free_vfsmnt")
int kmt_free_mount(void *ctx)
{
	kmt_files_forget_mount(kmt_arg(ctx, 0) - bpf_core_field_offset(struct mount, mnt_rcu) +
			       bpf_core_field_offset(struct mount, mnt));
	return 0;
}

/* ---- free_user_ns(work): frees a user namespace, and perhaps its ancestors ---- */

SEC("fentry/free_user_ns")
int kmt_free_users(void *ctx)
{
	kmt_files_forget_user(kmt_arg(ctx, 0) - bpf_core_field_offset(struct user_namespace, work));
	return 0;
}

/* ---- if functions can't be traced ---- */

static long kmt_found_code(struct task_struct *task, struct vm_area_struct *vma, void *unused)
{
	kmt_record_code(vma);
	return 0;
}

/* A program starts: its own code is mapped, and that of its dynamic loader, where it starts. */
SEC("raw_tp/sched_process_exec")
int kmt_executed(struct bpf_raw_tracepoint_args *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	const struct pt_regs *regs = (const struct pt_regs *)bpf_task_pt_regs(task);
	const struct kmemtrace_record record = { 0 };
	__u64 code = task->mm->start_code, ip = regs->ip;

	kmt_write_own_space(&record, KMEMTRACE_EVENT_EXEC, kmt_current_mm());
	bpf_find_vma(task, code, kmt_found_code, 0, 0);
	if (ip - code >= task->mm->end_code - code)
		bpf_find_vma(task, ip, kmt_found_code, 0, 0);
	return 0;
}

/* ---- run only by the loader ---- */

/* Records that changes while tracing was off were not seen. */
SEC("raw_tp")
int kmt_end_pause(void)
{
	const struct kmemtrace_record record = { 0 };

	kmt_write_space(&record, KMEMTRACE_EVENT_EXEC, 0, (__u32)bpf_get_current_pid_tgid(), 0);
	return 0;
}

/* Lists the address spaces that the processes have now. */
SEC("iter/task")
int kmt_list_mms(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	struct kmt_bpf_mm entry;

	if (!task || BPF_CORE_READ(task, flags) & KMT_PF_KTHREAD)
		return 0;
	entry.tgid = BPF_CORE_READ(task, tgid);
	entry.mm = kmt_mm_id((__u64)BPF_CORE_READ(task, mm));
	if (entry.mm)
		bpf_seq_write(ctx->meta->seq, &entry, sizeof(entry));
	return 0;
}

#endif /* KMEMTRACE_MAPS_H */

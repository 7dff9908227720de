// SPDX-License-Identifier: GPL-2.0-only
/*
 * Records the events about the memory of processes: MAP, EXEC, FORK and DUP_MM.
 *
 * Only code is recorded: executable mappings of files. Any other mapping, and any unmapping, is a
 * MAP without a file.
 *
 * Functions are probed only at their entry, by ftrace, which misses no call however many are in
 * progress. The handlers of mappings run in the context of a thread that changes its own memory,
 * with preemption off. With PREEMPT_RT a spinlock sleeps, so they take none, and call nothing that
 * does.
 */
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/mount.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/seq_file.h>
#include <linux/string.h>
#include <linux/user_namespace.h>

#include "attach.h"
#include "compat.h"
#include "event.h"
#include "kmemtrace.h"
#include "mapped_files.h"
#include "maps.h"
#include "missed_calls.h"
#include "sources.h"

#if KMT_HAS_USER_STACKS

static bool kmt_maps_paused; /* the buffers have events from before tracing was disabled */

/* ---- records ---- */

/*
 * Identifies the memory of a process while it exists. Two structs are never within 512 bytes. The
 * bits above the 32 that are kept are equal unless the machine has more than 2 TiB of memory. 0:
 * there is none.
 */
static u32 kmt_mm_id(const struct mm_struct *mm)
{
	static_assert(sizeof(*mm) >= 1 << 9);
	return mm ? (u32)((unsigned long)mm >> 9) ?: 1 : 0;
}

static void kmt_maps_write(struct kmemtrace_record *from, enum kmemtrace_event type, u32 tgid,
			   u32 tid, u32 mm)
{
	struct kmemtrace_record *record;
	struct kmt_event event;

	if (!kmt_event_enter(&event))
		return;
	record = kmt_chan_reserve_map(event.cpu);
	if (record) {
		from->time_ns = kmt_clock_ns();
		from->gfp = tgid;
		from->tid = tid;
		*record = *from;
		kmt_record_user(record)->mm = mm;
		kmt_record_user(record)->tgid = tgid;
		barrier(); /* the type makes it valid */
		record->type = type;
	} else {
		kmt_chan_count_lost(event.cpu, KMEMTRACE_LOSS_BUFFER_FULL, 1);
	}
	kmt_event_leave(&event);
}

static void kmt_maps_record(struct kmemtrace_record *record, enum kmemtrace_event type,
			    const struct mm_struct *mm)
{
	kmt_maps_write(record, type, current->tgid, current->pid, kmt_mm_id(mm));
}

/* A process may unmap 2^32 pages or more: U32_MAX stands for all pages from there on. */
static u32 kmt_maps_pages(unsigned long len)
{
	return min_t(unsigned long, len >> PAGE_SHIFT, U32_MAX);
}

static void kmt_maps_record_map(const struct mm_struct *mm, unsigned long start, unsigned long len,
				u64 offset, u32 file)
{
	struct kmemtrace_record record = {
		.addr = start,
		.call_site = offset,
		.bytes_req = kmt_maps_pages(len),
		.bytes_alloc = file,
	};

	kmt_maps_record(&record, KMEMTRACE_EVENT_MAP, mm);
}

static void kmt_maps_record_unmap(unsigned long start, unsigned long len)
{
	kmt_maps_record_map(current->mm, start, len, 0, 0);
}

void kmt_maps_fork(const struct task_struct *task, bool shared)
{
	struct kmemtrace_record record = {
		.bytes_req = current->tgid,
		.bytes_alloc = shared,
	};

	kmt_maps_write(&record, KMEMTRACE_EVENT_FORK, task->tgid, task->pid, kmt_mm_id(task->mm));
}

static bool kmt_maps_recording;

/* ---- mmap_region(file, addr, len, …): the range is remapped ---- */

/*
 * Probed at its entry. The function may sleep for as long as a driver or a user's FUSE server
 * likes, and a probe on its return would need memory for each sleeping call.
 */
static void kmt_enter_map(struct pt_regs *regs)
{
	if (READ_ONCE(kmt_maps_recording))
		kmt_maps_record_unmap(kmt_arg(regs, 1), kmt_arg(regs, 2));
}

/* ---- perf_event_mmap(vma): it was mapped, expanded, or given another protection ---- */

/* Anonymous shared memory has an internal file of the kernel. */
static bool kmt_is_code_of_file(const struct vm_area_struct *vma)
{
	return vma->vm_flags & VM_EXEC && vma->vm_file && !IS_PRIVATE(file_inode(vma->vm_file));
}

static void kmt_enter_mapped(struct pt_regs *regs)
{
	const struct vm_area_struct *vma = (void *)kmt_arg(regs, 0);

	if (READ_ONCE(kmt_maps_recording) && vma->vm_mm == current->mm && kmt_is_code_of_file(vma))
		kmt_maps_record_map(vma->vm_mm, vma->vm_start, vma->vm_end - vma->vm_start,
				    (u64)vma->vm_pgoff << PAGE_SHIFT, kmt_file_id(vma->vm_file));
}

#if KMT_UNMAP_TAKES_RANGE

/* ---- unmap_vmas(tlb, …, vma, start, end, …): memory is unmapped, by whatever system call ---- */

/*
 * Called with mmap_lock, which has been held for writing since the mapping was removed. So the
 * records are in the order of the changes. When a process ends or executes a program, the memory is
 * no longer current->mm.
 */
static void kmt_enter_unmap(struct pt_regs *regs)
{
	const struct vm_area_struct *first = (void *)kmt_arg(regs, 2);

	if (READ_ONCE(kmt_maps_recording) && first->vm_mm == current->mm)
		kmt_maps_record_unmap(kmt_arg(regs, 3), kmt_arg(regs, 4) - kmt_arg(regs, 3));
}

#else

/* ---- do_vmi_munmap(vmi, mm, start, len, …) ---- */

static void kmt_enter_unmap(struct pt_regs *regs)
{
	if (READ_ONCE(kmt_maps_recording) && (void *)kmt_arg(regs, 1) == current->mm)
		kmt_maps_record_unmap(kmt_arg(regs, 2), PAGE_ALIGN(kmt_arg(regs, 3)));
}

/*
 * ---- do_vmi_align_munmap(vmi, vma, mm, start, end, …): called by brk(), and by do_vmi_munmap(),
 * into which it may be inlined ----
 */
static void kmt_enter_align_unmap(struct pt_regs *regs)
{
	if (READ_ONCE(kmt_maps_recording) && (void *)kmt_arg(regs, 2) == current->mm)
		kmt_maps_record_unmap(kmt_arg(regs, 3), kmt_arg(regs, 4) - kmt_arg(regs, 3));
}

#endif /* KMT_UNMAP_TAKES_RANGE */

/* ---- setup_new_exec(bprm): the memory is new, and has only the arguments in it ---- */

static void kmt_enter_exec(struct pt_regs *regs)
{
	struct kmemtrace_record record = { 0 };

	if (READ_ONCE(kmt_maps_recording))
		kmt_maps_record(&record, KMEMTRACE_EVENT_EXEC, current->mm);
}

/* ---- uprobe_dup_mmap(oldmm, newmm): fork() is about to copy the mappings ---- */

/*
 * Called with mmap_lock of both held for writing until all is copied: by the time of FORK, other
 * threads may have changed the original. A mapping with MADV_DONTFORK isn't copied. Memory that is
 * there later may have come by mremap(), which has no event. The mapping may have been code
 * earlier.
 */
#define KMT_COPY_LOOKS_AT 4096 /* mappings; a copy of more counts as unknown */

static void kmt_enter_dup_mm(struct pt_regs *regs)
{
	struct mm_struct *from = (void *)kmt_arg(regs, 0), *to = (void *)kmt_arg(regs, 1);
	bool few = from->map_count <= KMT_COPY_LOOKS_AT;
	struct kmemtrace_record record = { .bytes_alloc = few ? kmt_mm_id(from) : 0 };
	VMA_ITERATOR(next, from, 0);
	struct vm_area_struct *vma;

	if (!READ_ONCE(kmt_maps_recording))
		return;
	kmt_maps_record(&record, KMEMTRACE_EVENT_DUP_MM, to);
	if (!few)
		return;
	for_each_vma(next, vma)
	{
		if (vma->vm_flags & VM_DONTCOPY && vma->vm_file)
			kmt_maps_record_map(to, vma->vm_start, vma->vm_end - vma->vm_start, 0, 0);
	}
}

/* ---- delayed_free_vfsmnt(head): frees the mount; its vfsmount is right before the head ---- */

static void kmt_enter_free_mount(struct pt_regs *regs)
{
	kmt_files_forget_mount((const struct vfsmount *)kmt_arg(regs, 0) - 1);
}

/* ---- free_user_ns(work): frees a user namespace, and perhaps its ancestors ---- */

#ifdef CONFIG_USER_NS
static void kmt_enter_free_users(struct pt_regs *regs)
{
	const struct user_namespace *user =
		container_of((struct work_struct *)kmt_arg(regs, 0), struct user_namespace, work);

	kmt_files_forget_user(user);
}
#endif

/* ---- the table ---- */

static struct kmt_function_probe kmt_maps_functions[] = {
	{ .symbol = "mmap_region", .enter = kmt_enter_map, .wanted = true },
	{ .symbol = "perf_event_mmap", .enter = kmt_enter_mapped, .wanted = true },
#if KMT_UNMAP_TAKES_RANGE
	{ .symbol = "unmap_vmas", .enter = kmt_enter_unmap, .wanted = true },
#else
	{ .symbol = "do_vmi_munmap", .enter = kmt_enter_unmap, .wanted = true },
	{ .symbol = "do_vmi_align_munmap", .enter = kmt_enter_align_unmap, .wanted = true },
#endif
	{ .symbol = "setup_new_exec", .enter = kmt_enter_exec, .wanted = true },
	{ .symbol = "uprobe_dup_mmap", .enter = kmt_enter_dup_mm, .wanted = true },
	{ .symbol = "delayed_free_vfsmnt", .enter = kmt_enter_free_mount, .wanted = true },
#ifdef CONFIG_USER_NS
	{ .symbol = "free_user_ns", .enter = kmt_enter_free_users, .wanted = true },
#endif
};

static struct kmt_source kmt_maps_source = { .name = "user_maps" }; /* in no group */

int kmt_maps_register(void)
{
	kmt_maps_source.unseen = kmt_attach_entry_error();
	if (kmt_maps_source.unseen)
		return 0;
	kmt_files_forget_all(); /* the files from before a pause */
	if (kmt_attach_others(kmt_maps_functions, ARRAY_SIZE(kmt_maps_functions)))
		return -EOPNOTSUPP;
	kmt_maps_source.on = true;
	return 0;
}

void kmt_maps_check(void)
{
	if (kmt_maps_source.on && !KMT_ATTACHES_BY_FTRACE && kmt_attach_kprobe_error())
		kmt_maps_source.unseen = kmt_attach_kprobe_error();
}

void kmt_maps_report_missed(void)
{
	unsigned int i;

	for (i = 0; kmt_maps_source.on && i < ARRAY_SIZE(kmt_maps_functions); i++)
		kmt_missed_report_last(&kmt_maps_functions[i]);
}

void kmt_maps_reset(void)
{
	kmt_maps_paused = false;
}

/* The first thread may have ended before the others. */
static const struct mm_struct *kmt_mm_of(const struct task_struct *process)
{
	const struct task_struct *thread;

	for_each_thread(process, thread)
	{
		const struct mm_struct *mm = READ_ONCE(thread->mm);

		if (mm)
			return mm;
	}
	return NULL;
}

void kmt_mms_show(struct seq_file *seq)
{
	const struct task_struct *process;

	rcu_read_lock();
	for_each_process(process)
	{
		u32 mm = process->flags & PF_KTHREAD ? 0 : kmt_mm_id(kmt_mm_of(process));

		if (mm)
			seq_printf(seq, "%d %u\n", process->tgid, mm);
	}
	rcu_read_unlock();
}

void kmt_maps_show_path(struct seq_file *seq)
{
	if (kmt_files_are_on())
		kmt_source_show(seq, &kmt_maps_source);
}

void kmt_maps_set_recording(bool on)
{
	WRITE_ONCE(kmt_maps_recording, on);
}

/* Writes an EXEC record with a tgid of 0: changes during a pause weren't seen. */
void kmt_maps_end_pause(void)
{
	struct kmemtrace_record record = { 0 };

	if (kmt_maps_source.on && kmt_maps_paused)
		kmt_maps_write(&record, KMEMTRACE_EVENT_EXEC, 0, current->pid, 0);
}

void kmt_maps_unregister(void)
{
	if (!kmt_maps_source.on)
		return;
	kmt_maps_set_recording(false);
	kmt_detach_others();
	kmt_files_finish(); /* no file is held, and no work pending, while tracing is off */
	kmt_maps_source.on = false;
	kmt_maps_paused = true;
}

#else

void kmt_maps_check(void)
{
}

void kmt_maps_report_missed(void)
{
}

void kmt_maps_reset(void)
{
}

void kmt_mms_show(struct seq_file *seq)
{
}

int kmt_maps_register(void)
{
	return -EOPNOTSUPP;
}

void kmt_maps_show_path(struct seq_file *seq)
{
}

void kmt_maps_set_recording(bool on)
{
}

void kmt_maps_end_pause(void)
{
}

void kmt_maps_unregister(void)
{
}

void kmt_maps_fork(const struct task_struct *task, bool shared)
{
}

#endif

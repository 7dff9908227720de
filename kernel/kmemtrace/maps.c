// SPDX-License-Identifier: GPL-2.0-only
/*
 * The events about the memory of processes: MAP, EXEC and FORK.
 *
 * Only code is recorded: executable mappings of files. Any other mapping, and any unmapping, is a
 * MAP without a file. What can't be recorded is never guessed: a call that no handler saw makes all
 * earlier mappings void.
 *
 * The handlers of mappings run in the context of a thread that changes its own memory, with
 * preemption off. With PREEMPT_RT a spinlock sleeps, so they take none, nor call what does.
 */
#include <linux/fs.h>
#include <linux/kprobes.h>
#include <linux/mm.h>
#include <linux/mount.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/string.h>
#include <linux/user_namespace.h>

#include "attach.h"
#include "compat.h"
#include "event.h"
#include "function_size.h"
#include "kmemtrace.h"
#include "mapped_files.h"
#include "maps.h"
#include "sources.h"

#if KMT_HAS_USER_STACKS

#define KMT_MAPS_ACTIVE 512 /* calls of mmap_region() under way at once */

static bool kmt_maps_paused; /* the buffers have events from before tracing was off */

/* ---- records ---- */

static void kmt_maps_write(struct kmemtrace_record *from, enum kmemtrace_event type, u32 tgid,
			   u32 tid)
{
	struct kmemtrace_record *record;
	struct kmt_event event;

	if (!kmt_event_enter(&event))
		return;
	record = kmt_chan_reserve(event.cpu);
	if (record) {
		from->time_ns = kmt_clock_ns();
		from->gfp = tgid;
		from->tid = tid;
		*record = *from;
		kmt_record_user(record)->user_stack_id = KMEMTRACE_STACK_NONE;
		kmt_record_user(record)->tgid = tgid;
		barrier(); /* the type makes it valid */
		record->type = type;
	} else {
		kmt_chan_count_lost(event.cpu, KMEMTRACE_LOSS_BUFFER_FULL, 1);
	}
	kmt_event_leave(&event);
}

static void kmt_maps_report_missed(void);

static void kmt_maps_record(struct kmemtrace_record *record, enum kmemtrace_event type)
{
	kmt_maps_report_missed();
	kmt_maps_write(record, type, current->tgid, current->pid);
}

/* 2^32 pages are more than a process has. */
static u32 kmt_maps_pages(unsigned long len)
{
	return min_t(unsigned long, len >> PAGE_SHIFT, U32_MAX);
}

static void kmt_maps_record_map(unsigned long start, unsigned long len, u64 offset, u32 file)
{
	struct kmemtrace_record record = {
		.addr = start,
		.call_site = offset,
		.bytes_req = kmt_maps_pages(len),
		.bytes_alloc = file,
	};

	kmt_maps_record(&record, KMEMTRACE_EVENT_MAP);
}

void kmt_maps_fork(const struct task_struct *task, bool shared)
{
	struct kmemtrace_record record = {
		.bytes_req = current->tgid,
		.bytes_alloc = shared,
	};

	kmt_maps_report_missed();
	kmt_maps_write(&record, KMEMTRACE_EVENT_FORK, task->tgid, task->pid);
}

/* ---- mmap_region(file, addr, len, vm_flags, pgoff, uf): where it lies, or an error ---- */

static bool kmt_maps_recording;

struct kmt_mapping {
	struct file *file; /* NULL: no code of a file */
	unsigned long len, pgoff;
};

static int kmt_enter_map(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	struct kmt_mapping *mapping = (void *)instance->data;

	if (!READ_ONCE(kmt_maps_recording))
		return 1;
	mapping->file = regs->cx & VM_EXEC ? (struct file *)regs->di : NULL;
	mapping->len = regs->dx;
	mapping->pgoff = regs->r8;
	return 0;
}

static int kmt_leave_map(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	const struct kmt_mapping *mapping = (void *)instance->data;
	unsigned long start = regs_return_value(regs);

	/* What lay there may be gone all the same, but then do_munmap() was called. */
	if (!READ_ONCE(kmt_maps_recording) || IS_ERR_VALUE(start))
		return 0;
	kmt_maps_report_missed(); /* before a file is found by what may have been freed */
	if (mapping->file)
		kmt_maps_record_map(start, mapping->len, (u64)mapping->pgoff << PAGE_SHIFT,
				    kmt_file_id(mapping->file));
	else
		kmt_maps_record_map(start, mapping->len, 0, 0);
	return 0;
}

static struct kretprobe kmt_map_probe;

/* ---- do_vmi_munmap(vmi, mm, start, len, …), do_mas_munmap() with the same before 6.4 ---- */

static int kmt_enter_unmap(struct kprobe *probe, struct pt_regs *regs)
{
	if (READ_ONCE(kmt_maps_recording) && (void *)regs->si == current->mm)
		kmt_maps_record_map(regs->dx, PAGE_ALIGN(regs->cx), 0, 0);
	return 0;
}

/* ---- brk(end): what lies beyond the new end of the heap is unmapped ---- */

static int kmt_enter_brk(struct kprobe *probe, struct pt_regs *regs)
{
	const struct mm_struct *mm = current->mm;
	unsigned long end = ((const struct pt_regs *)regs->di)->di, old;

	if (!READ_ONCE(kmt_maps_recording) || !mm)
		return 0;
	old = PAGE_ALIGN(READ_ONCE(mm->brk));
	end = PAGE_ALIGN(end);
	if (end >= READ_ONCE(mm->start_brk) && end < old)
		kmt_maps_record_map(end, old - end, 0, 0);
	return 0;
}

/* ---- setup_new_exec(bprm): the memory is new, and nothing but arguments is in it ---- */

static int kmt_enter_exec(struct kprobe *probe, struct pt_regs *regs)
{
	struct kmemtrace_record record = { 0 };

	if (READ_ONCE(kmt_maps_recording))
		kmt_maps_record(&record, KMEMTRACE_EVENT_EXEC);
	return 0;
}

/* ---- delayed_free_vfsmnt(head): frees the mount; before the head is its vfsmount ---- */

static int kmt_enter_free_mount(struct kprobe *probe, struct pt_regs *regs)
{
	kmt_files_forget_mount((const struct vfsmount *)regs->di - 1);
	return 0;
}

/* ---- free_user_ns(work): frees a user namespace, and perhaps those around it ---- */

#ifdef CONFIG_USER_NS
static int kmt_enter_free_users(struct kprobe *probe, struct pt_regs *regs)
{
	const struct user_namespace *user =
		container_of((struct work_struct *)regs->di, struct user_namespace, work);

	kmt_files_forget_user(user);
	return 0;
}
#endif

/* ---- all of them ---- */

/* Of a function's entry. At least one of its names is that of a function of this kernel. */
static struct kmt_maps_probe {
	const char *symbol, *older; /* NULL: none */
	kprobe_pre_handler_t handler;
	struct kprobe probe;
} kmt_maps_probes[] = {
	{ "do_vmi_munmap", "do_mas_munmap", kmt_enter_unmap },
	{ "__x64_sys_brk", NULL, kmt_enter_brk },
	{ "setup_new_exec", NULL, kmt_enter_exec },
	{ "delayed_free_vfsmnt", NULL, kmt_enter_free_mount },
#ifdef CONFIG_USER_NS
	{ "free_user_ns", NULL, kmt_enter_free_users },
#endif
};

static unsigned long kmt_maps_count_missed(void)
{
	unsigned long missed =
		READ_ONCE(kmt_map_probe.nmissed) + READ_ONCE(kmt_map_probe.kp.nmissed);
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(kmt_maps_probes); i++)
		missed += READ_ONCE(kmt_maps_probes[i].probe.nmissed);
	return missed;
}

static unsigned long kmt_maps_missed; /* calls that no handler saw, those already recorded */

static void kmt_maps_report_missed(void)
{
	unsigned long reported = READ_ONCE(kmt_maps_missed), missed;
	struct kmemtrace_record record = { 0 };

	smp_rmb(); /* the sum isn't older than the count already recorded */
	missed = kmt_maps_count_missed();
	if (likely((long)(missed - reported) <= 0) ||
	    cmpxchg(&kmt_maps_missed, reported, missed) != reported)
		return;
	kmt_files_forget_all();
	kmt_maps_write(&record, KMEMTRACE_EVENT_EXEC, 0, current->pid);
}

/* Only on what ftrace carries: other probes run as an exception that counts as an NMI. */
static int kmt_maps_register_probe(struct kmt_maps_probe *probe)
{
	unsigned long addr;
	int ret = kmt_function_find(probe->symbol, &addr);

	if (ret && probe->older)
		ret = kmt_function_find(probe->older, &addr);
	if (ret)
		return ret;
	memset(&probe->probe, 0, sizeof(probe->probe)); /* what an earlier registration left */
	probe->probe.addr = (kprobe_opcode_t *)addr;
	probe->probe.pre_handler = probe->handler;
	return register_kprobe(&probe->probe);
}

static void kmt_maps_unregister_probes(unsigned int count)
{
	while (count--)
		unregister_kprobe(&kmt_maps_probes[count].probe);
}

static int kmt_maps_register_probes(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(kmt_maps_probes); i++) {
		if (kmt_maps_register_probe(&kmt_maps_probes[i])) {
			kmt_maps_unregister_probes(i);
			return -EOPNOTSUPP;
		}
	}
	return 0;
}

static int kmt_maps_register_map(void)
{
	unsigned long addr;
	int ret = kmt_function_find("mmap_region", &addr);

	if (ret)
		return ret;
	memset(&kmt_map_probe, 0, sizeof(kmt_map_probe));
	kmt_map_probe.kp.addr = (kprobe_opcode_t *)addr;
	kmt_map_probe.entry_handler = kmt_enter_map;
	kmt_map_probe.handler = kmt_leave_map;
	kmt_map_probe.data_size = sizeof(struct kmt_mapping);
	kmt_map_probe.maxactive = KMT_MAPS_ACTIVE;
	return register_kretprobe(&kmt_map_probe);
}

static bool kmt_maps_on;
static struct kmt_source kmt_maps_source = { .name = "user_maps" }; /* in no group */

int kmt_maps_register(void)
{
	kmt_maps_source.unseen = NULL;
	if (kmt_attach_kprobe_error())
		return 0;
	kmt_maps_missed = 0;
	if (kmt_maps_register_map())
		return -EOPNOTSUPP;
	if (kmt_maps_register_probes()) {
		unregister_kretprobe(&kmt_map_probe);
		return -EOPNOTSUPP;
	}
	kmt_files_forget_all(); /* those from before a pause */
	kmt_maps_on = true;
	return 0;
}

void kmt_maps_reset(void)
{
	kmt_maps_paused = false;
}

/* Makes all earlier mappings void: they may have changed since. */
void kmt_maps_check(void)
{
	struct kmemtrace_record record = { 0 };

	if (kmt_maps_source.unseen)
		return;
	kmt_maps_source.unseen = kmt_attach_kprobe_error();
	if (kmt_maps_source.unseen && kmt_maps_on)
		kmt_maps_write(&record, KMEMTRACE_EVENT_EXEC, 0, current->pid);
}

void kmt_maps_show_path(struct seq_file *seq)
{
	kmt_maps_source.on = kmt_maps_on;
	if (kmt_files_are_on())
		kmt_source_show(seq, &kmt_maps_source);
}

/* Changes during a pause weren't seen. */
void kmt_maps_set_recording(bool on)
{
	struct kmemtrace_record record = { 0 };

	WRITE_ONCE(kmt_maps_recording, on);
	if (on && kmt_maps_on && kmt_maps_paused)
		kmt_maps_write(&record, KMEMTRACE_EVENT_EXEC, 0, current->pid);
}

void kmt_maps_unregister(void)
{
	if (!kmt_maps_on)
		return;
	kmt_maps_set_recording(false);
	kmt_maps_unregister_probes(ARRAY_SIZE(kmt_maps_probes));
	unregister_kretprobe(&kmt_map_probe);
	kmt_files_finish(); /* no file is held, and no work pending, while tracing is off */
	kmt_maps_report_missed();
	kmt_maps_on = false;
	kmt_maps_paused = true;
}

#else

void kmt_maps_reset(void)
{
}

int kmt_maps_register(void)
{
	return -EOPNOTSUPP;
}

void kmt_maps_check(void)
{
}

void kmt_maps_show_path(struct seq_file *seq)
{
}

void kmt_maps_set_recording(bool on)
{
}

void kmt_maps_unregister(void)
{
}

void kmt_maps_fork(const struct task_struct *task, bool shared)
{
}

#endif

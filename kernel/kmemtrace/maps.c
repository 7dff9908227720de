// SPDX-License-Identifier: GPL-2.0-only
/*
 * The events about the memory of processes: MAP, EXEC and FORK.
 *
 * Only code is recorded: executable mappings of files. Any other mapping, and any unmapping, is a
 * MAP without a file. What can't be recorded is never guessed: a call that no handler saw makes all
 * earlier mappings void.
 *
 * The handlers run in the context of a thread that changes its own memory, with preemption off.
 * With PREEMPT_RT a spinlock sleeps, so they take none, nor call what does. A file gets its id in a
 * table without locks; its path is looked up by a work item, and until then the file is held.
 */
#include <linux/cred.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/hash.h>
#include <linux/kprobes.h>
#include <linux/llist.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/string.h>
#include <linux/vmalloc.h>
#include <linux/workqueue.h>

#include "attach.h"
#include "code.h"
#include "compat.h"
#include "event.h"
#include "kmemtrace.h"
#include "maps.h"
#include "paths.h"

#if KMT_HAS_USER_STACKS

#define KMT_FILES_BITS  12
#define KMT_FILES_MAX   (1U << KMT_FILES_BITS)
#define KMT_FILES_TEXT  (KMT_FILES_MAX * 96) /* bytes of their paths in all */
#define KMT_MAPS_ACTIVE 512                  /* calls of mmap_region() under way at once */

/* ---- files: an id for each ---- */

/*
 * The same file has another path where it is mounted elsewhere, and in a namespace of its own
 * anyone may mount it anywhere: such a path is not to be that of others. A mount's address may be
 * used again, so the user namespace counts, too. Both are compared, and never followed.
 */
struct kmt_file {
	u64 inode;
	dev_t dev;
	u32 generation;
	const struct vfsmount *mount;
	const struct user_namespace *user;
	u32 path;          /* where in text, plus 1; 0: not known. Release/acquire */
	struct file *held; /* until its path was looked up */
	struct llist_node node;
};

static struct kmt_files {
	atomic_t count;                      /* ids given out */
	u32 slots[2 * KMT_FILES_MAX];        /* id, or 0: free. Set once, by cmpxchg */
	struct kmt_file file[KMT_FILES_MAX]; /* by id - 1 */
	struct llist_head held;              /* files whose paths are to be looked up */
	/* What only the work item changes: */
	u32 used; /* of text */
	char text[KMT_FILES_TEXT];
	char path[PATH_MAX]; /* of the one that is being looked up */
} * kmt_files;               /* while there are buffers and user stacks are wanted */
static bool kmt_maps_paused; /* the buffers have events from before tracing was off */

/* The place of @text in kmt_files->text, plus 1; 0: there is no room for it. */
static u32 kmt_files_keep(const char *text)
{
	size_t len = strlen(text) + 1;
	u32 at = kmt_files->used;

	if (len > KMT_FILES_TEXT - at)
		return 0;
	memcpy(kmt_files->text + at, text, len);
	kmt_files->used += len;
	return at + 1;
}

static void kmt_file_look_up(struct kmt_file *file)
{
	const char *path = file_path(file->held, kmt_files->path, sizeof(kmt_files->path));

	if (!IS_ERR(path))
		smp_store_release(&file->path, kmt_files_keep(path));
	/* The last reference to a file is dropped by the kernel's own work item, not here. */
	fput(file->held);
	file->held = NULL;
}

static void kmt_files_look_up(struct work_struct *work)
{
	struct llist_node *first = llist_reverse_order(llist_del_all(&kmt_files->held));
	struct kmt_file *file, *next;

	llist_for_each_entry_safe(file, next, first, node)
	{
		kmt_file_look_up(file);
		cond_resched();
	}
}

static DECLARE_WORK(kmt_files_work, kmt_files_look_up);

/* Returns when the path of each file that had an id before was looked up. It may sleep. */
static void kmt_files_finish(void)
{
	/* A handler that has put a file into the list may not have scheduled the work yet. */
	schedule_work(&kmt_files_work);
	flush_work(&kmt_files_work);
}

static bool kmt_file_is(u32 id, const struct kmt_file *key)
{
	const struct kmt_file *file = &kmt_files->file[id - 1];

	return file->inode == key->inode && file->dev == key->dev &&
	       file->generation == key->generation && file->mount == key->mount &&
	       file->user == key->user;
}

static u32 kmt_file_hash(const struct kmt_file *key)
{
	return hash_64(key->inode ^ (u64)key->dev << 32, KMT_FILES_BITS + 1);
}

/* A new id, not in slots yet; 0: none left. The caller's reference to @file lasts. */
static u32 kmt_file_add(const struct kmt_file *key, struct file *file)
{
	unsigned int index = atomic_fetch_add_unless(&kmt_files->count, 1, KMT_FILES_MAX);
	struct kmt_file *new;

	if (index == KMT_FILES_MAX)
		return 0;
	new = &kmt_files->file[index];
	*new = *key;
	new->held = get_file(file);
	/* The locks of work queues don't sleep. */
	if (llist_add(&new->node, &kmt_files->held))
		schedule_work(&kmt_files_work);
	return index + 1;
}

/*
 * The id of @file, the same each time; 0: there is no room for it. Of two CPUs that add the same
 * file at once, one wins the slot; the id of the other one stays unused.
 */
static u32 kmt_file_id(struct file *file)
{
	const struct inode *inode = file_inode(file);
	const struct kmt_file key = {
		.inode = inode->i_ino,
		.dev = inode->i_sb->s_dev,
		.generation = inode->i_generation,
		.mount = file->f_path.mnt,
		.user = current_user_ns(),
	};
	u32 place = kmt_file_hash(&key), new_id = 0;

	for (;; place = (place + 1) % ARRAY_SIZE(kmt_files->slots)) {
		u32 id = smp_load_acquire(&kmt_files->slots[place]);

		if (!id) {
			if (!new_id)
				new_id = kmt_file_add(&key, file);
			if (!new_id)
				return 0;
			id = cmpxchg(&kmt_files->slots[place], 0, new_id);
			if (!id)
				return new_id;
		}
		if (kmt_file_is(id, &key))
			return id;
	}
}

/* Whether events may have @id: it's in slots. */
static bool kmt_file_is_named(u32 id)
{
	u32 place = kmt_file_hash(&kmt_files->file[id - 1]), found;

	for (;; place = (place + 1) % ARRAY_SIZE(kmt_files->slots)) {
		found = smp_load_acquire(&kmt_files->slots[place]);
		if (!found || found == id)
			return found;
	}
}

int kmt_maps_init(void)
{
	kmt_files = vzalloc(sizeof(*kmt_files));
	kmt_maps_paused = false;
	return kmt_files ? 0 : -ENOMEM;
}

void kmt_maps_exit(void)
{
	vfree(kmt_files);
	kmt_files = NULL;
}

u64 kmt_maps_bytes(void)
{
	return kmt_files ? sizeof(*kmt_files) : 0;
}

void kmt_maps_show_files(struct seq_file *seq)
{
	unsigned int id, count;

	if (!kmt_files)
		return;
	kmt_files_finish();
	count = atomic_read(&kmt_files->count);
	for (id = 1; id <= count; id++) {
		const struct kmt_file *file = &kmt_files->file[id - 1];
		u32 path = smp_load_acquire(&file->path);

		if (!kmt_file_is_named(id))
			continue;
		seq_printf(seq, "%u %llu ", id, file->inode);
		seq_escape(seq, path ? kmt_files->text + path - 1 : "?", "\n\\");
		seq_putc(seq, '\n');
	}
}

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
		kmt_chan_lose(event.cpu, KMEMTRACE_LOSS_BUFFER_FULL, 1);
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

static bool kmt_maps_heard;

struct kmt_mapping {
	struct file *file; /* NULL: no code of a file */
	unsigned long len, pgoff;
};

static int kmt_enter_map(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	struct kmt_mapping *mapping = (void *)instance->data;

	if (!READ_ONCE(kmt_maps_heard))
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
	if (!READ_ONCE(kmt_maps_heard) || IS_ERR_VALUE(start))
		return 0;
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
	if (READ_ONCE(kmt_maps_heard) && (void *)regs->si == current->mm)
		kmt_maps_record_map(regs->dx, PAGE_ALIGN(regs->cx), 0, 0);
	return 0;
}

static struct kprobe kmt_unmap_probe;

/* ---- setup_new_exec(bprm): the memory is new, and nothing but arguments is in it ---- */

static int kmt_enter_exec(struct kprobe *probe, struct pt_regs *regs)
{
	struct kmemtrace_record record = { 0 };

	if (READ_ONCE(kmt_maps_heard))
		kmt_maps_record(&record, KMEMTRACE_EVENT_EXEC);
	return 0;
}

static struct kprobe kmt_exec_probe;

/* ---- all three ---- */

static unsigned long kmt_maps_missed; /* calls that no handler saw, those already recorded */

static void kmt_maps_report_missed(void)
{
	unsigned long reported = READ_ONCE(kmt_maps_missed), missed;
	struct kmemtrace_record record = { 0 };

	smp_rmb(); /* the sum isn't older than the count already recorded */
	missed = READ_ONCE(kmt_map_probe.nmissed) + READ_ONCE(kmt_map_probe.kp.nmissed) +
		 READ_ONCE(kmt_unmap_probe.nmissed) + READ_ONCE(kmt_exec_probe.nmissed);
	if (likely((long)(missed - reported) <= 0) ||
	    cmpxchg(&kmt_maps_missed, reported, missed) != reported)
		return;
	kmt_maps_write(&record, KMEMTRACE_EVENT_EXEC, 0, current->pid);
}

/* Only on what ftrace carries: other probes run as an exception that counts as an NMI. */
static int kmt_maps_register_probe(struct kprobe *probe, kprobe_pre_handler_t handler,
				   const char *symbol)
{
	unsigned long addr;
	int ret = kmt_function_find(symbol, &addr);

	if (ret)
		return ret;
	memset(probe, 0, sizeof(*probe)); /* what an earlier registration left */
	probe->addr = (kprobe_opcode_t *)addr;
	probe->pre_handler = handler;
	return register_kprobe(probe);
}

static int kmt_maps_register_unmap(void)
{
	int ret = kmt_maps_register_probe(&kmt_unmap_probe, kmt_enter_unmap, "do_vmi_munmap");

	return ret ? kmt_maps_register_probe(&kmt_unmap_probe, kmt_enter_unmap, "do_mas_munmap")
		   : 0;
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
static struct kmt_path kmt_maps_path = { .name = "user_maps" }; /* in no group */

int kmt_maps_register(void)
{
	kmt_maps_path.unseen = NULL;
	if (kmt_attach_deaf())
		return 0;
	kmt_maps_missed = 0;
	if (kmt_maps_register_map())
		goto fail;
	if (kmt_maps_register_unmap())
		goto fail_map;
	if (kmt_maps_register_probe(&kmt_exec_probe, kmt_enter_exec, "setup_new_exec"))
		goto fail_unmap;
	kmt_maps_on = true;
	return 0;

fail_unmap:
	unregister_kprobe(&kmt_unmap_probe);
fail_map:
	unregister_kretprobe(&kmt_map_probe);
fail:
	return -EOPNOTSUPP;
}

/* Makes all earlier mappings void: they may have changed since. */
void kmt_maps_look(void)
{
	struct kmemtrace_record record = { 0 };

	if (kmt_maps_path.unseen)
		return;
	kmt_maps_path.unseen = kmt_attach_deaf();
	if (kmt_maps_path.unseen && kmt_maps_on)
		kmt_maps_write(&record, KMEMTRACE_EVENT_EXEC, 0, current->pid);
}

void kmt_maps_show_path(struct seq_file *seq)
{
	kmt_maps_path.on = kmt_maps_on;
	if (kmt_files)
		kmt_path_show(seq, &kmt_maps_path);
}

/* Changes during a pause weren't seen. */
void kmt_maps_hear(bool on)
{
	struct kmemtrace_record record = { 0 };

	WRITE_ONCE(kmt_maps_heard, on);
	if (on && kmt_maps_on && kmt_maps_paused)
		kmt_maps_write(&record, KMEMTRACE_EVENT_EXEC, 0, current->pid);
}

void kmt_maps_unregister(void)
{
	if (!kmt_maps_on)
		return;
	kmt_maps_hear(false);
	unregister_kprobe(&kmt_exec_probe);
	unregister_kprobe(&kmt_unmap_probe);
	unregister_kretprobe(&kmt_map_probe);
	kmt_files_finish(); /* no file is held, and no work pending, while tracing is off */
	kmt_maps_report_missed();
	kmt_maps_on = false;
	kmt_maps_paused = true;
}

#else

int kmt_maps_init(void)
{
	return 0;
}

void kmt_maps_exit(void)
{
}

int kmt_maps_register(void)
{
	return -EOPNOTSUPP;
}

void kmt_maps_look(void)
{
}

void kmt_maps_show_path(struct seq_file *seq)
{
}

void kmt_maps_hear(bool on)
{
}

void kmt_maps_unregister(void)
{
}

u64 kmt_maps_bytes(void)
{
	return 0;
}

void kmt_maps_show_files(struct seq_file *seq)
{
}

void kmt_maps_fork(const struct task_struct *task, bool shared)
{
}

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The fields of kernel structs that the programs read. Their offsets in the running kernel are
 * found by name when the programs are loaded.
 */
#ifndef KMEMTRACE_KERNEL_TYPES_H
#define KMEMTRACE_KERNEL_TYPES_H

#include <linux/types.h>

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct list_head {
	struct list_head *next, *prev;
};

struct page {                        /* its flags are the first word, whatever their type is */
	unsigned long compound_head; /* in tail pages: the address of the head page, + 1 */
	struct list_head lru;
	unsigned int page_type;
};

/* Since 7.1 or so. In tail pages: the head page's address + 1 or a mask, see kmt_head_page(). */
struct page___info {
	unsigned long compound_info;
};

struct folio {
	unsigned long _flags_1;
};

struct folio___before_6_6 {
	unsigned char _folio_order;
};

struct slab {
	struct kmem_cache *slab_cache;
};

struct callback_head { /* in the kernel, rcu_head is a macro for that name, of fields, too */
	struct callback_head *next;
};

struct slab_sheaf { /* since 6.18 */
	struct callback_head callback_head;
	unsigned int size;
	void *objects[];
};

struct kmem_cache {
	const char *name;
	unsigned int object_size;
};

struct pt_regs { /* kmt_word() reads any word as the first field */
	unsigned long r15;
	unsigned long bp, ip, cs, sp, orig_ax;
};

struct work_struct {
	struct list_head entry;
};

struct user_namespace {
	struct user_namespace *parent;
	int level;
	struct kmt_kuid {
		__u32 val;
	} owner;
	struct work_struct work;
};

struct cred {
	struct kmt_kuid uid;
	struct user_namespace *user_ns;
};

struct mm_struct {
	unsigned long start_code, end_code;
	unsigned long task_size;
	int map_count;
};

struct vm_area_struct {
	struct mm_struct *vm_mm;
	unsigned long vm_start, vm_end, vm_pgoff, vm_flags;
	struct file *vm_file;
};

struct unmap_desc {
	struct vm_area_struct *first;
	unsigned long vma_start;
	unsigned long vma_end;
};

struct task_struct {
	const struct cred *real_cred, *cred;
	struct mm_struct *mm;
	unsigned int flags;
	int pid;
	int tgid;
	char comm[16];
	void *stack;
};

struct file_system_type {
	const char *name;
};

struct super_block {
	__u32 s_dev;
	struct file_system_type *s_type;
	struct user_namespace *s_user_ns;
	int s_stack_depth;
};

struct inode {
	unsigned int i_flags;
	struct super_block *i_sb;
	unsigned long i_ino;
	long long i_size;
	__u32 i_generation;
	long long i_ctime_sec; /* since 6.11 */
	__u32 i_ctime_nsec;
};

struct kmt_timespec64 {
	long long tv_sec;
	long tv_nsec;
};

struct inode___before_6_11 {
	struct kmt_timespec64 __i_ctime;
};

struct inode___before_6_6 {
	struct kmt_timespec64 i_ctime;
};

struct hlist_bl_node {
	struct hlist_bl_node **pprev;
};

struct qstr {
	const unsigned char *name;
};

struct dentry {
	struct hlist_bl_node d_hash;
	struct dentry *d_parent;
	struct qstr d_name;
	struct inode *d_inode;
	struct super_block *d_sb;
};

struct vfsmount {
	struct dentry *mnt_root;
	struct super_block *mnt_sb;
};

struct mount {
	struct mount *mnt_parent;
	struct dentry *mnt_mountpoint;
	struct vfsmount mnt;
	struct callback_head mnt_rcu;
};

struct path {
	struct vfsmount *mnt;
	struct dentry *dentry;
};

struct file {
	unsigned int f_mode;
	struct path f_path;
	struct inode *f_inode;
};

struct backing_file { /* since 6.8 with this */
	struct file file;
	struct path user_path;
};

struct bpf_iter_meta {
	struct seq_file *seq;
};

struct bpf_iter__task {
	struct bpf_iter_meta *meta;
	struct task_struct *task;
};

struct pcpu_hot { /* 6.2 to 6.14 */
	int preempt_count;
};

struct mod_kallsyms {
	void *symtab; /* of kmt_symbol */
	unsigned int num_symtab;
	char *strtab;
	char *typetab;
};

struct module_memory { /* since 6.4 */
	void *base;
	unsigned int size;
};

struct module {
	char name[56];
	struct mod_kallsyms *kallsyms;
	struct module_memory mem[5]; /* enum mod_mem_type: 0 is code, 4 init code */
};

struct module_layout { /* before 6.4 */
	void *base;
	unsigned int size;
};

struct module___before_6_4 {
	struct module_layout core_layout, init_layout;
};

#pragma clang attribute pop

/* Values, too, are found by name. */
enum pageflags {
	PG_head = 6,
	PG_slab = 9, /* before 6.10 */
};

enum pagetype { /* since 6.12 */
		PGTY_slab = 0xf5,
};

/* An ELF symbol: the same in all kernels. */
struct kmt_symbol {
	__u32 name; /* offset in the string table */
	__u8 info, other;
	__u16 section;
	__u64 value, size;
};

#endif /* KMEMTRACE_KERNEL_TYPES_H */

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The files that MAP records refer to. kernel/kmemtrace/mapped_files.c has the rules: when two
 * files are the same, and how many a user may have.
 *
 * The programs hold no reference to a file. Its path is read name by name when the file is first
 * mapped, while the mapping that is being made keeps the file. If a folder is renamed meanwhile,
 * the path is wrong: the recorder finds another file there, or none.
 */
#ifndef KMEMTRACE_MAPPED_FILES_H
#define KMEMTRACE_MAPPED_FILES_H

#include "kernel_types.h"
#include "shares.h"

#include <bpf/bpf_core_read.h>

#define KMT_FILE_PROBES  64          /* slots that a search looks at */
#define KMT_PATH_NAMES   256         /* of a path, with mounts; longer paths are not resolved */
#define KMT_FMODE_BACKED 0x3000000   /* FMODE_BACKING: its bit differs between kernels */
#define KMT_CTIME_NSEC   0x3fffffffU /* the kernel has a flag above */
#define KMT_NS_PER_SEC   1000000000LL

/* Without user stacks, the loader makes both maps small. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, KMT_BPF_FILES);
	__type(key, __u32);
	__type(value, struct kmt_bpf_file);
} files SEC(".maps");

/* Ids, by a hash of the key; 0: free. Set once. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, KMT_BPF_FILE_SLOTS);
	__type(key, __u32);
	__type(value, __u64);
} file_slots SEC(".maps");

struct kmt_kernel_path {
	__u64 mnt, dentry; /* addresses */
};

/* ---- keys ---- */

/*
 * Returns whether both belong to one file system. If not, this is no path, but memory beyond the
 * file.
 */
static __always_inline bool kmt_is_path(const struct kmt_kernel_path *path)
{
	const struct vfsmount *mnt = (const struct vfsmount *)path->mnt;
	const struct dentry *dentry = (const struct dentry *)path->dentry;
	const struct super_block *sb = BPF_CORE_READ(mnt, mnt_sb);

	return sb && sb == BPF_CORE_READ(dentry, d_sb);
}

/*
 * Returns the path that the user of a file opened. In overlayfs, the mapped file is the one in the
 * layer below. Some kernels have another bit for that, and use the first for something else.
 */
static __always_inline struct kmt_kernel_path kmt_file_path(const struct file *file)
{
	const struct backing_file *backing = (const void *)file;
	struct kmt_kernel_path path = { 0 };

	if (bpf_core_field_exists(backing->user_path) &&
	    BPF_CORE_READ(file, f_mode) & KMT_FMODE_BACKED) {
		path.mnt = (__u64)BPF_CORE_READ(backing, user_path.mnt);
		path.dentry = (__u64)BPF_CORE_READ(backing, user_path.dentry);
	}
	if (!path.mnt || !kmt_is_path(&path)) {
		path.mnt = (__u64)BPF_CORE_READ(file, f_path.mnt);
		path.dentry = (__u64)BPF_CORE_READ(file, f_path.dentry);
	}
	return path;
}

static __always_inline __s64 kmt_inode_ctime(const struct inode *inode)
{
	const struct inode___before_6_11 *before_6_11 = (const void *)inode;
	const struct inode___before_6_6 *before_6_6 = (const void *)inode;

	if (bpf_core_field_exists(inode->i_ctime_sec))
		return BPF_CORE_READ(inode, i_ctime_sec) * KMT_NS_PER_SEC +
		       (BPF_CORE_READ(inode, i_ctime_nsec) & KMT_CTIME_NSEC);
	if (bpf_core_field_exists(before_6_11->__i_ctime))
		return BPF_CORE_READ(before_6_11, __i_ctime.tv_sec) * KMT_NS_PER_SEC +
		       BPF_CORE_READ(before_6_11, __i_ctime.tv_nsec);
	return BPF_CORE_READ(before_6_6, i_ctime.tv_sec) * KMT_NS_PER_SEC +
	       BPF_CORE_READ(before_6_6, i_ctime.tv_nsec);
}

static __always_inline void kmt_file_key(struct kmt_bpf_file_key *key,
					 const struct kmt_kernel_path *path)
{
	const struct task_struct *task = (const struct task_struct *)bpf_get_current_task();
	const struct dentry *dentry = (const struct dentry *)path->dentry;
	const struct inode *inode = BPF_CORE_READ(dentry, d_inode);
	const struct super_block *sb = BPF_CORE_READ(inode, i_sb);

	key->inode = BPF_CORE_READ(inode, i_ino);
	key->ctime_ns = kmt_inode_ctime(inode);
	key->size = BPF_CORE_READ(inode, i_size);
	key->mount = path->mnt;
	key->user = (__u64)BPF_CORE_READ(task, cred, user_ns);
	/* The device number of a file system of a user namespace may be reused by another one. */
	key->dev = BPF_CORE_READ(sb, s_user_ns, level) ? 0 : BPF_CORE_READ(sb, s_dev);
	key->generation = BPF_CORE_READ(inode, i_generation);
}

/* Returns whether opening @file may wait for a server that any user can run: see the module. */
static __always_inline bool kmt_file_may_block(const struct file *file)
{
	const struct super_block *sb = BPF_CORE_READ(file, f_inode, i_sb);
	char type[4] = { 0 };

	bpf_probe_read_kernel(type, sizeof(type), BPF_CORE_READ(sb, s_type, name));
	return (type[0] == 'f' && type[1] == 'u' && type[2] == 's' && type[3] == 'e') ||
	       (BPF_CORE_READ(sb, s_stack_depth) && BPF_CORE_READ(sb, s_user_ns, level));
}

/* ---- paths ---- */

struct kmt_path_walk {
	struct kmt_bpf_file *file;
	__u64 mount, dentry;
	__u32 len;
	__u32 is_whole;
};

/* Appends the name of a dentry. False: there is no room for it, or it has none. */
static __always_inline bool kmt_path_put(struct kmt_path_walk *walk, const struct dentry *dentry)
{
	__u32 at = walk->len;
	long len;

	if (at > KMT_BPF_PATH - KMT_BPF_NAME_MAX)
		return false;
	len = bpf_probe_read_kernel_str(walk->file->path + at, KMT_BPF_NAME_MAX,
					BPF_CORE_READ(dentry, d_name.name));
	if (len <= 1)
		return false;
	walk->len = at + len;
	return true;
}

/* The body of a loop: goes to the parent folder, or to the mount point of the file system. */
static long kmt_path_step(__u32 i, struct kmt_path_walk *walk)
{
	const struct dentry *dentry = (const struct dentry *)walk->dentry;
	const struct mount *mount = (const struct mount *)walk->mount;
	__u64 parent = (__u64)BPF_CORE_READ(dentry, d_parent);

	if (walk->dentry == (__u64)BPF_CORE_READ(mount, mnt.mnt_root)) {
		__u64 outer = (__u64)BPF_CORE_READ(mount, mnt_parent);

		if (outer == walk->mount) {
			walk->is_whole = true;
			return 1;
		}
		walk->dentry = (__u64)BPF_CORE_READ(mount, mnt_mountpoint);
		walk->mount = outer;
		return 0;
	}
	if (!kmt_path_put(walk, dentry))
		return 1;
	if (parent == walk->dentry) { /* it is in no folder, like files of memfd_create() */
		walk->is_whole = true;
		walk->file->flags |= KMT_BPF_FILE_REMOVED;
		return 1;
	}
	walk->dentry = parent;
	return 0;
}

/* Finds the path. On failure the file has no name, and its mapping counts as one without room. */
static __always_inline void kmt_file_resolve(struct kmt_bpf_file *file,
					     const struct kmt_kernel_path *path)
{
	const struct dentry *dentry = (const struct dentry *)path->dentry;
	struct kmt_path_walk walk = {
		.file = file,
		.mount = path->mnt - bpf_core_field_offset(struct mount, mnt),
		.dentry = path->dentry,
	};

	if (!BPF_CORE_READ(dentry, d_hash.pprev) &&
	    path->dentry != (__u64)BPF_CORE_READ(dentry, d_parent))
		file->flags = KMT_BPF_FILE_REMOVED;
	bpf_loop(KMT_PATH_NAMES, kmt_path_step, &walk, 0);
	if (walk.is_whole)
		file->path_len = walk.len;
	else
		__sync_fetch_and_add(&state.files_refused, 1);
}

/* ---- ids ---- */

struct kmt_file_search {
	struct kmt_bpf_file_key key;
	struct kmt_kernel_path path;
	__u32 hash;
	__u32 new_id; /* not in a slot yet; 0: none */
	__u32 id;     /* the result */
};

static __always_inline struct kmt_bpf_file *kmt_file_of(__u32 id)
{
	__u32 at = id - 1;

	return id ? bpf_map_lookup_elem(&files, &at) : 0;
}

static __always_inline bool kmt_file_is(const struct kmt_bpf_file *file,
					const struct kmt_bpf_file_key *key)
{
	return !*(const volatile __u32 *)&file->is_forgotten && file->key.inode == key->inode &&
	       file->key.ctime_ns == key->ctime_ns && file->key.size == key->size &&
	       file->key.mount == key->mount && file->key.user == key->user &&
	       file->key.dev == key->dev && file->key.generation == key->generation;
}

/* Users choose much of a key, so the hash has a random factor. */
static __always_inline __u32 kmt_file_hash(const struct kmt_bpf_file_key *key)
{
	__u64 hash = key->inode;

	hash = (hash ^ key->ctime_ns) * config.stack_factor;
	hash = ((hash ^ hash >> 32) ^ key->size) * config.stack_factor;
	hash = ((hash ^ hash >> 32) ^ key->mount) * config.stack_factor;
	hash = ((hash ^ hash >> 32) ^ key->user) * config.stack_factor;
	hash = ((hash ^ hash >> 32) ^ ((__u64)key->dev << 32 | key->generation)) *
	       config.stack_factor;
	return hash >> 32;
}

/* Returns a new id; 0: there is none. */
static __always_inline __u32 kmt_file_add(const struct kmt_bpf_file_key *key)
{
	struct kmt_bpf_file *file;
	__u32 id;

	if (*(volatile __u32 *)&state.files >= KMT_BPF_FILES || !kmt_pay(KMT_BPF_OF_FILES, 1))
		return 0;
	id = __sync_fetch_and_add(&state.files, 1) + 1;
	file = kmt_file_of(id);
	if (!file)
		return 0;
	file->key = *key;
	return id;
}

/* The body of a loop: looks at a slot. If two CPUs add a file at once, one gets the slot. */
static long kmt_probe_file(__u32 i, struct kmt_file_search *search)
{
	__u32 at = (search->hash + i) & (KMT_BPF_FILE_SLOTS - 1), id;
	__u64 *slot = bpf_map_lookup_elem(&file_slots, &at);
	const struct kmt_bpf_file *file;

	if (!slot)
		return 1;
	id = *(volatile __u64 *)slot;
	if (!id) {
		if (!search->new_id)
			search->new_id = kmt_file_add(&search->key);
		if (!search->new_id)
			return 1;
		id = __sync_val_compare_and_swap(slot, 0, (__u64)search->new_id);
		if (!id) {
			search->id = search->new_id;
			return 1;
		}
	}
	file = kmt_file_of(id);
	if (!file || !kmt_file_is(file, &search->key))
		return 0;
	search->id = id;
	return 1;
}

/* Returns the id of the file at @addr, the same each time; 0: there is no room for it, or none. */
__noinline int kmt_file_id(__u64 addr)
{
	const struct file *kernel_file = (const struct file *)addr;
	struct kmt_file_search search = { .path = kmt_file_path(kernel_file) };
	struct kmt_bpf_file *file;

	if (!config.user_stacks || (kmt_file_may_block(kernel_file) && kmt_share_uid()))
		return 0;
	kmt_file_key(&search.key, &search.path);
	search.hash = kmt_file_hash(&search.key);
	bpf_loop(KMT_FILE_PROBES, kmt_probe_file, &search, 0);
	if (!search.id)
		__sync_fetch_and_add(&state.files_refused, 1);
	file = search.id && search.id == search.new_id ? kmt_file_of(search.id) : 0;
	if (file) {
		kmt_file_resolve(file, &search.path);
		barrier();
		*(volatile __u32 *)&file->flags |= KMT_BPF_FILE_READY;
	}
	return search.id;
}

/* ---- addresses that are reused ---- */

static __always_inline __u32 kmt_files_count(void)
{
	__u32 count = *(volatile __u32 *)&state.files;

	return count < KMT_BPF_FILES ? count : KMT_BPF_FILES;
}

struct kmt_forgotten {
	__u64 mount, user; /* one of the two is 0 */
};

static long kmt_forget_file(__u32 i, struct kmt_forgotten *forgotten)
{
	struct kmt_bpf_file *file = bpf_map_lookup_elem(&files, &i);

	if (file && (file->key.mount == forgotten->mount || file->key.user == forgotten->user))
		*(volatile __u32 *)&file->is_forgotten = 1;
	return !file;
}

static __always_inline void kmt_files_forget_mount(__u64 mount)
{
	struct kmt_forgotten forgotten = { .mount = mount };

	bpf_loop(kmt_files_count(), kmt_forget_file, &forgotten, 0);
}

/*
 * The body of a loop: forgets the files of a namespace other than the initial one, and goes to its
 * parent.
 */
static long kmt_forget_user(__u32 i, __u64 *user)
{
	struct kmt_forgotten forgotten = { .user = *user };
	const struct user_namespace *of = (const struct user_namespace *)*user;

	if (!*user || !BPF_CORE_READ(of, level))
		return 1;
	bpf_loop(kmt_files_count(), kmt_forget_file, &forgotten, 0);
	*user = (__u64)BPF_CORE_READ(of, parent);
	return 0;
}

/* Forgets the files of @user and of its ancestors, which may be freed with it. */
static __always_inline void kmt_files_forget_user(__u64 user)
{
	bpf_loop(KMT_NAMESPACE_LEVELS, kmt_forget_user, &user, 0);
}

#endif /* KMEMTRACE_MAPPED_FILES_H */

// SPDX-License-Identifier: GPL-2.0-only
/*
 * The callers have preemption off, and with PREEMPT_RT a spinlock sleeps. So a file gets its id in
 * a lock-free table. A work item resolves its path, and until then the file is held.
 */
#include <linux/cred.h>
#include <linux/dcache.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/jhash.h>
#include <linux/kdev_t.h>
#include <linux/llist.h>
#include <linux/random.h>
#include <linux/seq_file.h>
#include <linux/string.h>
#include <linux/user_namespace.h>
#include <linux/vmalloc.h>
#include <linux/workqueue.h>

#include "compat.h"
#include "mapped_files.h"
#include "share.h"

#if KMT_HAS_USER_STACKS

#define KMT_FILES_BITS     12
#define KMT_FILES_MAX      (1U << KMT_FILES_BITS)
#define KMT_FILES_TEXT_MAX (KMT_FILES_MAX * 96) /* bytes for all paths */

/*
 * One user may use a quarter of the table. All users except root together leave a quarter to root.
 */
#define KMT_FILES_OF_ONE(max) ((max) / 4)
#define KMT_FILES_OF_ALL(max) ((max) / 4 * 3)

/*
 * The identity of a file. A path depends on the mount. In a namespace of its own, anyone may mount
 * a file anywhere, and such a path must not name the file for others. So the mount and the user
 * namespace are part of the key. They are compared by address, and never dereferenced. A file that
 * is written or replaced has another change time.
 *
 * A user may mount a file system whose owner chooses inode numbers, sizes and times (FUSE). So the
 * device is part of the key, too. It is 0 for a file system that belongs to a user namespace:
 * device numbers are reused, and such a file must not pass for one of the machine's own file
 * systems.
 */
struct kmt_file_key {
	u64 inode;
	s64 ctime_ns;
	s64 size;
	const struct vfsmount *mount;
	const struct user_namespace *user;
	u32 dev;
	u32 generation;
};

struct kmt_file {
	struct kmt_file_key key; /* without padding */
	struct kmt_share *payer;
	u32 path;          /* offset in text, plus 1; 0: unknown. Release/acquire */
	bool is_forgotten; /* its key may be that of another file now */
	struct file *held; /* until its path is resolved */
	struct llist_node node;
};

static struct kmt_files {
	u32 seed;           /* of the hash: users choose much of a key */
	atomic_t count;     /* ids given out */
	atomic64_t refused; /* how often there was no room for a file */
	struct kmt_shares shares;
	u32 slots[2 * KMT_FILES_MAX];        /* id, or 0: free. Set once, by cmpxchg */
	struct kmt_file file[KMT_FILES_MAX]; /* by id - 1 */
	struct llist_head held;              /* files whose paths are to be resolved */
	/* Only the work item changes these: */
	u32 used; /* of text */
	u32 others_used;
	u32 user_used[KMT_SHARE_USERS]; /* by index in @shares */
	char text[KMT_FILES_TEXT_MAX];
	char path[PATH_MAX]; /* of the file that is being resolved */
} * kmt_files;               /* while there are buffers and user stacks are wanted */

/* ---- paths ---- */

static bool kmt_files_pay_text(const struct kmt_share *payer, u32 len)
{
	u32 *used;

	if (!payer)
		return true;
	used = &kmt_files->user_used[payer - kmt_files->shares.user];
	if (len > KMT_FILES_OF_ONE(KMT_FILES_TEXT_MAX) - *used ||
	    len > KMT_FILES_OF_ALL(KMT_FILES_TEXT_MAX) - kmt_files->others_used)
		return false;
	*used += len;
	kmt_files->others_used += len;
	return true;
}

/* Returns the offset of @text in kmt_files->text, plus 1; 0: there is no room for it. */
static u32 kmt_files_keep(const struct kmt_share *payer, const char *text)
{
	size_t len = strlen(text) + 1;
	u32 at = kmt_files->used;

	if (len > KMT_FILES_TEXT_MAX - at || !kmt_files_pay_text(payer, len)) {
		atomic64_inc(&kmt_files->refused);
		return 0;
	}
	memcpy(kmt_files->text + at, text, len);
	kmt_files->used += len;
	return at + 1;
}

static void kmt_file_resolve(struct kmt_file *file)
{
	const char *path =
		d_path(kmt_file_path(file->held), kmt_files->path, sizeof(kmt_files->path));

	if (!IS_ERR(path))
		smp_store_release(&file->path, kmt_files_keep(file->payer, path));
	/* The last reference to a file is dropped by the kernel's own work item, not here. */
	fput(file->held);
	file->held = NULL;
}

static void kmt_files_resolve(struct work_struct *work)
{
	struct llist_node *first = llist_reverse_order(llist_del_all(&kmt_files->held));
	struct kmt_file *file, *next;

	llist_for_each_entry_safe(file, next, first, node)
	{
		kmt_file_resolve(file);
		cond_resched();
	}
}

static DECLARE_WORK(kmt_files_work, kmt_files_resolve);

void kmt_files_finish(void)
{
	/* A handler that has put a file into the list may not have scheduled the work yet. */
	schedule_work(&kmt_files_work);
	flush_work(&kmt_files_work);
}

/* ---- ids ---- */

static bool kmt_file_is(u32 id, const struct kmt_file_key *key)
{
	const struct kmt_file *file = &kmt_files->file[id - 1];

	return !READ_ONCE(file->is_forgotten) && !memcmp(&file->key, key, sizeof(*key));
}

static u32 kmt_file_hash(const struct kmt_file_key *key)
{
	return jhash2((const u32 *)key, sizeof(*key) / sizeof(u32), kmt_files->seed) %
	       ARRAY_SIZE(kmt_files->slots);
}

/*
 * Returns a new id, which is not in slots yet; 0: there is none. The caller keeps its reference to
 * @file.
 */
static u32 kmt_file_add(const struct kmt_file_key *key, struct file *file)
{
	struct kmt_share *payer = kmt_share_of_current(&kmt_files->shares);
	unsigned int index = KMT_FILES_MAX;
	struct kmt_file *new;

	if (kmt_share_take(&kmt_files->shares, payer, 1, KMT_FILES_OF_ONE(KMT_FILES_MAX),
			   KMT_FILES_OF_ALL(KMT_FILES_MAX)))
		index = atomic_fetch_add_unless(&kmt_files->count, 1, KMT_FILES_MAX);
	if (index == KMT_FILES_MAX) {
		atomic64_inc(&kmt_files->refused);
		return 0;
	}
	new = &kmt_files->file[index];
	new->key = *key;
	new->payer = payer;
	new->held = get_file(file);
	/* The locks of work queues don't sleep. */
	if (llist_add(&new->node, &kmt_files->held))
		schedule_work(&kmt_files_work);
	return index + 1;
}

/*
 * Returns the id of the file with @key, always the same one. If two CPUs add the same file at once,
 * one wins the slot, and the id of the other stays unused.
 */
static u32 kmt_file_find(const struct kmt_file_key *key, struct file *file)
{
	u32 place = kmt_file_hash(key), new_id = 0;

	for (;; place = (place + 1) % ARRAY_SIZE(kmt_files->slots)) {
		u32 id = smp_load_acquire(&kmt_files->slots[place]);

		if (!id) {
			if (!new_id)
				new_id = kmt_file_add(key, file);
			if (!new_id)
				return 0;
			id = cmpxchg(&kmt_files->slots[place], 0, new_id);
			if (!id)
				return new_id;
		}
		if (kmt_file_is(id, key))
			return id;
	}
}

static u32 kmt_file_dev(const struct super_block *sb)
{
	return sb->s_user_ns == &init_user_ns ? sb->s_dev : 0;
}

/*
 * Returns whether dropping the last reference to @file may wait for a server that any user can run:
 * that of a FUSE file system (not virtiofs), also below overlayfs in a user namespace. The work
 * item must not drop it: the kernel closes all files of its threads one after the other.
 */
static bool kmt_file_may_block(const struct file *file)
{
	const struct super_block *sb = file_inode(file)->i_sb;

	return strncmp(sb->s_type->name, "fuse", 4) == 0 ||
	       (sb->s_stack_depth && sb->s_user_ns != &init_user_ns);
}

u32 kmt_file_id(struct file *file)
{
	const struct path *path = kmt_file_path(file);
	const struct inode *inode = d_inode(path->dentry);
	const struct timespec64 ctime = kmt_inode_ctime(inode);
	const struct kmt_file_key key = {
		.inode = inode->i_ino,
		.ctime_ns = timespec64_to_ns(&ctime),
		.size = i_size_read(inode),
		.mount = path->mnt,
		.user = current_user_ns(),
		.dev = kmt_file_dev(inode->i_sb),
		.generation = inode->i_generation,
	};

	BUILD_BUG_ON(sizeof(key) != 5 * sizeof(u64) + 2 * sizeof(u32));
	if (kmt_file_may_block(file) && kmt_share_of_current(&kmt_files->shares))
		return 0;
	return kmt_file_find(&key, file);
}

/* ---- reused addresses ---- */

static u32 kmt_files_count(void)
{
	return min_t(u32, atomic_read(&kmt_files->count), KMT_FILES_MAX);
}

void kmt_files_forget_mount(const struct vfsmount *mount)
{
	u32 i, count = kmt_files_count();

	for (i = 0; i < count; i++) {
		if (kmt_files->file[i].key.mount == mount)
			WRITE_ONCE(kmt_files->file[i].is_forgotten, true);
	}
}

/* Returns whether @user is @inner or one of its ancestors, but not the initial namespace. */
static bool kmt_file_is_around(const struct user_namespace *user,
			       const struct user_namespace *inner)
{
	while (inner != user && inner != &init_user_ns)
		inner = inner->parent;
	return inner != &init_user_ns;
}

void kmt_files_forget_user(const struct user_namespace *user)
{
	u32 i, count = kmt_files_count();

	for (i = 0; i < count; i++) {
		if (kmt_file_is_around(kmt_files->file[i].key.user, user))
			WRITE_ONCE(kmt_files->file[i].is_forgotten, true);
	}
}

void kmt_files_forget_all(void)
{
	u32 i, count = kmt_files_count();

	for (i = 0; i < count; i++)
		WRITE_ONCE(kmt_files->file[i].is_forgotten, true);
}

/* ---- the table ---- */

int kmt_files_init(void)
{
	kmt_files = vzalloc(sizeof(*kmt_files));
	if (!kmt_files)
		return -ENOMEM;
	kmt_files->seed = get_random_u32();
	return 0;
}

void kmt_files_exit(void)
{
	vfree(kmt_files);
	kmt_files = NULL;
}

u64 kmt_files_bytes(void)
{
	return kmt_files ? sizeof(*kmt_files) : 0;
}

bool kmt_files_are_on(void)
{
	return kmt_files;
}

/* Returns whether events may have @id: it is in slots. */
static bool kmt_file_is_used(u32 id)
{
	u32 place = kmt_file_hash(&kmt_files->file[id - 1].key), found;

	for (;; place = (place + 1) % ARRAY_SIZE(kmt_files->slots)) {
		found = smp_load_acquire(&kmt_files->slots[place]);
		if (!found || found == id)
			return found;
	}
}

static void kmt_file_show(struct seq_file *seq, u32 id)
{
	const struct kmt_file *file = &kmt_files->file[id - 1];
	u32 path = smp_load_acquire(&file->path);

	seq_printf(seq, "%u %llu %lld %lld %u:%u ", id, file->key.inode, file->key.ctime_ns,
		   file->key.size, MAJOR(file->key.dev), MINOR(file->key.dev));
	seq_escape(seq, path ? kmt_files->text + path - 1 : "?", "\n\\");
	seq_putc(seq, '\n');
}

void kmt_files_show(struct seq_file *seq)
{
	u32 id, count;

	if (!kmt_files)
		return;
	kmt_files_finish();
	count = kmt_files_count();
	for (id = 1; id <= count; id++) {
		if (kmt_file_is_used(id))
			kmt_file_show(seq, id);
	}
}

void kmt_files_show_refused(struct seq_file *seq)
{
	if (kmt_files)
		seq_printf(seq, "files refused %lld\n",
			   (long long)atomic64_read(&kmt_files->refused));
}

#else

int kmt_files_init(void)
{
	return 0;
}

void kmt_files_exit(void)
{
}

u64 kmt_files_bytes(void)
{
	return 0;
}

void kmt_files_show(struct seq_file *seq)
{
}

void kmt_files_show_refused(struct seq_file *seq)
{
}

#endif

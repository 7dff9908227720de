/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The files that MAP records refer to: a table of ids and paths. A lookup takes no lock and
 * allocates nothing; a work item resolves the paths.
 */
#ifndef KMEMTRACE_MAPPED_FILES_H
#define KMEMTRACE_MAPPED_FILES_H

#include <linux/types.h>

struct file;
struct seq_file;
struct user_namespace;
struct vfsmount;

/* Under kmt_mutex. */
int kmt_files_init(void); /* -ENOMEM */
void kmt_files_exit(void);
u64 kmt_files_bytes(void); /* memory held */
bool kmt_files_are_on(void);
void kmt_files_show(struct seq_file *seq);
void kmt_files_show_refused(struct seq_file *seq); /* a line, if the table exists */

/* Waits until the path of each file that already has an id is resolved. May sleep. */
void kmt_files_finish(void);

/*
 * Returns the id of @file, which the current process has mapped. 0: there is no room for it, or the
 * file is on FUSE and the process is not root's. From any context, while the table exists.
 */
u32 kmt_file_id(struct file *file);

/*
 * The memory of a mount, or of a user namespace and perhaps of its ancestors, is about to be freed
 * and may be reused: files that were found by its address get new ids from now on.
 */
void kmt_files_forget_mount(const struct vfsmount *mount);
void kmt_files_forget_user(const struct user_namespace *user);
void kmt_files_forget_all(void); /* frees may have been missed */

#endif /* KMEMTRACE_MAPPED_FILES_H */

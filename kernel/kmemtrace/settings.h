/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The control files that say what is traced.
 */
#ifndef KMEMTRACE_SETTINGS_H
#define KMEMTRACE_SETTINGS_H

struct dentry;

void kmt_settings_create(struct dentry *dir);

#endif /* KMEMTRACE_SETTINGS_H */

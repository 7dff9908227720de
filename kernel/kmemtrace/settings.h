/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The settings that select what is traced.
 */
#ifndef KMEMTRACE_SETTINGS_H
#define KMEMTRACE_SETTINGS_H

struct kobject;

/* Creates their files in @kobj, which owns them. Returns 0 or -errno. */
int kmt_settings_create(struct kobject *kobj);

#endif /* KMEMTRACE_SETTINGS_H */

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The settings that choose what is traced.
 */
#ifndef KMEMTRACE_SETTINGS_H
#define KMEMTRACE_SETTINGS_H

struct kobject;

/* Makes their files below @kobj. 0 or -errno; those that were made go with @kobj. */
int kmt_settings_create(struct kobject *kobj);

#endif /* KMEMTRACE_SETTINGS_H */

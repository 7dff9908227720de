// SPDX-License-Identifier: GPL-2.0-only
/*
 * The control interface: the files of /sys/kernel/kmemtrace. kmemtrace_abi.h describes them.
 *
 * They are in sysfs because lockdown refuses to open writable debugfs files, even in integrity
 * mode, which Secure Boot sets. sysfs does not check, so each file does.
 *
 * An open file does not hold the module. Removing the files waits for show() and store(), so
 * kmt_mutex must not be held then.
 */
#include <linux/capability.h>
#include <linux/kobject.h>
#include <linux/kstrtox.h>
#include <linux/security.h>
#include <linux/sysfs.h>

#include "chan.h"
#include "control.h"
#include "core.h"
#include "kmemtrace.h"
#include "mark.h"
#include "settings.h"

static struct kobject *kmt_kobj; /* from init to exit */

int kmt_check_access(void)
{
	if (!perfmon_capable())
		return -EPERM;
	return security_locked_down(LOCKDOWN_TRACEFS);
}

/* ---- files that hold one number ---- */

struct kmt_number {
	struct kobj_attribute attr;
	u64 (*get)(const struct kmt_number *number); /* NULL: write-only, so attr has no show() */
	int (*set)(const struct kmt_number *number, u64 value); /* called under kmt_mutex */
	unsigned int *size; /* for sizes: the field of kmt_config */
};

static ssize_t kmt_number_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	const struct kmt_number *number = container_of(attr, struct kmt_number, attr);

	if (!perfmon_capable())
		return -EPERM;
	return sysfs_emit(buf, "%llu\n", number->get(number));
}

static ssize_t kmt_number_store(struct kobject *kobj, struct kobj_attribute *attr, const char *buf,
				size_t count)
{
	const struct kmt_number *number = container_of(attr, struct kmt_number, attr);
	u64 value;
	int ret;

	if (!perfmon_capable())
		return -EPERM;
	ret = kstrtou64(buf, 0, &value);
	if (ret)
		return ret;
	mutex_lock(&kmt_mutex);
	ret = number->set(number, value);
	mutex_unlock(&kmt_mutex);
	return ret ?: count;
}

static u64 kmt_enable_get(const struct kmt_number *number)
{
	return kmt_is_keeping_maps() ? KMEMTRACE_ENABLE_MAPS : kmt_is_enabled();
}

static int kmt_enable_set(const struct kmt_number *number, u64 value)
{
	int ret;

	if (value > KMEMTRACE_ENABLE_MAPS)
		return -EINVAL;
	if (value == KMEMTRACE_ENABLE_MAPS)
		return kmt_keep_maps();
	if (!value) {
		kmt_disable();
		return 0;
	}
	ret = kmt_check_access();
	return ret ?: kmt_enable();
}

static int kmt_reset_set(const struct kmt_number *number, u64 value)
{
	if (value != KMEMTRACE_RESET_ALL && value != KMEMTRACE_RESET_FOLLOWS)
		return -EINVAL;
	return kmt_reset(value == KMEMTRACE_RESET_FOLLOWS);
}

static u64 kmt_flush_get(const struct kmt_number *number)
{
	u64 value;

	mutex_lock(&kmt_mutex);
	value = kmt_chan_flushed_ns();
	mutex_unlock(&kmt_mutex);
	return value;
}

static int kmt_flush_set(const struct kmt_number *number, u64 value)
{
	if (value != 1)
		return -EINVAL;
	return kmt_is_enabled() ? kmt_chan_flush_running() : -ENODEV;
}

static u64 kmt_size_get(const struct kmt_number *number)
{
	return READ_ONCE(*number->size);
}

static int kmt_size_set(const struct kmt_number *number, u64 value)
{
	unsigned int old = *number->size;
	int ret;

	if (value > UINT_MAX)
		return -EINVAL;
	if (kmt_has_buffers())
		return -EBUSY;
	*number->size = value;
	ret = kmt_config_check(&kmt_config);
	if (ret)
		*number->size = old;
	return ret;
}

#define KMT_NUMBER(name, mode, getter, setter)                                                     \
	{                                                                                          \
		.attr = __ATTR(name, mode, kmt_number_show, kmt_number_store), .get = getter,      \
		.set = setter,                                                                     \
	}

#define KMT_SIZE(name)                                                                             \
	{                                                                                          \
		.attr = __ATTR(name, 0600, kmt_number_show, kmt_number_store),                     \
		.get = kmt_size_get, .set = kmt_size_set, .size = &kmt_config.name,                \
	}

static struct kmt_number kmt_numbers[] = {
	KMT_NUMBER(enable, 0600, kmt_enable_get, kmt_enable_set),
	/* Root can change the mode, and then read the file: sysfs returns an error. */
	{ .attr = __ATTR(reset, 0200, NULL, kmt_number_store), .set = kmt_reset_set },
	KMT_NUMBER(flush, 0600, kmt_flush_get, kmt_flush_set),
	KMT_SIZE(subbuf_size),
	KMT_SIZE(subbufs),
	KMT_SIZE(stack_depth),
	KMT_SIZE(stack_bytes),
	KMT_SIZE(user_stacks),
};

/* ---- mark ---- */

static ssize_t kmt_mark_store(struct kobject *kobj, struct kobj_attribute *attr, const char *buf,
			      size_t count)
{
	if (!perfmon_capable())
		return -EPERM;
	return kmt_mark_write(buf, count);
}

/* Preallocated: sysfs allocates the buffer when the file is opened, so a mark allocates nothing. */
static struct kobj_attribute kmt_mark_attr = __ATTR_PREALLOC(mark, 0200, NULL, kmt_mark_store);

int kmt_control_init(void)
{
	unsigned int i;
	int ret;

	kmt_kobj = kobject_create_and_add(KMEMTRACE_SYSFS_DIR, kernel_kobj);
	if (!kmt_kobj)
		return -ENOMEM;
	ret = sysfs_create_file(kmt_kobj, &kmt_mark_attr.attr);
	for (i = 0; !ret && i < ARRAY_SIZE(kmt_numbers); i++)
		ret = sysfs_create_file(kmt_kobj, &kmt_numbers[i].attr.attr);
	if (!ret)
		ret = kmt_settings_create(kmt_kobj);
	if (ret)
		kmt_control_exit();
	return ret;
}

void kmt_control_exit(void)
{
	kobject_put(kmt_kobj);
	kmt_kobj = NULL;
}

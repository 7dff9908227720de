// SPDX-License-Identifier: GPL-2.0-only
#include <linux/capability.h>
#include <linux/ctype.h>
#include <linux/kobject.h>
#include <linux/kstrtox.h>
#include <linux/log2.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/sysfs.h>

#include "core.h"
#include "filter.h"
#include "kmemtrace.h"
#include "settings.h"
#include "sources.h"
#include "subuids.h"

/* ---- events ---- */

static const struct {
	const char *name;
	enum kmt_group group;
} kmt_group_names[] = {
	{ "slab", KMT_GROUP_SLAB },     { "page", KMT_GROUP_PAGE },
	{ "percpu", KMT_GROUP_PERCPU }, { "vmalloc", KMT_GROUP_VMALLOC },
	{ "frag", KMT_GROUP_FRAG },     { "buddy", KMT_GROUP_BUDDY },
};

static ssize_t kmt_show_events(char *text, size_t size)
{
	size_t len = 0;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(kmt_group_names); i++) {
		if (kmt_config.events & kmt_group_names[i].group)
			len += scnprintf(text + len, size - len, "%s%s", len ? " " : "",
					 kmt_group_names[i].name);
	}
	return len;
}

static int kmt_store_events(char *text)
{
	unsigned int events = 0, i;
	char *word;

	while ((word = strsep(&text, " ,\n"))) {
		if (!*word)
			continue;
		for (i = 0; i < ARRAY_SIZE(kmt_group_names); i++) {
			if (!strcmp(word, kmt_group_names[i].name))
				break;
		}
		if (i == ARRAY_SIZE(kmt_group_names))
			return -EINVAL;
		events |= kmt_group_names[i].group;
	}
	if (!events)
		return -EINVAL;
	kmt_config.events = events;
	return 0;
}

/* ---- filters ---- */

static int kmt_store_filter(const struct kmt_filter_config *config)
{
	int ret = kmt_filter_check(config);

	if (!ret)
		kmt_filter_config = *config;
	return ret;
}

/* Stores @text in the field of @size bytes at @offset. */
static int kmt_store_filter_text(char *text, size_t offset, size_t size)
{
	struct kmt_filter_config *config = kmemdup(&kmt_filter_config, sizeof(*config), GFP_KERNEL);
	int ret = -ENOMEM;

	if (config && strscpy((char *)config + offset, strim(text), size) < 0)
		ret = -E2BIG;
	else if (config)
		ret = kmt_store_filter(config);
	kfree(config);
	return ret;
}

static ssize_t kmt_show_pids(char *text, size_t size)
{
	return scnprintf(text, size, "%s", kmt_filter_config.pids);
}

static int kmt_store_pids(char *text)
{
	int ret = kmt_store_filter_text(text, offsetof(struct kmt_filter_config, pids),
					sizeof(kmt_filter_config.pids));

	if (!ret)
		kmt_unfollow();
	return ret;
}

static ssize_t kmt_show_cache(char *text, size_t size)
{
	return scnprintf(text, size, "%s", kmt_filter_config.cache);
}

static int kmt_store_cache(char *text)
{
	return kmt_store_filter_text(text, offsetof(struct kmt_filter_config, cache),
				     sizeof(kmt_filter_config.cache));
}

static int kmt_store_number(const char *text, u64 max, u64 *value)
{
	int ret = kstrtou64(text, 0, value);

	return ret ?: *value > max ? -EINVAL : 0;
}

static ssize_t kmt_show_cgroup(char *text, size_t size)
{
	return scnprintf(text, size, "%llu", kmt_filter_config.cgroup);
}

static int kmt_store_cgroup(char *text)
{
	u64 value;
	int ret = kmt_store_number(text, U64_MAX, &value);

	if (!ret && value && !IS_ENABLED(CONFIG_CGROUPS))
		ret = -EOPNOTSUPP;
	if (!ret)
		kmt_filter_config.cgroup = value;
	return ret;
}

static ssize_t kmt_show_size(char *text, size_t size)
{
	return scnprintf(text, size, "%u", kmt_filter_config.size);
}

static int kmt_store_size(char *text)
{
	u64 value;
	int ret = kmt_store_number(text, U32_MAX, &value);

	if (!ret)
		kmt_filter_config.size = value;
	return ret;
}

static ssize_t kmt_show_sample(char *text, size_t size)
{
	return scnprintf(text, size, "%u", kmt_filter_config.sample);
}

static int kmt_store_sample(char *text)
{
	u64 value;
	int ret = kmt_store_number(text, 1U << 31, &value);

	if (!ret && !is_power_of_2(value))
		ret = -EINVAL;
	if (!ret)
		kmt_filter_config.sample = value;
	return ret;
}

/* ---- overwrite ---- */

static ssize_t kmt_show_overwrite(char *text, size_t size)
{
	return scnprintf(text, size, "%d", kmt_config.overwrite);
}

static int kmt_store_overwrite(char *text)
{
	return kstrtobool(text, &kmt_config.overwrite);
}

/* ---- the files ---- */

static ssize_t kmt_setting_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf);
static ssize_t kmt_setting_store(struct kobject *kobj, struct kobj_attribute *attr, const char *buf,
				 size_t count);

#define KMT_SETTING(name, show_text, store_text)                                                   \
	{                                                                                          \
		.attr = __ATTR(name, 0600, kmt_setting_show, kmt_setting_store),                   \
		.show = show_text, .store = store_text,                                            \
	}

static struct kmt_setting {
	struct kobj_attribute attr;
	ssize_t (*show)(char *text, size_t size); /* called under kmt_mutex */
	int (*store)(char *text);                 /* called under kmt_mutex, if kmt_may_store() */
} kmt_settings[] = {
	KMT_SETTING(events, kmt_show_events, kmt_store_events),
	KMT_SETTING(overwrite, kmt_show_overwrite, kmt_store_overwrite),
	KMT_SETTING(filter_pids, kmt_show_pids, kmt_store_pids),
	KMT_SETTING(filter_cgroup, kmt_show_cgroup, kmt_store_cgroup),
	KMT_SETTING(filter_cache, kmt_show_cache, kmt_store_cache),
	KMT_SETTING(filter_size, kmt_show_size, kmt_store_size),
	KMT_SETTING(sample, kmt_show_sample, kmt_store_sample),
	KMT_SETTING(subuids, kmt_subuids_show, kmt_subuids_store),
};

static ssize_t kmt_setting_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	const struct kmt_setting *setting = container_of(attr, struct kmt_setting, attr);
	ssize_t len;

	if (!perfmon_capable())
		return -EPERM;
	mutex_lock(&kmt_mutex);
	len = setting->show(buf, PAGE_SIZE - 1);
	mutex_unlock(&kmt_mutex);
	return len + sysfs_emit_at(buf, len, "\n");
}

/*
 * Settings are constant while there are buffers, since a trace has one value for all its events.
 * The exception is "overwrite", which a reader must clear before it can drain the buffers.
 */
static bool kmt_may_store(const struct kmt_setting *setting)
{
	return !kmt_is_enabled() && (!kmt_has_buffers() || setting->store == kmt_store_overwrite);
}

/* Each write() replaces the setting. */
static ssize_t kmt_setting_store(struct kobject *kobj, struct kobj_attribute *attr, const char *buf,
				 size_t count)
{
	const struct kmt_setting *setting = container_of(attr, struct kmt_setting, attr);
	int ret = -EBUSY;
	char *text;

	if (!perfmon_capable())
		return -EPERM;
	text = kmemdup_nul(buf, count, GFP_KERNEL);
	if (!text)
		return -ENOMEM;
	mutex_lock(&kmt_mutex);
	if (kmt_may_store(setting))
		ret = setting->store(strim(text));
	mutex_unlock(&kmt_mutex);
	kfree(text);
	return ret ?: count;
}

int kmt_settings_create(struct kobject *kobj)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; !ret && i < ARRAY_SIZE(kmt_settings); i++)
		ret = sysfs_create_file(kobj, &kmt_settings[i].attr.attr);
	return ret;
}

// SPDX-License-Identifier: GPL-2.0-only
#include <linux/ctype.h>
#include <linux/debugfs.h>
#include <linux/fs.h>
#include <linux/kstrtox.h>
#include <linux/log2.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "clock.h"
#include "filter.h"
#include "kmemtrace.h"
#include "paths.h"
#include "settings.h"

/* ---- events ---- */

static const struct {
	const char *name;
	enum kmt_group group;
} kmt_group_names[] = {
	{ "slab",	KMT_GROUP_SLAB },
	{ "page",	KMT_GROUP_PAGE },
	{ "percpu",	KMT_GROUP_PERCPU },
	{ "vmalloc",	KMT_GROUP_VMALLOC },
	{ "frag",	KMT_GROUP_FRAG },
	{ "buddy",	KMT_GROUP_BUDDY },
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

static ssize_t kmt_show_pids(char *text, size_t size)
{
	return scnprintf(text, size, "%s", kmt_filter_config.pids);
}

static int kmt_store_pids(char *text)
{
	struct kmt_filter_config *config = kmemdup(&kmt_filter_config, sizeof(*config), GFP_KERNEL);
	int ret = -ENOMEM;

	if (config && strscpy(config->pids, strim(text), sizeof(config->pids)) < 0)
		ret = -E2BIG;
	else if (config)
		ret = kmt_store_filter(config);
	kfree(config);
	return ret;
}

static ssize_t kmt_show_cache(char *text, size_t size)
{
	return scnprintf(text, size, "%s", kmt_filter_config.cache);
}

static int kmt_store_cache(char *text)
{
	char *name = strim(text);

	if (strlen(name) >= sizeof(kmt_filter_config.cache))
		return -E2BIG;
	strscpy(kmt_filter_config.cache, name, sizeof(kmt_filter_config.cache));
	return 0;
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

static const struct kmt_setting {
	const char *name;
	ssize_t (*show)(char *text, size_t size);
	int (*store)(char *text);	/* changes it, under kmt_mutex while not enabled */
} kmt_settings[] = {
	{ "events",		kmt_show_events,	kmt_store_events },
	{ "overwrite",		kmt_show_overwrite,	kmt_store_overwrite },
	{ "filter_pids",	kmt_show_pids,		kmt_store_pids },
	{ "filter_cgroup",	kmt_show_cgroup,	kmt_store_cgroup },
	{ "filter_cache",	kmt_show_cache,		kmt_store_cache },
	{ "filter_size",	kmt_show_size,		kmt_store_size },
	{ "sample",		kmt_show_sample,	kmt_store_sample },
};

static int kmt_setting_show(struct seq_file *seq, void *unused)
{
	const struct kmt_setting *setting = seq->private;
	char *text = kmalloc(KMT_FILTER_PIDS_LEN, GFP_KERNEL);

	if (!text)
		return -ENOMEM;
	text[0] = '\0';
	mutex_lock(&kmt_mutex);
	setting->show(text, KMT_FILTER_PIDS_LEN);
	mutex_unlock(&kmt_mutex);
	seq_printf(seq, "%s\n", text);
	kfree(text);
	return 0;
}

static int kmt_setting_open(struct inode *inode, struct file *file)
{
	return single_open(file, kmt_setting_show, inode->i_private);
}

static ssize_t kmt_setting_write(struct file *file, const char __user *ubuf, size_t count,
				 loff_t *pos)
{
	const struct kmt_setting *setting = file_inode(file)->i_private;
	int ret = -EBUSY;
	char *text;

	if (count > KMT_FILTER_PIDS_LEN)
		return -E2BIG;
	text = memdup_user_nul(ubuf, count);
	if (IS_ERR(text))
		return PTR_ERR(text);
	mutex_lock(&kmt_mutex);
	if (!kmt_is_enabled())
		ret = setting->store(strim(text));
	mutex_unlock(&kmt_mutex);
	kfree(text);
	return ret ?: count;
}

static const struct file_operations kmt_setting_fops = {
	.owner = THIS_MODULE,
	.open = kmt_setting_open,
	.read = seq_read,
	.write = kmt_setting_write,
	.llseek = seq_lseek,
	.release = single_release,
};

static int kmt_paths_show(struct seq_file *seq, void *unused)
{
	mutex_lock(&kmt_mutex);
	kmt_probes_show(seq);
	kmt_calls_show(seq);
	kmt_clock_show_path(seq);
	mutex_unlock(&kmt_mutex);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(kmt_paths);

void kmt_settings_create(struct dentry *dir)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(kmt_settings); i++)
		debugfs_create_file(kmt_settings[i].name, 0600, dir, (void *)&kmt_settings[i],
				    &kmt_setting_fops);
	debugfs_create_file("paths", 0400, dir, NULL, &kmt_paths_fops);
}

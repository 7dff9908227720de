// SPDX-License-Identifier: GPL-2.0-only
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "kmemtrace_abi.h"
#include "subuids.h"

struct kmt_subuids {
	unsigned int count;
	struct {
		u32 first, last, owner;
	} range[KMEMTRACE_SUBUIDS_MAX];
};

static struct kmt_subuids kmt_subuids; /* constant while there are buffers */

u32 kmt_subuids_owner(u32 uid)
{
	unsigned int i;

	for (i = 0; i < kmt_subuids.count; i++) {
		if (uid >= kmt_subuids.range[i].first && uid <= kmt_subuids.range[i].last)
			return kmt_subuids.range[i].owner;
	}
	return uid;
}

/* Root has no share, so its ranges would have no limit. */
static int kmt_subuids_parse(struct kmt_subuids *subuids, char *text)
{
	char *line;
	char behind;

	while ((line = strsep(&text, "\n"))) {
		typeof(&subuids->range[0]) range = &subuids->range[subuids->count];

		if (!*line)
			continue;
		if (subuids->count == KMEMTRACE_SUBUIDS_MAX)
			return -E2BIG;
		if (sscanf(line, "%u %u %u%c", &range->first, &range->last, &range->owner,
			   &behind) != 3 ||
		    range->first > range->last || !range->owner)
			return -EINVAL;
		subuids->count++;
	}
	return 0;
}

int kmt_subuids_store(char *text)
{
	struct kmt_subuids *subuids = kzalloc(sizeof(*subuids), GFP_KERNEL);
	int ret;

	if (!subuids)
		return -ENOMEM;
	ret = kmt_subuids_parse(subuids, text);
	if (!ret)
		kmt_subuids = *subuids;
	kfree(subuids);
	return ret;
}

ssize_t kmt_subuids_show(char *text, size_t size)
{
	size_t len = 0;
	unsigned int i;

	for (i = 0; i < kmt_subuids.count; i++)
		len += scnprintf(text + len, size - len, "%s%u %u %u", len ? "\n" : "",
				 kmt_subuids.range[i].first, kmt_subuids.range[i].last,
				 kmt_subuids.range[i].owner);
	return len;
}

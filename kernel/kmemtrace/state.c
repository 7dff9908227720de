// SPDX-License-Identifier: GPL-2.0-only
/*
 * State that all files may use: the configuration, and whether tracing is enabled.
 */
#include <linux/errno.h>
#include <linux/mm.h>
#include <linux/sizes.h>

#include "compat.h"
#include "kmemtrace.h"
#include "kmemtrace_abi.h"
#include "sources.h"

#define KMT_SUBBUF_SIZE_MAX SZ_16M
#define KMT_SUBBUFS_MAX     65536
#define KMT_STACK_BYTES_MAX SZ_1G

DEFINE_MUTEX(kmt_mutex);

struct kmt_config kmt_config = {
	.subbuf_size = SZ_128K,
	.subbufs = 32,
	.stack_depth = 64,
	.stack_bytes = SZ_8M,
	.events = KMT_GROUP_SLAB | KMT_GROUP_PAGE,
};

DEFINE_STATIC_KEY_FALSE(kmt_user_key);

static bool kmt_enabled; /* written under kmt_mutex */

bool kmt_is_enabled(void)
{
	return smp_load_acquire(&kmt_enabled);
}

void kmt_set_enabled(bool enabled)
{
	smp_store_release(&kmt_enabled, enabled);
}

int kmt_config_check(const struct kmt_config *config)
{
	if (config->subbuf_size < PAGE_SIZE || config->subbuf_size > KMT_SUBBUF_SIZE_MAX ||
	    config->subbuf_size % PAGE_SIZE)
		return -EINVAL;
	if (config->subbufs < 2 || config->subbufs > KMT_SUBBUFS_MAX ||
	    (u64)config->subbuf_size * config->subbufs > SZ_1G)
		return -EINVAL;
	if (config->stack_depth > KMEMTRACE_STACK_DEPTH_MAX)
		return -EINVAL;
	if (config->stack_bytes < SZ_64K || config->stack_bytes > KMT_STACK_BYTES_MAX)
		return -EINVAL;
	if (config->user_stacks > 1)
		return -EINVAL;
	if (config->user_stacks && !KMT_HAS_USER_STACKS)
		return -EOPNOTSUPP;
	return 0;
}

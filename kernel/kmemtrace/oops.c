// SPDX-License-Identifier: GPL-2.0-only
#include <linux/kdebug.h>
#include <linux/notifier.h>
#include <linux/panic_notifier.h>
#include <linux/printk.h>

#include "chan.h"
#include "function_probes.h"
#include "kmemtrace.h"
#include "maps.h"
#include "oops.h"

static void kmt_oops_freeze(const char *why)
{
	if (!kmt_config.overwrite || !kmt_is_enabled() || kmt_chan_frozen())
		return;
	kmt_chan_freeze();
	kmt_function_probes_report_missed();
	kmt_maps_report_missed();
	pr_info("kmemtrace: frozen by %s; earlier events are kept\n", why);
}

static int kmt_die_notify(struct notifier_block *block, unsigned long action, void *data)
{
	if (action == DIE_OOPS)
		kmt_oops_freeze("an oops");
	return NOTIFY_DONE;
}

static int kmt_panic_notify(struct notifier_block *block, unsigned long action, void *data)
{
	kmt_oops_freeze("a panic");
	return NOTIFY_DONE;
}

static struct notifier_block kmt_die_block = { .notifier_call = kmt_die_notify };
static struct notifier_block kmt_panic_block = { .notifier_call = kmt_panic_notify };

int kmt_oops_init(void)
{
	int ret = register_die_notifier(&kmt_die_block);

	if (ret)
		return ret;
	ret = atomic_notifier_chain_register(&panic_notifier_list, &kmt_panic_block);
	if (ret)
		unregister_die_notifier(&kmt_die_block);
	return ret;
}

void kmt_oops_exit(void)
{
	atomic_notifier_chain_unregister(&panic_notifier_list, &kmt_panic_block);
	unregister_die_notifier(&kmt_die_block);
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * The list of modules. The notifier adds an entry before any code of the module runs. Probes read
 * the entries of loaded modules without a lock; entries are freed only when no probe runs, or after
 * a grace period.
 *
 * Any user can cause modules to be loaded whose initialization fails, as often as they like. So
 * unloaded modules are kept only while there are events, and at most KMT_MODULES_GONE of them.
 *
 * When a module is unloaded, and again when one is loaded, the frames learned from its address
 * range are forgotten: at neither time are they on any stack. Names of functions are kept while
 * there are events that may refer to them.
 */
#include <linux/kallsyms.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/rculist.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "chan.h"
#include "clock.h"
#include "compat.h"
#include "function_size.h"
#include "kmemtrace.h"
#include "module_symbols.h"
#include "modules.h"
#include "sources.h"

#define KMT_MODULES_GONE 8192 /* unloaded modules; readers know twice as many of both */

/* Bytes for the function names of all unloaded modules together. */
#define KMT_MODULE_SYMBOLS_MAX (4U << 20)

struct kmt_module {
	struct list_head list;       /* of all modules */
	struct list_head loaded;     /* of loaded modules */
	const struct module *module; /* of a loaded one; not to be read */
	struct rcu_head rcu;
	struct kmt_code text, init_text;
	struct kmt_code listed, listed_init; /* the same, also after they are freed */
	struct kmt_module_symbols functions, init_functions;
	u64 load_ns, live_ns, unload_ns; /* 0: before the session; not yet */
	char name[MODULE_NAME_LEN];
};

static LIST_HEAD(kmt_modules);
static LIST_HEAD(kmt_modules_loaded);   /* changed with RCU */
static unsigned int kmt_modules_gone;   /* unloaded modules that are kept */
static bool kmt_modules_dropped;        /* more, or more functions, were unloaded than are kept */
static DEFINE_MUTEX(kmt_modules_mutex); /* for changes, and to show them; taken under kmt_mutex */
static size_t kmt_modules_symbol_bytes;
static void (*kmt_modules_forget)(unsigned long start, unsigned long size);

static void kmt_forget_code(const struct kmt_code *code)
{
	if (!code->size)
		return;
	kmt_modules_forget(code->start, code->size);
}

static struct kmt_module *kmt_module_find(const struct module *module)
{
	struct kmt_module *seen;

	list_for_each_entry(seen, &kmt_modules_loaded, loaded) {
		if (seen->module == module)
			return seen;
	}
	return NULL;
}

static void kmt_module_came(const struct module *module, u64 load_ns, gfp_t gfp)
{
	struct kmt_module *seen;

	if (kmt_module_find(module))
		return;
	seen = kzalloc(sizeof(*seen), gfp);
	if (!seen) /* its code counts as temporary: its stacks are unwound each time */
		return;
	seen->module = module;
	seen->text.start = (unsigned long)KMT_MODULE_TEXT(module).base;
	seen->text.size = KMT_MODULE_TEXT(module).size;
	seen->listed = seen->text;
	if (module->state != MODULE_STATE_LIVE) {
		seen->init_text.start = (unsigned long)KMT_MODULE_INIT_TEXT(module).base;
		seen->init_text.size = KMT_MODULE_INIT_TEXT(module).size;
		seen->listed_init = seen->init_text;
	}
	seen->load_ns = load_ns;
	strscpy(seen->name, module->name, sizeof(seen->name));
	kmt_forget_code(&seen->text);
	kmt_forget_code(&seen->init_text);
	list_add_tail(&seen->list, &kmt_modules);
	list_add_tail_rcu(&seen->loaded, &kmt_modules_loaded);
}

static void kmt_code_goes(struct kmt_code *code)
{
	struct kmt_code gone = *code;

	WRITE_ONCE(code->size, 0); /* first, so that it is not learned again */
	kmt_forget_code(&gone);
}

/* Without events, names are not needed. */
static void kmt_module_keep(struct kmt_module_symbols *functions, const struct module *module,
			    const struct kmt_code *code)
{
	if (!kmt_chan_is_open())
		return;
	if (!kmt_module_symbols_keep(functions, module, code->start, code->size,
				     KMT_MODULE_SYMBOLS_MAX - kmt_modules_symbol_bytes))
		kmt_modules_dropped = true;
	kmt_modules_symbol_bytes += functions->len;
}

/* The module is initialized, and the memory of its init code is about to be freed. */
static void kmt_module_lives(const struct module *module)
{
	struct kmt_module *seen = kmt_module_find(module);

	if (!seen || !seen->init_text.size)
		return;
	kmt_module_keep(&seen->init_functions, module, &seen->init_text);
	kmt_code_goes(&seen->init_text);
	seen->live_ns = kmt_clock_ns();
}

static void kmt_module_drop_symbols(struct kmt_module *seen)
{
	kmt_modules_symbol_bytes -= seen->functions.len + seen->init_functions.len;
	kmt_module_symbols_drop(&seen->functions);
	kmt_module_symbols_drop(&seen->init_functions);
}

static void kmt_module_went(const struct module *module)
{
	struct kmt_module *seen = kmt_module_find(module);
	bool keep = kmt_chan_is_open() && kmt_modules_gone < KMT_MODULES_GONE;

	if (!seen)
		return;
	kmt_module_lives(module); /* if it wasn't live: its init failed */
	if (keep)
		kmt_module_keep(&seen->functions, module, &seen->text);
	kmt_code_goes(&seen->text);
	seen->unload_ns = kmt_clock_ns();
	list_del_rcu(&seen->loaded);
	if (keep) {
		kmt_modules_gone++;
		return;
	}
	kmt_modules_dropped = kmt_chan_is_open();
	kmt_module_drop_symbols(seen);
	list_del(&seen->list);
	kfree_rcu(seen, rcu);
}

static int kmt_module_notify(struct notifier_block *block, unsigned long action, void *data)
{
	/* kmt_reset() must not free the tables, nor may kmt_enable() change the clock. */
	mutex_lock(&kmt_mutex);
	mutex_lock(&kmt_modules_mutex);
	switch (action) {
	case MODULE_STATE_COMING:
		kmt_module_came(data, kmt_clock_ns(), GFP_KERNEL);
		break;
	case MODULE_STATE_LIVE:
		kmt_module_lives(data);
		break;
	case MODULE_STATE_GOING:
		kmt_module_went(data);
		break;
	}
	mutex_unlock(&kmt_modules_mutex);
	mutex_unlock(&kmt_mutex);
	return NOTIFY_OK;
}

static struct notifier_block kmt_module_notifier = { .notifier_call = kmt_module_notify };

#ifdef MODULE
/*
 * Returns whether @data, which may be code or data of the kernel, is a module's: symbols of modules
 * are written as "name+0x0/0x10 [module]".
 */
static bool kmt_is_in_module(const void *data)
{
	char text[KSYM_SYMBOL_LEN];

	sprint_symbol(text, (unsigned long)data);
	return strchr(text, '[');
}

/*
 * Adds the modules that are loaded. The list of modules is circular and has our own; its head is
 * the only entry that is not part of a module.
 */
static void kmt_modules_find_loaded(void)
{
	struct module *module;

	kmt_module_came(THIS_MODULE, 0, GFP_KERNEL);
	rcu_read_lock(); /* preemptible, as allocating requires with PREEMPT_RT */
	list_for_each_entry_rcu(module, &THIS_MODULE->list, list)
	{
		if (!kmt_is_in_module(&module->list))
			continue;
		if (module->state == MODULE_STATE_LIVE || module->state == MODULE_STATE_COMING)
			kmt_module_came(module, 0, GFP_ATOMIC);
	}
	rcu_read_unlock();
}
#else
static void kmt_modules_find_loaded(void)
{
}
#endif

int kmt_modules_init(void (*forget)(unsigned long start, unsigned long size))
{
	int ret;

	kmt_modules_forget = forget;
	ret = register_module_notifier(&kmt_module_notifier);
	if (ret)
		return ret;
	mutex_lock(&kmt_modules_mutex);
	kmt_modules_find_loaded();
	mutex_unlock(&kmt_modules_mutex);
	return 0;
}

static void kmt_modules_drop(bool all)
{
	struct kmt_module *seen, *next;

	mutex_lock(&kmt_modules_mutex);
	list_for_each_entry_safe(seen, next, &kmt_modules, list) {
		kmt_module_drop_symbols(seen);
		if (all || seen->unload_ns) {
			if (!seen->unload_ns)
				list_del(&seen->loaded);
			list_del(&seen->list);
			kfree(seen);
		} else {
			seen->load_ns = 0;
		}
	}
	kmt_modules_gone = 0;
	kmt_modules_dropped = false;
	mutex_unlock(&kmt_modules_mutex);
}

void kmt_modules_exit(void)
{
	unregister_module_notifier(&kmt_module_notifier);
	kmt_modules_drop(true);
}

void kmt_modules_reset(void)
{
	kmt_modules_drop(false);
}

u64 kmt_modules_bytes(void)
{
	struct kmt_module *seen;
	u64 bytes = 0;

	mutex_lock(&kmt_modules_mutex);
	list_for_each_entry(seen, &kmt_modules, list)
		bytes += sizeof(*seen) + seen->functions.len + seen->init_functions.len;
	mutex_unlock(&kmt_modules_mutex);
	return bytes;
}

void kmt_modules_show(struct seq_file *seq)
{
	const struct kmt_module *seen;

	mutex_lock(&kmt_modules_mutex);
	list_for_each_entry(seen, &kmt_modules, list)
		seq_printf(seq, "%llu %llu 0x%lx 0x%lx %s\n", seen->load_ns, seen->unload_ns,
			   seen->listed.start, seen->listed.size, seen->name);
	mutex_unlock(&kmt_modules_mutex);
}

void kmt_modules_show_path(struct seq_file *seq)
{
	const struct kmt_source source = {
		.name = "modules",
		.unseen = "more modules, or functions of theirs, were unloaded than are kept",
	};

	if (READ_ONCE(kmt_modules_dropped))
		kmt_source_show(seq, &source);
}

static void kmt_module_show_functions(struct seq_file *seq, const char *what, u64 load_ns,
				      u64 unload_ns, const struct kmt_code *code, const char *name,
				      const struct kmt_module_symbols *functions)
{
	if (!functions->text)
		return;
	seq_printf(seq, "%s %llu %llu 0x%lx 0x%lx %s\n", what, load_ns, unload_ns, code->start,
		   code->size, name);
	seq_write(seq, functions->text, functions->len);
}

void kmt_modules_show_functions(struct seq_file *seq)
{
	const struct kmt_module *seen;

	mutex_lock(&kmt_modules_mutex);
	list_for_each_entry(seen, &kmt_modules, list) {
		kmt_module_show_functions(seq, "init", seen->load_ns, seen->live_ns,
					  &seen->listed_init, seen->name, &seen->init_functions);
		kmt_module_show_functions(seq, "text", seen->load_ns, seen->unload_ns,
					  &seen->listed, seen->name, &seen->functions);
	}
	mutex_unlock(&kmt_modules_mutex);
}

bool kmt_is_lasting_code(unsigned long ip)
{
	const struct kmt_module *seen;

	if (kmt_is_kernel_code(ip))
		return true;
	list_for_each_entry_lockless(seen, &kmt_modules_loaded, loaded)
	{
		if (ip - seen->text.start < READ_ONCE(seen->text.size) ||
		    ip - seen->init_text.start < READ_ONCE(seen->init_text.size))
			return true;
	}
	return false;
}

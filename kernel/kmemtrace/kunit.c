// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests of encoders, tables and headers, and of bulk frees with tracing enabled. They set up
 * the tracer's own tables for each test, so tracing must be disabled when they run.
 */
#include <kunit/test.h>
#include <linux/completion.h>
#include <linux/cred.h>
#include <linux/kthread.h>
#include <linux/ptrace.h>
#include <linux/sizes.h>
#include <linux/slab.h>

#include "caches.h"
#include "chan.h"
#include "compat.h"
#include "core.h"
#include "event.h"
#include "fill_record.h"
#include "filter.h"
#include "frames.h"
#include "function_probes.h"
#include "function_size.h"
#include "kmemtrace.h"
#include "mark.h"
#include "names.h"
#include "slab_functions.h"
#include "sources.h"
#include "stack.h"
#include "subuids.h"
#include "traced_addrs.h"
#include "unwind_probe.h"

/* ---- encoders ---- */

static void kmt_test_fill_object(struct kunit *test)
{
	struct kmemtrace_record record;

	memset(&record, 0xa5, sizeof(record));
	kmt_fill_object(&record, (void *)0x1234, 5ULL << 32, 100, GFP_ATOMIC, -1, 7);
	KUNIT_EXPECT_EQ(test, record.addr, 0x1234ULL);
	KUNIT_EXPECT_EQ(test, record.bytes_req, U32_MAX);
	KUNIT_EXPECT_EQ(test, record.bytes_alloc, 100U);
	KUNIT_EXPECT_EQ(test, record.gfp, (__force u32)GFP_ATOMIC);
	KUNIT_EXPECT_EQ(test, record.cache, 7);
	KUNIT_EXPECT_EQ(test, record.node, KMEMTRACE_NODE_ANY);
	kmt_fill_object(&record, NULL, 0, 0, 0, 3, 0);
	KUNIT_EXPECT_EQ(test, record.node, 3);
	kmt_fill_object(&record, NULL, 0, 0, 0, 1000, 0);
	KUNIT_EXPECT_EQ(test, record.node, KMEMTRACE_NODE_HIGH);
	kmt_fill_freed(&record, &record, 9);
	KUNIT_EXPECT_EQ(test, record.addr, (u64)(unsigned long)&record);
	KUNIT_EXPECT_EQ(test, record.bytes_req | record.bytes_alloc | record.gfp, 0U);
}

static void kmt_test_fill_pages(struct kunit *test)
{
	struct page *page = virt_to_page(test);
	struct kmemtrace_record record;

	memset(&record, 0xa5, sizeof(record));
	kmt_fill_pages(&record, page, 3, 8 * PAGE_SIZE, 8 * PAGE_SIZE, GFP_KERNEL, 1);
	KUNIT_EXPECT_EQ(test, record.addr, (u64)page_to_pfn(page));
	KUNIT_EXPECT_EQ(test, record.page.order, 3);
	KUNIT_EXPECT_EQ(test, record.page.migratetype, 1);
	KUNIT_EXPECT_EQ(test, record.bytes_alloc, 8 * (u32)PAGE_SIZE);
	kmt_fill_no_pages(&record, 0, PAGE_SIZE, 0, 0xff);
	KUNIT_EXPECT_EQ(test, record.addr, 0ULL);
	KUNIT_EXPECT_EQ(test, record.node, KMEMTRACE_NODE_ANY);
}

static void kmt_test_tag(struct kunit *test)
{
	static const unsigned long sites[] = { 0, 0xffffffff81000000UL, 0xffffffffc0001234UL };
	static const u8 contexts[] = { 0, 1 << 6, 2 << 6 };
	unsigned int site, context;

	for (site = 0; site < ARRAY_SIZE(sites); site++) {
		for (context = 0; context < ARRAY_SIZE(contexts); context++) {
			unsigned long tag = kmt_stack_cache_tag(sites[site], contexts[context]);

			KUNIT_EXPECT_EQ(test, kmt_tag_call_site(tag), sites[site]);
			KUNIT_EXPECT_EQ(test, kmt_tag_is_irq(tag), contexts[context] != 0);
		}
	}
}

/* ---- the table of stacks ---- */

#define KMT_TEST_DEPTH 16

/* Writes a stack that differs in its middle from that of any other number. */
static void kmt_test_stack(unsigned long *addrs, unsigned int number)
{
	unsigned int i;

	for (i = 0; i < KMT_TEST_DEPTH; i++)
		addrs[i] = 0xffffffff81000000UL + i * 64;
	addrs[KMT_TEST_DEPTH / 2] += number * 8UL;
}

static void kmt_test_intern(struct kunit *test)
{
	unsigned long addrs[KMT_TEST_DEPTH];
	const unsigned int count = 3000;
	u32 *ids = kunit_kcalloc(test, count, sizeof(*ids), GFP_KERNEL);
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, ids);
	KUNIT_ASSERT_EQ(test, kmt_stack_init(SZ_1M, 1), 0);
	for (i = 0; i < count; i++) {
		kmt_test_stack(addrs, i);
		ids[i] = kmt_stack_intern(addrs, KMT_TEST_DEPTH, false);
		KUNIT_ASSERT_NE(test, ids[i], KMEMTRACE_STACK_NONE);
	}
	for (i = 0; i < count; i++) {
		kmt_test_stack(addrs, i);
		KUNIT_EXPECT_EQ(test, kmt_stack_intern(addrs, KMT_TEST_DEPTH, false), ids[i]);
		KUNIT_EXPECT_FALSE(test,
				   memcmp(kmt_stack_of_id(ids[i])->addr, addrs, sizeof(addrs)));
		KUNIT_EXPECT_TRUE(test, !i || ids[i] != ids[i - 1]);
	}
	/* The first addresses of a stack are another stack. */
	KUNIT_EXPECT_NE(test, kmt_stack_intern(addrs, KMT_TEST_DEPTH - 1, false), ids[count - 1]);
	kmt_stack_exit();
}

static u64 kmt_test_lost(enum kmemtrace_loss reason)
{
	unsigned int cpu;
	u64 sum = 0;

	for_each_possible_cpu(cpu)
		sum += per_cpu_ptr(&kmt_cpu, cpu)->lost[reason];
	return sum;
}

static void kmt_test_full(struct kunit *test)
{
	u64 lost = kmt_test_lost(KMEMTRACE_LOSS_STACK_FULL);
	unsigned long addrs[KMT_TEST_DEPTH];
	unsigned int i, refused = 0;
	u32 first = 0;

	KUNIT_ASSERT_EQ(test, kmt_stack_init(SZ_64K, 1), 0);
	for (i = 0; i < 4000; i++) {
		u32 id;

		kmt_test_stack(addrs, i);
		id = kmt_stack_intern(addrs, KMT_TEST_DEPTH, false);
		first = first ?: id;
		refused += id == KMEMTRACE_STACK_NONE;
	}
	KUNIT_EXPECT_GT(test, refused, 0U);
	KUNIT_EXPECT_EQ(test, kmt_test_lost(KMEMTRACE_LOSS_STACK_FULL) - lost, (u64)refused);
	KUNIT_EXPECT_LE(test, kmt_stack_used(), (u64)SZ_64K);
	/* Existing entries are still found. */
	kmt_test_stack(addrs, 0);
	KUNIT_EXPECT_EQ(test, kmt_stack_intern(addrs, KMT_TEST_DEPTH, false), first);
	kmt_stack_exit();
}

/* Stacks that differ only in upper bits of the last address have different slots. */
static void kmt_test_upper_bits(struct kunit *test)
{
	unsigned long addrs[KMT_TEST_DEPTH];
	unsigned int i;

	KUNIT_ASSERT_EQ(test, kmt_stack_init(SZ_64K, 1), 0);
	for (i = 0; i < 64; i++) {
		kmt_test_stack(addrs, 0);
		addrs[KMT_TEST_DEPTH - 1] ^= (unsigned long)i << 42;
		KUNIT_EXPECT_NE(test, kmt_stack_intern(addrs, KMT_TEST_DEPTH, false),
				KMEMTRACE_STACK_NONE);
	}
	kmt_stack_exit();
}

typedef u32 (*kmt_interner)(const unsigned long *addrs, unsigned int depth, bool cut);

/* Inserts stacks from @number on until one is refused, and returns how many. */
static unsigned int kmt_test_put(kmt_interner intern, unsigned int number)
{
	unsigned long addrs[KMT_TEST_DEPTH];
	unsigned int count;

	for (count = 0; count < 4000; count++) {
		kmt_test_stack(addrs, number + count);
		if (!intern(addrs, KMT_TEST_DEPTH, false))
			break;
	}
	return count;
}

/*
 * The same as another user, in a file system that works with the credentials of root, who mounted
 * it, as overlayfs does.
 */
static unsigned int kmt_test_put_as(struct kunit *test, unsigned int uid, kmt_interner intern,
				    unsigned int number)
{
	struct cred *user = prepare_creds(), *root = prepare_creds();
	const struct cred *old;
	unsigned int count;

	KUNIT_ASSERT_NOT_NULL(test, user);
	KUNIT_ASSERT_NOT_NULL(test, root);
	user->uid = KUIDT_INIT(uid);
	commit_creds(user);
	old = override_creds(root);
	count = kmt_test_put(intern, number);
	revert_creds(old);
	commit_creds(root);
	return count;
}

/* One user gets half of @part of the table, all users three quarters. */
static void kmt_test_shares(struct kunit *test, kmt_interner intern, unsigned int part)
{
	const unsigned int bytes = sizeof(struct kmemtrace_stack) + KMT_TEST_DEPTH * sizeof(u64);

	KUNIT_EXPECT_EQ(test, kmt_test_put_as(test, 1000, intern, 0), part / 2 / bytes);
	KUNIT_EXPECT_EQ(test, kmt_test_put_as(test, 1000, intern, 10000), 0U);
	KUNIT_EXPECT_EQ(test, kmt_test_put_as(test, 1001, intern, 10000),
			part / 4 * 3 / bytes - part / 2 / bytes);
	KUNIT_EXPECT_EQ(test, kmt_test_put_as(test, 1002, intern, 20000), 0U);
}

/* Subordinate uids count for the user who has them. */
static void kmt_test_subuids(struct kunit *test)
{
	static const char *const bad[] = { "1", "1 2", "2 1 3", "1 2 0", "1 2 3 4", "x 2 3" };
	char text[] = "100000 165535 1000\n165536 231071 1001";
	char shown[128] = "";
	unsigned int i;

	KUNIT_ASSERT_EQ(test, kmt_stack_init(SZ_64K, 1), 0);
	KUNIT_EXPECT_EQ(test, kmt_subuids_store(text), 0);
	kmt_subuids_show(shown, sizeof(shown));
	KUNIT_EXPECT_STREQ(test, shown, "100000 165535 1000\n165536 231071 1001");
	KUNIT_EXPECT_GT(test, kmt_test_put_as(test, 100000, kmt_stack_intern, 0), 0U);
	KUNIT_EXPECT_EQ(test, kmt_test_put_as(test, 165535, kmt_stack_intern, 10000), 0U);
	KUNIT_EXPECT_EQ(test, kmt_test_put_as(test, 1000, kmt_stack_intern, 20000), 0U);
	KUNIT_EXPECT_GT(test, kmt_test_put_as(test, 165536, kmt_stack_intern, 30000), 0U);
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		strscpy(text, bad[i], sizeof(text));
		KUNIT_EXPECT_EQ(test, kmt_subuids_store(text), -EINVAL);
	}
	KUNIT_EXPECT_EQ(test, kmt_subuids_owner(165535), 1000U);
	text[0] = 0;
	KUNIT_EXPECT_EQ(test, kmt_subuids_store(text), 0);
	KUNIT_EXPECT_EQ(test, kmt_subuids_owner(165535), 165535U);
	kmt_stack_exit();
}

/* User stacks get half of the table, with root's. */
static void kmt_test_user_share(struct kunit *test)
{
	const unsigned int bytes = sizeof(struct kmemtrace_stack) + KMT_TEST_DEPTH * sizeof(u64);
	unsigned long addrs[KMT_TEST_DEPTH];

	KUNIT_ASSERT_EQ(test, kmt_stack_init(SZ_64K, 1), 0);
	kmt_test_shares(test, kmt_stack_intern_user, SZ_64K / 2);
	KUNIT_EXPECT_EQ(test, kmt_test_put(kmt_stack_intern_user, 30000),
			SZ_64K / 2 / bytes - SZ_64K / 8 * 3 / bytes);
	KUNIT_EXPECT_LE(test, kmt_stack_used(), (u64)SZ_64K / 2 + 1024);
	kmt_test_stack(addrs, 50000);
	KUNIT_EXPECT_NE(test, kmt_stack_intern(addrs, KMT_TEST_DEPTH, false), KMEMTRACE_STACK_NONE);
	kmt_stack_exit();
}

/* Kernel stacks get what user stacks leave: all, if there are none. */
static void kmt_test_kernel_share(struct kunit *test)
{
	const unsigned int user_stacks = kmt_config.user_stacks;

	for (kmt_config.user_stacks = 0; kmt_config.user_stacks < 2; kmt_config.user_stacks++) {
		KUNIT_ASSERT_EQ(test, kmt_stack_init(SZ_64K, 1), 0);
		kmt_test_shares(test, kmt_stack_intern, SZ_64K >> kmt_config.user_stacks);
		KUNIT_EXPECT_GT(test, kmt_test_put(kmt_stack_intern, 30000), 0U);
		kmt_stack_exit();
	}
	kmt_config.user_stacks = user_stacks;
}

struct kmt_test_thread {
	struct completion done;
	u32 ids[1000];
};

static int kmt_test_insert(void *data)
{
	struct kmt_test_thread *thread = data;
	unsigned long addrs[KMT_TEST_DEPTH];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(thread->ids); i++) {
		kmt_test_stack(addrs, i);
		thread->ids[i] = kmt_stack_intern(addrs, KMT_TEST_DEPTH, false);
	}
	complete(&thread->done);
	return 0;
}

/* All CPUs insert the same stacks at the same time, and get the same ids. */
static void kmt_test_concurrent(struct kunit *test)
{
	unsigned int threads = 2 * num_online_cpus(), i;
	struct kmt_test_thread *thread;

	thread = kunit_kcalloc(test, threads, sizeof(*thread), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, thread);
	KUNIT_ASSERT_EQ(test, kmt_stack_init(SZ_1M, 1), 0);
	for (i = 0; i < threads; i++) {
		init_completion(&thread[i].done);
		KUNIT_ASSERT_FALSE(
			test, IS_ERR(kthread_run(kmt_test_insert, &thread[i], "kmemtrace-test")));
	}
	for (i = 0; i < threads; i++)
		wait_for_completion(&thread[i].done);
	for (i = 1; i < threads; i++)
		KUNIT_EXPECT_FALSE(test,
				   memcmp(thread[i].ids, thread[0].ids, sizeof(thread[0].ids)));
	for (i = 0; i < ARRAY_SIZE(thread[0].ids); i++)
		KUNIT_EXPECT_NE(test, thread[0].ids[i], KMEMTRACE_STACK_NONE);
	kmt_stack_exit();
}

/* ---- the tables of frames and of kept addresses ---- */

static void kmt_test_frames(struct kunit *test)
{
	const unsigned long start = 0xffffffffc0000000UL;
	struct kmt_frame frame = { .kind = KMT_FRAME_SP, .cfa = 48 };
	unsigned int i;

	KUNIT_ASSERT_EQ(test, kmt_frames_init(256), 0);
	for (i = 0; i < 200; i++) {
		frame.key = kmt_frame_key(start + i * 16, i & 1);
		kmt_frame_add(&frame);
		kmt_frame_add(&frame);
	}
	KUNIT_ASSERT_NOT_NULL(test, kmt_frame_find(kmt_frame_key(start + 16, true)));
	KUNIT_EXPECT_NULL(test, kmt_frame_find(kmt_frame_key(start + 16, false)));
	KUNIT_EXPECT_EQ(test, kmt_frame_ip(kmt_frame_find(kmt_frame_key(start + 16, true))),
			start + 16);
	kmt_frames_forget(start, 16 * 100);
	KUNIT_EXPECT_NULL(test, kmt_frame_find(kmt_frame_key(start + 99 * 16, true)));
	KUNIT_EXPECT_NOT_NULL(test, kmt_frame_find(kmt_frame_key(start + 100 * 16, false)));
	for (i = 0; i < 1000; i++) { /* more than there is room for */
		frame.key = kmt_frame_key(start + 0x10000 + i * 16, false);
		kmt_frame_add(&frame);
	}
	KUNIT_EXPECT_LE(test, kmt_frames_known(), 256ULL);
	kmt_frames_exit();
}

static void kmt_test_kept(struct kunit *test)
{
	const u64 base = 0xffff888000000000ULL, count = 2000000;
	u64 i, missing = 0;

	KUNIT_ASSERT_EQ(test, kmt_traced_addrs_init(), 0);
	KUNIT_EXPECT_FALSE(test, kmt_traced_addrs_has(base, false));
	kmt_traced_addrs_add(base);
	kmt_traced_addrs_add(base);
	KUNIT_EXPECT_TRUE(test, kmt_traced_addrs_has(base, false));
	KUNIT_EXPECT_TRUE(test, kmt_traced_addrs_has(base, true));
	KUNIT_EXPECT_FALSE(test, kmt_traced_addrs_has(base, true));
	kmt_traced_addrs_add_bits(base, 0x0f);
	kmt_traced_addrs_add_bits(base, 0xf0);
	KUNIT_EXPECT_FALSE(test, kmt_traced_addrs_take_bits(base, 0xff00));
	KUNIT_EXPECT_TRUE(test, kmt_traced_addrs_take_bits(base, 0x18));
	KUNIT_EXPECT_FALSE(test, kmt_traced_addrs_take_bits(base, 0x18));
	KUNIT_EXPECT_TRUE(test, kmt_traced_addrs_take_bits(base, 0xffff));
	KUNIT_EXPECT_FALSE(test, kmt_traced_addrs_take_bits(base, 0xffff));
	/* Many more than fit: none may be missing. */
	for (i = 0; i < count; i++)
		kmt_traced_addrs_add(base + i * 64);
	for (i = 0; i < count; i++)
		missing += !kmt_traced_addrs_has(base + i * 64, true);
	KUNIT_EXPECT_EQ(test, missing, 0ULL);
	kmt_traced_addrs_exit();
}

/* ---- the table of caches ---- */

/* A cache is destroyed, and a new one gets its address and the address of its name. */
static void kmt_test_cache_reuse(struct kunit *test)
{
	char text[] = "kmemtrace-test", *name;
	struct kmem_cache *cache;
	u16 first, second;

	if (!kmt_name_offset)
		kunit_skip(test, "names are not known");
	cache = kmem_cache_create(text, 64, 0, SLAB_POISON, NULL);
	KUNIT_ASSERT_NOT_NULL(test, cache);
	name = (char *)kmt_cache_identity(cache);
	KUNIT_ASSERT_STREQ(test, name, text);
	kmt_caches_reset();
	first = kmt_cache_lookup(cache).id;
	KUNIT_EXPECT_NE(test, first, KMEMTRACE_CACHE_NONE);
	kmt_cache_note_free(cache, cache); /* not to the cache of caches */
	name[0] = 'K';
	KUNIT_EXPECT_EQ(test, kmt_cache_lookup(cache).id, first);
	kmt_cache_forget(cache);
	second = kmt_cache_lookup(cache).id;
	KUNIT_EXPECT_NE(test, second, KMEMTRACE_CACHE_NONE);
	KUNIT_EXPECT_NE(test, second, first);
	KUNIT_EXPECT_EQ(test, kmt_cache_lookup(cache).id, second);
	/* The name of the first cache gets its id again. */
	name[0] = text[0];
	kmt_cache_forget(cache);
	KUNIT_EXPECT_EQ(test, kmt_cache_lookup(cache).id, first);
	/* The same if the end was missed: after a pause. */
	kmt_caches_invalidate();
	KUNIT_EXPECT_EQ(test, kmt_cache_lookup(cache).id, first);
	name[0] = 'K';
	kmt_caches_invalidate();
	KUNIT_EXPECT_EQ(test, kmt_cache_lookup(cache).id, second);
	kmem_cache_destroy(cache);
	kmt_caches_reset();
}

/* ---- the stack cache and the unwinder's tables, which frame records make unnecessary ---- */

#ifdef CONFIG_UNWINDER_ORC
struct kmt_test_stack_cache {
	struct kmt_walk walk;
	unsigned long stack[128];
	struct kmt_stack_cache_entry entry; /* its addresses follow */
};

/* The walk ends at a saved pointer, in a part without addresses. The word there may be anything. */
static void kmt_test_stack_cache_empty_part(struct kunit *test)
{
	struct kmt_caller_regs here = { .ip = 0xffffffff81000040UL };
	struct kmt_test_stack_cache *state;
	struct kmt_stack_cache_entry *entry;
	unsigned long *stack, low;
	struct kmt_walk *walk;

	if (!kmt_stack_cache_layout.stride)
		kmt_stack_cache_reset(KMT_TEST_DEPTH);
	state = kunit_kzalloc(test, sizeof(*state) + kmt_stack_cache_layout.stride, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, state);
	entry = &state->entry;
	walk = &state->walk;
	stack = state->stack;
	low = (unsigned long)stack;
	here.sp = (unsigned long)&stack[8];
	stack[9] = 0xffffffff81000080UL;
	stack[10] = (unsigned long)&stack[100];
	walk->count = 2;
	walk->addr[0] = here.ip;
	walk->addr[1] = stack[9];
	walk->slot[1] = (unsigned long)&stack[9];
	walk->parts = 2;
	walk->part[0] = (struct kmt_walk_part){ .base = here.sp, .first = 1 };
	walk->part[1] = (struct kmt_walk_part){
		.base = stack[10],
		.slot = (unsigned long)&stack[10],
		.first = 2,
	};
	entry->addr[3].addr = 1; /* stops a comparison that goes too far */
	kmt_stack_cache_keep(entry, walk, &here, 0, (struct kmt_origin){ here.ip, 5 });
	KUNIT_ASSERT_EQ(test, entry->ip, here.ip);
	KUNIT_EXPECT_TRUE(test, kmt_stack_cache_holds(entry, here.sp, 0, low));
	stack[100] = 1;
	KUNIT_EXPECT_TRUE(test, kmt_stack_cache_holds(entry, here.sp, 0, low));
	stack[9]++;
	KUNIT_EXPECT_FALSE(test, kmt_stack_cache_holds(entry, here.sp, 0, low));
}

/* The unwinder's step from here is found, and plausible. */
static noinline void kmt_test_learn(struct kunit *test)
{
	unsigned long ip = (unsigned long)__builtin_return_address(0);
	struct kmt_frame frame;

	KUNIT_ASSERT_EQ(test, kmt_unwind_probe_init(), 0);
	frame = kmt_unwind_probe(ip, false);
	KUNIT_EXPECT_EQ(test, frame.key, ip);
	KUNIT_EXPECT_NE(test, frame.kind, KMT_FRAME_UNKNOWN);
	KUNIT_EXPECT_GE(test, frame.cfa, 8);
	/* Not an address of code. */
	frame = kmt_unwind_probe((unsigned long)test, false);
	KUNIT_EXPECT_EQ(test, frame.kind, KMT_FRAME_UNKNOWN);
	kmt_unwind_probe_exit();
}
#endif

/* ---- headers, sequence numbers, full buffers ---- */

/* Opens sub-buffers of one page. The caller saves the old kmt_config for kmt_test_close(). */
static void kmt_test_open(struct kunit *test, unsigned int subbufs, u64 session)
{
	kmt_config.subbuf_size = PAGE_SIZE;
	kmt_config.subbufs = subbufs;
	kmt_event_reset();
	KUNIT_ASSERT_EQ(test, kmt_chan_open(session), 0);
}

static void kmt_test_close(const struct kmt_config *config)
{
	kmt_chan_set_writable(KMT_WRITABLE_NONE);
	kmt_chan_close();
	kmt_event_reset();
	kmt_config = *config;
}

/* Writes records on this CPU until @count are written or lost. */
static void kmt_test_write(unsigned int count)
{
	unsigned long flags;

	local_irq_save(flags);
	while (count--) {
		struct kmt_cpu *cpu = this_cpu_ptr(&kmt_cpu);
		struct kmemtrace_record *record = kmt_chan_reserve(cpu);

		if (record)
			record->type = KMEMTRACE_EVENT_KFREE;
		else
			kmt_chan_count_lost(cpu, KMEMTRACE_LOSS_BUFFER_FULL, 1);
	}
	local_irq_restore(flags);
}

static void kmt_test_headers(struct kunit *test)
{
	const unsigned int in_one = (PAGE_SIZE - sizeof(struct kmemtrace_subbuf_header)) /
				    sizeof(struct kmemtrace_record);
	const struct kmt_config config = kmt_config;
	const struct kmemtrace_subbuf_header *header;
	unsigned int cpu, i;

	kmt_test_open(test, 4, 77);
	kmt_chan_set_writable(KMT_WRITABLE_ALL);
	migrate_disable();
	cpu = smp_processor_id();
	kmt_test_write(4 * in_one + 10);
	migrate_enable();
	for (i = 0; i < 4; i++) {
		header = kmt_chan_subbuf(cpu, i);
		KUNIT_EXPECT_EQ(test, header->magic, KMEMTRACE_SUBBUF_MAGIC);
		KUNIT_EXPECT_EQ(test, header->seq, (u64)i);
		KUNIT_EXPECT_EQ(test, header->cpu, cpu);
		KUNIT_EXPECT_EQ(test, header->session, 77ULL);
		KUNIT_EXPECT_EQ(test, header->written, (u64)i * in_one);
		KUNIT_EXPECT_EQ(test, header->lost[KMEMTRACE_LOSS_BUFFER_FULL], 0ULL);
	}
	KUNIT_EXPECT_EQ(test, per_cpu_ptr(&kmt_cpu, cpu)->written, 4ULL * in_one);
	KUNIT_EXPECT_EQ(test, per_cpu_ptr(&kmt_cpu, cpu)->lost[KMEMTRACE_LOSS_BUFFER_FULL], 10ULL);
	kmt_test_close(&config);
}

#define KMT_TEST_ATTEMPTS 200000

/* Counts its attempts to write. */
static int kmt_test_write_until_stopped(void *attempts)
{
	while (!kthread_should_stop()) {
		kmt_test_write(1);
		WRITE_ONCE(*(unsigned int *)attempts, *(unsigned int *)attempts + 1);
		cond_resched();
	}
	return 0;
}

/* Once records may not be written, none is, though another CPU flushes and probes still run. */
static void kmt_test_flush_elsewhere(struct kunit *test)
{
	const struct kmt_config config = kmt_config;
	unsigned int there, attempts = 0, before;
	struct task_struct *thread;
	u64 written;

	migrate_disable();
	there = cpumask_any_but(cpu_online_mask, smp_processor_id());
	if (there >= nr_cpu_ids) {
		migrate_enable();
		kunit_skip(test, "one CPU");
	}
	kmt_test_open(test, 4, 83);
	kmt_config.overwrite = true;
	thread = kthread_create(kmt_test_write_until_stopped, &attempts, "writer");
	KUNIT_ASSERT_FALSE(test, IS_ERR(thread));
	kthread_bind(thread, there);
	kmt_chan_set_writable(KMT_WRITABLE_ALL);
	wake_up_process(thread);
	while (!READ_ONCE(per_cpu_ptr(&kmt_cpu, there)->written))
		cond_resched();
	kmt_chan_set_writable(KMT_WRITABLE_NONE);
	written = READ_ONCE(per_cpu_ptr(&kmt_cpu, there)->written);
	before = READ_ONCE(attempts);
	while (READ_ONCE(attempts) - before < KMT_TEST_ATTEMPTS) {
		kmt_chan_flush();
		cond_resched();
	}
	kthread_stop(thread);
	migrate_enable();
	KUNIT_EXPECT_EQ(test, per_cpu_ptr(&kmt_cpu, there)->written, written);
	kmt_test_close(&config);
}

/* An event while another one is being written, as in an interrupt. */
static void kmt_test_recurse(void)
{
	struct kmt_event outer, inner;

	if (!kmt_event_enter(&outer))
		return;
	if (kmt_event_enter(&inner))
		kmt_event_leave(&inner);
	kmt_event_leave(&outer);
}

/* While records may not be written, missing ones are not lost. */
static void kmt_test_no_loss(struct kunit *test)
{
	const struct kmt_config config = kmt_config;
	u64 lost;

	kmt_test_open(test, 4, 80);
	lost = kmt_test_lost(KMEMTRACE_LOSS_RECURSION);
	kmt_test_recurse();
	KUNIT_EXPECT_EQ(test, kmt_test_lost(KMEMTRACE_LOSS_RECURSION), lost);
	kmt_chan_set_writable(KMT_WRITABLE_ALL);
	kmt_test_recurse();
	KUNIT_EXPECT_EQ(test, kmt_test_lost(KMEMTRACE_LOSS_RECURSION), lost + 1);
	kmt_chan_freeze();
	kmt_test_recurse();
	kmt_chan_count_lost_any_context(KMEMTRACE_LOSS_NMI, 1);
	KUNIT_EXPECT_EQ(test, kmt_test_lost(KMEMTRACE_LOSS_RECURSION), lost + 1);
	KUNIT_EXPECT_EQ(test, kmt_test_lost(KMEMTRACE_LOSS_NMI), 0ULL);
	kmt_test_close(&config);
}

/* ---- flush ---- */

static u64 kmt_test_seq(unsigned int cpu)
{
	return per_cpu_ptr(&kmt_cpu, cpu)->seq;
}

/* Writing continues in the next sub-buffer, as if this one were full. */
static void kmt_test_flush(struct kunit *test)
{
	const struct kmt_config config = kmt_config;
	const struct kmemtrace_subbuf_header *header;
	unsigned int cpu, i;
	u64 flushed_ns = 0;

	kmt_test_open(test, 6, 79);
	kmt_chan_set_writable(KMT_WRITABLE_ALL);
	migrate_disable();
	cpu = smp_processor_id();
	KUNIT_EXPECT_EQ(test, kmt_chan_flushed_ns(), 0ULL);
	KUNIT_EXPECT_EQ(test, kmt_chan_flush_running(), 0); /* nothing to complete */
	KUNIT_EXPECT_GT(test, kmt_chan_flushed_ns(), 0ULL);
	KUNIT_EXPECT_EQ(test, kmt_test_seq(cpu), 1ULL);
	for (i = 1; i <= 4; i++) { /* before the last one, three wait and three are free */
		KUNIT_EXPECT_EQ(test, kmt_test_seq(cpu), (u64)i);
		flushed_ns = kmt_chan_flushed_ns();
		kmt_test_write(i);
		KUNIT_EXPECT_EQ(test, kmt_chan_flush_running(), 0);
		KUNIT_EXPECT_GE(test, kmt_chan_flushed_ns(), flushed_ns);
		header = kmt_chan_subbuf(cpu, i);
		KUNIT_EXPECT_EQ(test, header->seq, (u64)i);
		KUNIT_EXPECT_EQ(test, header->written, (u64)i * (i + 1) / 2);
		KUNIT_EXPECT_GE(test, header->time_ns, kmt_chan_flushed_ns());
		KUNIT_EXPECT_EQ(test, kmt_chan_flush_running(), 0); /* nothing to complete */
	}
	flushed_ns = kmt_chan_flushed_ns();
	kmt_test_write(1);
	KUNIT_EXPECT_EQ(test, kmt_chan_flush_running(), -EAGAIN);
	KUNIT_EXPECT_EQ(test, kmt_chan_flushed_ns(), flushed_ns);
	KUNIT_EXPECT_EQ(test, kmt_test_seq(cpu), 5ULL);
	migrate_enable();
	KUNIT_EXPECT_EQ(test, per_cpu_ptr(&kmt_cpu, cpu)->written, 11ULL);
	KUNIT_EXPECT_EQ(test, per_cpu_ptr(&kmt_cpu, cpu)->lost[KMEMTRACE_LOSS_BUFFER_FULL], 0ULL);
	kmt_test_close(&config);
}

/* When all sub-buffers are full, there is nothing to complete, and all can be read. */
static void kmt_test_flush_full(struct kunit *test)
{
	const unsigned int in_one = (PAGE_SIZE - sizeof(struct kmemtrace_subbuf_header)) /
				    sizeof(struct kmemtrace_record);
	const struct kmt_config config = kmt_config;
	unsigned int cpu;

	kmt_test_open(test, 2, 80);
	kmt_chan_set_writable(KMT_WRITABLE_ALL);
	migrate_disable();
	cpu = smp_processor_id();
	kmt_test_write(in_one);
	KUNIT_EXPECT_EQ(test, kmt_chan_flush_running(), 0); /* full, the next one not started */
	kmt_test_write(1);
	KUNIT_EXPECT_EQ(test, kmt_chan_flush_running(), -EAGAIN);
	kmt_test_write(in_one);
	KUNIT_EXPECT_EQ(test, kmt_chan_flush_running(), 0);
	migrate_enable();
	KUNIT_EXPECT_EQ(test, kmt_test_seq(cpu), 2ULL);
	KUNIT_EXPECT_EQ(test, per_cpu_ptr(&kmt_cpu, cpu)->written, 2ULL * in_one);
	KUNIT_EXPECT_EQ(test, per_cpu_ptr(&kmt_cpu, cpu)->lost[KMEMTRACE_LOSS_BUFFER_FULL], 1ULL);
	kmt_chan_freeze();
	KUNIT_EXPECT_EQ(test, kmt_chan_flush_running(), -ENODEV);
	kmt_config.overwrite = true;
	KUNIT_EXPECT_EQ(test, kmt_chan_flush_running(), -EBUSY);
	kmt_test_close(&config);
}

/* ---- only mappings ---- */

/* Writes records of mappings on this CPU. Returns how many had no room. */
static unsigned int kmt_test_write_maps(unsigned int count)
{
	unsigned int refused = 0;
	unsigned long flags;

	local_irq_save(flags);
	while (count--) {
		struct kmemtrace_record *record = kmt_chan_reserve_map(this_cpu_ptr(&kmt_cpu));

		if (record)
			record->type = KMEMTRACE_EVENT_MAP;
		else
			refused++;
	}
	local_irq_restore(flags);
	return refused;
}

/* They continue behind the other records, overwrite the oldest ones, and end at a freeze. */
static void kmt_test_maps_only(struct kunit *test)
{
	const unsigned int in_one = (PAGE_SIZE - sizeof(struct kmemtrace_subbuf_header)) /
				    sizeof(struct kmemtrace_record);
	const struct kmt_config config = kmt_config;
	const struct kmemtrace_record *record;
	unsigned int cpu;

	kmt_config.overwrite = true;
	kmt_test_open(test, 2, 81);
	kmt_chan_set_writable(KMT_WRITABLE_ALL);
	migrate_disable();
	cpu = smp_processor_id();
	kmt_test_write(3);
	KUNIT_EXPECT_EQ(test, kmt_test_write_maps(1), 0);
	kmt_chan_set_writable(KMT_WRITABLE_MAPS);
	KUNIT_EXPECT_EQ(test, kmt_chan_get_writable(), KMT_WRITABLE_MAPS);
	kmt_test_write(5); /* refused, and not counted */
	KUNIT_EXPECT_EQ(test, kmt_test_write_maps(1), 0);
	KUNIT_EXPECT_EQ(test, per_cpu_ptr(&kmt_cpu, cpu)->written, 5ULL);
	KUNIT_EXPECT_EQ(test, per_cpu_ptr(&kmt_cpu, cpu)->lost[KMEMTRACE_LOSS_BUFFER_FULL], 0ULL);
	record = kmt_chan_subbuf(cpu, 0) + sizeof(struct kmemtrace_subbuf_header);
	KUNIT_EXPECT_EQ(test, record[2].type, KMEMTRACE_EVENT_KFREE);
	KUNIT_EXPECT_EQ(test, record[4].type, KMEMTRACE_EVENT_MAP);

	KUNIT_EXPECT_EQ(test, kmt_test_write_maps(3 * in_one - 5), 0); /* three are full */
	KUNIT_EXPECT_EQ(test, kmt_test_seq(cpu), 3ULL);
	KUNIT_EXPECT_EQ(test, record[2].type, KMEMTRACE_EVENT_MAP);
	KUNIT_EXPECT_EQ(test, kmt_test_write_maps(in_one - 1), 0);
	kmt_chan_freeze();
	KUNIT_EXPECT_EQ(test, kmt_test_write_maps(5), 5);
	migrate_enable();
	KUNIT_EXPECT_EQ(test, per_cpu_ptr(&kmt_cpu, cpu)->written, 4ULL * in_one - 1);
	kmt_test_close(&config);
}

/* ---- marks ---- */

/* A mark of several records goes to the next sub-buffer if this one has no room for all. */
static void kmt_test_mark(struct kunit *test)
{
	const unsigned int in_one = (PAGE_SIZE - sizeof(struct kmemtrace_subbuf_header)) /
				    sizeof(struct kmemtrace_record);
	const struct kmt_config config = kmt_config;
	const struct kmemtrace_record *record;
	char text[KMEMTRACE_MARK_MAX];
	unsigned int cpu, i, named;

	for (i = 0; i < sizeof(text); i++)
		text[i] = 'a' + i % 26;
	kmt_test_open(test, 2, 78);
	kmt_chan_set_writable(KMT_WRITABLE_ALL);
	migrate_disable();
	cpu = smp_processor_id();
	KUNIT_EXPECT_EQ(test, kmt_mark_put("x", 1), 0);
	named = per_cpu_ptr(&kmt_cpu, cpu)->written - 1; /* after the thread's name */
	kmt_test_write(in_one - named - 1 - 2);
	KUNIT_EXPECT_EQ(test, kmt_mark_put(text, 65), 0); /* three, where two fit */
	kmt_test_write(in_one - 3 - 4);
	KUNIT_EXPECT_EQ(test, kmt_mark_put(text, sizeof(text)), 0);
	KUNIT_EXPECT_EQ(test, kmt_mark_put(text, 33), -ENOSPC);
	migrate_enable();

	record = kmt_chan_subbuf(cpu, 0) + sizeof(struct kmemtrace_subbuf_header);
	KUNIT_EXPECT_EQ(test, record[named].type, KMEMTRACE_EVENT_MARK);
	KUNIT_EXPECT_EQ(test, record[named].tid, (u32)current->pid);
	KUNIT_EXPECT_STREQ(test, record[named].text, "x");
	KUNIT_EXPECT_EQ(test, record[named].mark.parts, 1);
	KUNIT_EXPECT_EQ(test, record[in_one - 2].type, KMEMTRACE_EVENT_NONE);

	record = kmt_chan_subbuf(cpu, 1) + sizeof(struct kmemtrace_subbuf_header);
	for (i = 0; i < 3; i++) {
		KUNIT_EXPECT_EQ(test, record[i].type, KMEMTRACE_EVENT_MARK);
		KUNIT_EXPECT_EQ(test, record[i].mark.part, i);
		KUNIT_EXPECT_EQ(test, record[i].mark.parts, 3);
		KUNIT_EXPECT_EQ(test, record[i].time_ns, record[0].time_ns);
	}
	KUNIT_EXPECT_FALSE(test, memcmp(record[1].text, text + 32, 32));
	KUNIT_EXPECT_EQ(test, record[2].text[0], text[64]);
	KUNIT_EXPECT_EQ(test, record[2].text[1], '\0');
	KUNIT_EXPECT_FALSE(test, memcmp(record[in_one - 1].text, text + 96, 32));
	/* A refused mark is not a lost event. */
	KUNIT_EXPECT_EQ(test, per_cpu_ptr(&kmt_cpu, cpu)->lost[KMEMTRACE_LOSS_BUFFER_FULL], 0ULL);
	kmt_test_close(&config);
}

/* ---- names of threads ---- */

/* The probe is called before the name changes: an event until then has the new one. */
static void kmt_test_given(struct kunit *test)
{
	const struct kmt_config config = kmt_config;
	const struct kmemtrace_record *record;
	struct kmt_cpu *cpu;
	unsigned int i;

	kmt_test_open(test, 2, 81);
	kmt_chan_set_writable(KMT_WRITABLE_ALL);
	migrate_disable();
	cpu = this_cpu_ptr(&kmt_cpu);
	kmt_names_rename(current, "given");
	memset(cpu->named, 0, sizeof(cpu->named)); /* as on a CPU where it has no name yet */
	KUNIT_EXPECT_EQ(test, kmt_mark_put("x", 1), 0);
	kmt_names_forget();
	KUNIT_EXPECT_EQ(test, kmt_mark_put("x", 1), 0);
	record = kmt_chan_subbuf(smp_processor_id(), 0) + sizeof(struct kmemtrace_subbuf_header);
	migrate_enable();
	for (i = 0; i < 5; i++) /* the marks are 2 and 4 */
		KUNIT_EXPECT_EQ(test, record[i].type,
				i % 2 || !i ? KMEMTRACE_EVENT_TASK : KMEMTRACE_EVENT_MARK);
	KUNIT_EXPECT_STREQ(test, record[0].comm, "given");
	KUNIT_EXPECT_STREQ(test, record[1].comm, "given");
	KUNIT_EXPECT_STREQ(test, record[3].comm, current->comm);
	kmt_test_close(&config);
}

#define KMT_TEST_NAMES 20000 /* their records take half of the room */

struct kmt_test_renamer {
	struct task_struct *task;
	unsigned int renames;
	bool stop;
	struct completion done;
};

/* Gives the thread the names 0, 1, 2 …, which its task_struct never gets. */
static int kmt_test_rename(void *data)
{
	struct kmt_test_renamer *renamer = data;

	while (renamer->renames < KMT_TEST_NAMES && !READ_ONCE(renamer->stop)) {
		char comm[TASK_COMM_LEN];

		snprintf(comm, sizeof(comm), "%u", renamer->renames);
		kmt_names_rename(renamer->task, comm);
		WRITE_ONCE(renamer->renames, renamer->renames + 1);
	}
	complete(&renamer->done);
	return 0;
}

static void kmt_test_name_current(void)
{
	struct kmt_cpu *cpu;
	unsigned long flags;

	local_irq_save(flags);
	cpu = this_cpu_ptr(&kmt_cpu);
	memset(cpu->named, 0, sizeof(cpu->named));
	kmt_names_current_before_mark(cpu);
	local_irq_restore(flags);
}

/* Returns the record at an index of a CPU's stream; NULL after its last one. */
static const struct kmemtrace_record *kmt_test_record(unsigned int cpu, unsigned int index)
{
	const unsigned int in_one = (PAGE_SIZE - sizeof(struct kmemtrace_subbuf_header)) /
				    sizeof(struct kmemtrace_record);

	if (index >= per_cpu_ptr(&kmt_cpu, cpu)->written)
		return NULL;
	return kmt_chan_subbuf(cpu, index / in_one) + sizeof(struct kmemtrace_subbuf_header) +
	       index % in_one * sizeof(struct kmemtrace_record);
}

/* Returns how many names in the stream of @here are not the last one given before. */
static unsigned int kmt_test_stale_names(unsigned int here, unsigned int there)
{
	const struct kmemtrace_record *given = NULL, *next = kmt_test_record(there, 0), *name;
	unsigned int i, k = 0, stale = 0;

	for (i = 0; (name = kmt_test_record(here, i)); i++) {
		while (next && next->time_ns < name->time_ns) {
			given = next;
			next = kmt_test_record(there, ++k);
		}
		stale += given && strcmp(name->comm, given->comm);
	}
	return stale;
}

/* A thread is named by its events while another CPU renames it. */
static void kmt_test_renamed_elsewhere(struct kunit *test)
{
	const struct kmt_config config = kmt_config;
	struct kmt_test_renamer renamer = { current };
	unsigned int here, there, i;
	struct task_struct *thread;
	u64 stale, lost;

	migrate_disable();
	here = smp_processor_id();
	there = cpumask_any_but(cpu_online_mask, here);
	if (there >= nr_cpu_ids) {
		migrate_enable();
		kunit_skip(test, "one CPU");
	}
	init_completion(&renamer.done);
	kmt_test_open(test, 512, 82);
	thread = kthread_create(kmt_test_rename, &renamer, "renamer");
	KUNIT_ASSERT_FALSE(test, IS_ERR(thread));
	kthread_bind(thread, there);
	kmt_chan_set_writable(KMT_WRITABLE_ALL);
	wake_up_process(thread);
	while (!READ_ONCE(renamer.renames))
		cond_resched();
	for (i = 0; i < KMT_TEST_NAMES; i++)
		kmt_test_name_current();
	WRITE_ONCE(renamer.stop, true);
	wait_for_completion(&renamer.done);
	KUNIT_EXPECT_EQ(test, per_cpu_ptr(&kmt_cpu, here)->written, (u64)KMT_TEST_NAMES);
	KUNIT_EXPECT_EQ(test, per_cpu_ptr(&kmt_cpu, there)->written, (u64)renamer.renames);
	/* A virtual CPU that stops in the middle of a rename makes the other one give up. */
	stale = kmt_test_stale_names(here, there);
	lost = kmt_test_lost(KMEMTRACE_LOSS_NAME);
	KUNIT_EXPECT_LE(test, stale, lost);
	KUNIT_EXPECT_LT(test, lost, (u64)KMT_TEST_NAMES);
	kunit_info(test, "%u names beside %u: %llu lost, %llu stale\n", i, renamer.renames, lost,
		   stale);
	migrate_enable();
	kmt_test_close(&config);
}

/* ---- bulk allocations that fail and free their objects ---- */

#if KMT_CAN_ATTACH
/* Returns how many records of @event have this address. */
static unsigned int kmt_test_records(enum kmemtrace_event event, u64 addr)
{
	const size_t bytes = kmt_config.subbuf_size - sizeof(struct kmemtrace_subbuf_header);
	unsigned int cpu, i, k, count = 0;

	for_each_possible_cpu(cpu) {
		for (i = 0; i < kmt_config.subbufs; i++) {
			const struct kmemtrace_record *record =
				kmt_chan_subbuf(cpu, i) + sizeof(struct kmemtrace_subbuf_header);

			for (k = 0; k < bytes / sizeof(*record); k++)
				count += (record[k].type & KMEMTRACE_TYPE_EVENT_MASK) == event &&
					 record[k].addr == addr;
		}
	}
	return count;
}

/* Calls the handler as ftrace does when @call_site calls kfree_bulk() for one object. */
static void kmt_test_free_bulk(unsigned long call_site, void *ptr)
{
	void *ptrs[] = { ptr };
#ifdef CONFIG_X86_64
	unsigned long stack[] = { call_site };
	struct pt_regs regs = {
		.si = 1,
		.dx = (unsigned long)ptrs,
		.sp = (unsigned long)stack,
	};
#else
	struct pt_regs regs = { .regs = { [1] = 1, [2] = (unsigned long)ptrs, [30] = call_site } };
#endif

	preempt_disable();
	kmt_enter_free_bulk(&regs);
	preempt_enable();
}

static unsigned long kmt_test_function(struct kunit *test, const char *name)
{
	unsigned long start = 0;

	KUNIT_EXPECT_EQ(test, kmt_function_find(name, &start), 0);
	return start;
}

/* Objects that a bulk allocation frees are not recorded, as their allocation was not. */
static void kmt_test_undone(struct kunit *test)
{
	const unsigned long start = kmt_test_function(test, __stringify(KMT_BULK_OBJECTS_FUNC));
	const unsigned long end = start + kmt_function_size(start);
	const struct {
		unsigned long call_site;
		unsigned int told;
	} frees[] = {
		{ start - 1, 1 },
		{ start + 16, 0 },
		{ end - 1, 0 },
		{ end + 16, 1 },
		{ (unsigned long)kmt_test_records, 1 },
	};
	const struct kmt_config config = kmt_config;
	unsigned int i;
	u64 *objects = kunit_kcalloc(test, ARRAY_SIZE(frees), sizeof(*objects), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, objects);
	mutex_lock(&kmt_mutex);
	kmt_config.subbuf_size = SZ_64K;
	kmt_config.subbufs = 16;
	kmt_config.stack_depth = 0;
	kmt_config.events = KMT_GROUP_SLAB;
	KUNIT_EXPECT_EQ(test, kmt_enable(), 0);
	for (i = 0; kmt_is_enabled() && i < ARRAY_SIZE(frees); i++)
		kmt_test_free_bulk(frees[i].call_site, &objects[i]);
	kmt_disable();
	for (i = 0; kmt_has_buffers() && i < ARRAY_SIZE(frees); i++)
		KUNIT_EXPECT_EQ_MSG(
			test, kmt_test_records(KMEMTRACE_EVENT_KFREE, (unsigned long)&objects[i]),
			frees[i].told, "call site %u", i);
	KUNIT_EXPECT_EQ(test, kmt_test_lost(KMEMTRACE_LOSS_BUFFER_FULL), 0ULL);
	KUNIT_EXPECT_EQ(test, kmt_reset(false), 0);
	kmt_config = config;
	mutex_unlock(&kmt_mutex);
}
#endif

static struct kunit_case kmt_test_cases[] = { KUNIT_CASE(kmt_test_fill_object),
					      KUNIT_CASE(kmt_test_fill_pages),
					      KUNIT_CASE(kmt_test_tag),
					      KUNIT_CASE(kmt_test_intern),
					      KUNIT_CASE(kmt_test_full),
					      KUNIT_CASE(kmt_test_upper_bits),
					      KUNIT_CASE(kmt_test_user_share),
					      KUNIT_CASE(kmt_test_subuids),
					      KUNIT_CASE(kmt_test_kernel_share),
					      KUNIT_CASE(kmt_test_concurrent),
					      KUNIT_CASE(kmt_test_frames),
					      KUNIT_CASE(kmt_test_kept),
					      KUNIT_CASE(kmt_test_cache_reuse),
#ifdef CONFIG_UNWINDER_ORC
					      KUNIT_CASE(kmt_test_stack_cache_empty_part),
					      KUNIT_CASE(kmt_test_learn),
#endif
					      KUNIT_CASE(kmt_test_headers),
					      KUNIT_CASE(kmt_test_flush_elsewhere),
					      KUNIT_CASE(kmt_test_no_loss),
					      KUNIT_CASE(kmt_test_flush),
					      KUNIT_CASE(kmt_test_flush_full),
					      KUNIT_CASE(kmt_test_maps_only),
					      KUNIT_CASE(kmt_test_mark),
					      KUNIT_CASE(kmt_test_given),
					      KUNIT_CASE(kmt_test_renamed_elsewhere),
#if KMT_CAN_ATTACH
					      KUNIT_CASE(kmt_test_undone),
#endif
					      {} };

static int kmt_test_init(struct kunit *test)
{
	if (kmt_is_enabled() || kmt_has_buffers())
		kunit_skip(test, "the tracer is in use");
	return 0;
}

static struct kunit_suite kmt_test_suite = {
	.name = "kmemtrace",
	.init = kmt_test_init,
	.test_cases = kmt_test_cases,
};
kunit_test_suite(kmt_test_suite);

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How much of the stack table each user may fill: the BPF programs' code, compiled for this test.
 */
#include <glib.h>
#include <stdbool.h>

#include "bpf-helpers.h"
#include "bpf/kmemtrace_bpf.h"

/* ---- stand-ins for BPF ---- */

#define READ_2(a, b)                   ((a)->b)
#define READ_3(a, b, c)                ((a)->b->c)
#define READ_OF(_1, _2, _3, name, ...) name
#define BPF_CORE_READ(...)             READ_OF(__VA_ARGS__, READ_3, READ_2)(__VA_ARGS__)

#define bpf_get_current_task() ((guintptr)&current)
#define bpf_ktime_get_ns()     0
#define bpf_get_stack(...)     0

static void *bpf_map_lookup_elem(void *map, const guint32 *key);

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunknown-pragmas"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wmissing-prototypes"
#pragma GCC diagnostic ignored "-Wpointer-arith"
#pragma GCC diagnostic ignored "-Wshadow"
#include "bpf/kernel_types.h"
static struct task_struct current;
#include "bpf/common.h"
static struct kmt_bpf_config settings = { .stack_words = 1000 };
#define config settings /* a test may change it */
#include "bpf/stacks.h"
#pragma GCC diagnostic pop

struct kmt_bpf_state state;

static guint64 *stack_words, *hash_slots;

static void *bpf_map_lookup_elem(void *map, const guint32 *key)
{
	if (map == &stacks)
		return *key < settings.stack_words ? &stack_words[*key] : NULL;
	return map == &stack_slots && *key < settings.stack_slots ? &hash_slots[*key] : NULL;
}

static struct user_namespace initial;

/* ---- the test ---- */

static struct cred cred;

static void become(guint32 uid, struct user_namespace *user)
{
	cred = (struct cred){ .uid = { uid }, .user_ns = user };
	current.real_cred = &cred;
}

/* How much of a table the current process may still use, in steps of ten. */
static guint take_all_of(enum kmt_bpf_shared table)
{
	guint amount = 0;

	while (amount < 10000 && kmt_pay(table, 10))
		amount += 10;
	return amount;
}

static guint take_all(void)
{
	return take_all_of(KMT_BPF_OF_STACKS);
}

static void users_have_shares(void)
{
	state = (struct kmt_bpf_state){ 0 };
	become(1000, &initial);
	g_assert_cmpuint(take_all(), ==, 500);
	g_assert_cmpuint(take_all(), ==, 0);
	become(1001, &initial);
	g_assert_cmpuint(take_all(), ==, 250);
	become(1002, &initial);
	g_assert_cmpuint(take_all(), ==, 0);
	become(0, &initial);
	g_assert_cmpuint(take_all(), ==, 10000);
}

/* The owner of a user namespace can have any number of uids in it. */
static void namespaces_count_for_their_owner(void)
{
	struct user_namespace outer = { .parent = &initial, .level = 1, .owner = { 1000 } };
	struct user_namespace inner = { .parent = &outer, .level = 2, .owner = { 100000 } };
	struct user_namespace of_root = { .parent = &initial, .level = 1 };

	state = (struct kmt_bpf_state){ 0 };
	become(100000, &inner);
	g_assert_cmpuint(take_all(), ==, 500);
	become(100001, &outer);
	g_assert_cmpuint(take_all(), ==, 0);
	become(1000, &initial);
	g_assert_cmpuint(take_all(), ==, 0);
	become(200000, &of_root);
	g_assert_cmpuint(take_all(), ==, 250);
}

/* Also outside of a user namespace, by a program that is set-uid to them. */
static void subordinate_uids_count_for_their_user(void)
{
	settings.subuids[0] = (struct kmt_bpf_subuids){ 100000, 165535, 1000 };
	settings.subuids[1] = (struct kmt_bpf_subuids){ 165536, 231071, 1001 };
	settings.subuid_count = 2;
	state = (struct kmt_bpf_state){ 0 };
	become(100000, &initial);
	g_assert_cmpuint(take_all(), ==, 500);
	become(165535, &initial);
	g_assert_cmpuint(take_all(), ==, 0);
	become(1000, &initial);
	g_assert_cmpuint(take_all(), ==, 0);
	become(165536, &initial);
	g_assert_cmpuint(take_all(), ==, 250);
	settings.subuid_count = 0;
}

static void many_users_share_the_last(void)
{
	guint words = 0;

	state = (struct kmt_bpf_state){ 0 };
	for (guint32 uid = 1; uid <= 3 * KMT_BPF_SHARES; uid++) {
		become(uid, &initial);
		words += kmt_pay(KMT_BPF_OF_STACKS, 1);
	}
	g_assert_cmpuint(words, ==, 3 * KMT_BPF_SHARES);
	g_assert_cmpuint(state.shares[KMT_BPF_OF_STACKS].used[KMT_BPF_SHARES - 1], ==,
			 2 * KMT_BPF_SHARES + 1);
}

static void user_stacks_have_half(void)
{
	state = (struct kmt_bpf_state){ 0 };
	settings.user_stacks = true;
	become(1000, &initial);
	g_assert_cmpuint(take_all_of(KMT_BPF_OF_USER_STACKS), ==, 250);
	g_assert_cmpuint(take_all(), ==, 250);
	become(0, &initial);
	g_assert_cmpuint(take_all_of(KMT_BPF_OF_USER_STACKS), ==, 250);
	g_assert_cmpuint(take_all(), ==, 10000);
	settings.user_stacks = false;
}

/* Looks up @count different stacks of @depth addresses. Returns how many the table has. */
static guint find_stacks(guint count, guint depth, gboolean is_user)
{
	static guint64 addr;
	static struct kmt_frames frames_of_event;
	guint found = 0;

	for (guint i = 0; i < count; i++) {
		const struct kmt_stack_key key = { .depth = depth, .is_user = is_user };

		for (guint at = 0; at < depth; at++)
			frames_of_event.addr[at] = addr++;
		found += kmt_stack_find(&frames_of_event, &key) != 0;
	}
	return found;
}

/* The hash table has room for others, however short the stacks of some users are. */
static void short_stacks_leave_slots(void)
{
	for (guint depth = 1; depth < 10; depth++) {
		settings = (struct kmt_bpf_config){ .stack_words = 1 << 16, .user_stacks = true,
						    .stack_slots = (2 << 16) / KMT_BPF_SLOT_WORDS,
						    .stack_factor = 0x9e3779b97f4a7c15 };
		state = (struct kmt_bpf_state){ .stack_words = 2 };
		stack_words = g_new0(guint64, settings.stack_words);
		hash_slots = g_new0(guint64, settings.stack_slots);
		for (guint32 uid = 1000; uid < 1004; uid++) {
			become(uid, &initial);
			find_stacks(1 << 14, depth, TRUE);
			find_stacks(1 << 14, depth, FALSE);
		}
		become(0, &initial);
		g_assert_cmpuint(find_stacks(200, 20, FALSE), ==, 200);
		g_assert_cmpuint(find_stacks(100, 20, TRUE), ==, 100);
		g_free(stack_words);
		g_free(hash_slots);
	}
	settings = (struct kmt_bpf_config){ .stack_words = 1000 };
}

static void users_have_a_quarter_of_the_files(void)
{
	state = (struct kmt_bpf_state){ 0 };
	for (guint32 uid = 1000; uid < 1003; uid++) {
		become(uid, &initial);
		g_assert_cmpuint(take_all_of(KMT_BPF_OF_FILES), ==, KMT_BPF_FILES / 4 / 10 * 10);
	}
	become(1003, &initial);
	g_assert_cmpuint(take_all_of(KMT_BPF_OF_FILES), <, 20);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/bpf-shares/users", users_have_shares);
	g_test_add_func("/bpf-shares/namespaces", namespaces_count_for_their_owner);
	g_test_add_func("/bpf-shares/many", many_users_share_the_last);
	g_test_add_func("/bpf-shares/subordinate-uids", subordinate_uids_count_for_their_user);
	g_test_add_func("/bpf-shares/user-stacks", user_stacks_have_half);
	g_test_add_func("/bpf-shares/short-stacks", short_stacks_leave_slots);
	g_test_add_func("/bpf-shares/files", users_have_a_quarter_of_the_files);
	return g_test_run();
}

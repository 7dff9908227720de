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

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunknown-pragmas"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wmissing-prototypes"
#include "bpf/kernel_types.h"
static struct task_struct current;
#include "bpf/common.h"
static struct kmt_bpf_config settings = { .stack_words = 1000 };
#define config settings /* a test may change it */
#include "bpf/shares.h"
#pragma GCC diagnostic pop

struct kmt_bpf_state state;

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
	g_test_add_func("/bpf-shares/user-stacks", user_stacks_have_half);
	g_test_add_func("/bpf-shares/files", users_have_a_quarter_of_the_files);
	return g_test_run();
}

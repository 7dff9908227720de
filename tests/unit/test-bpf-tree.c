// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The search of the BPF programs, compiled for this test, finds exactly the stacks that the loader
 * put into the tree. Stacks are synthetic: calls of functions with frames of fixed or variable
 * size, and exceptions, all of which depend only on the address.
 */
#include <glib.h>
#include <stdbool.h>
#include <string.h>

#include "bpf-helpers.h"
#include "capture/bpf/stack_tree.h"

/* ---- stand-ins for BPF ---- */

static void *find_entry(const void *map, guint32 at);
static guint64 read_stack(guint64 addr);

#define bpf_map_lookup_elem(map, key)    find_entry(map, *(key))
#define bpf_probe_read_kernel(to, n, at) (*(to) = read_stack((guint64)(at)))
#define bpf_get_current_task_btf()       NULL
#define bpf_task_pt_regs(task)           ((void)(task), (guintptr)&registers)

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunknown-pragmas"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wmissing-prototypes"
#include "bpf/kernel_types.h"
static struct pt_regs registers; /* of a thread in a system call */
#include "bpf/stack_tree.h"
#pragma GCC diagnostic pop

const volatile struct kmt_bpf_config config = {
	.nodes = 16384,
	.node_slots = 131072,
};
struct kmt_bpf_state state;

static struct kmt_bpf_node all_nodes[16384];
static guint64 all_slots[131072];

static struct kmt_bpf_whole all_wholes[2048];
static guint32 all_last[KMT_BPF_LAST_FOUND];

static const StackTreeMaps all_maps = {
	.nodes = all_nodes,
	.slots = all_slots,
	.wholes = all_wholes,
	.node_count = G_N_ELEMENTS(all_nodes),
	.slot_count = G_N_ELEMENTS(all_slots),
	.whole_count = G_N_ELEMENTS(all_wholes),
};

static void *find_entry(const void *map, guint32 at)
{
	if (map == &wholes)
		return at < G_N_ELEMENTS(all_wholes) ? &all_wholes[at] : NULL;
	if (map == &last_found)
		return at < G_N_ELEMENTS(all_last) ? &all_last[at] : NULL;
	if (map == &nodes)
		return at < G_N_ELEMENTS(all_nodes) ? &all_nodes[at] : NULL;
	g_assert_true(map == &node_slots);
	return at < G_N_ELEMENTS(all_slots) ? &all_slots[at] : NULL;
}

/* ---- stacks ---- */

#define STACK_BASE  G_GUINT64_CONSTANT(0xffffc90000000000)
#define STACK_WORDS 2048
#define HERE        (STACK_BASE + 512)
#define FUNCTIONS   24
#define DEPTH       30
#define STACKS      300
#define USER_CS     0x33
#define KERNEL_CS   0x10

/* The shape of the frame of a return address's caller. */
typedef enum { FIXED, VARIABLE, EXCEPTION, OUTERMOST } Kind;

typedef struct {
	Kind kind;
	gint bytes; /* of its frame */
} Function;

typedef struct {
	guint64 memory[STACK_WORDS];
	StackLayout layout;
	struct kmt_bpf_miss miss;
} Stack;

static Function functions[FUNCTIONS];
static const guint64 *memory; /* of the searched stack */

static guint64 read_stack(guint64 addr)
{
	guint64 at = (addr - STACK_BASE) / sizeof(guint64);

	return addr < STACK_BASE ? 0 : addr >= STACK_BASE && at < STACK_WORDS ? memory[at] : 0;
}

static guint64 address_of(guint function)
{
	return G_GUINT64_CONSTANT(0xffffffff81000000) + function * 64;
}

static void put(Stack *stack, guint64 addr, guint64 word)
{
	g_assert_cmpuint((addr - STACK_BASE) / sizeof(word), <, STACK_WORDS);
	stack->memory[(addr - STACK_BASE) / sizeof(word)] = word;
}

static void make_functions(GRand *rand)
{
	for (guint i = 0; i < FUNCTIONS; i++) {
		gint kind = g_rand_int_range(rand, 0, 10);

		functions[i] = (Function){
			.kind = kind < 7    ? FIXED
				: kind == 7 ? VARIABLE
				: kind == 8 ? EXCEPTION
					    : OUTERMOST,
			.bytes = 8 * g_rand_int_range(rand, 4, 12),
		};
	}
}

typedef struct {
	guint64 base, slot; /* of the last return address */
} Place;

static gint16 from_base(const Place *place, guint64 addr)
{
	return (gint16)(gint64)(addr - place->base);
}

/* Steps out of the frame of @function. Returns where the next address is; 0: the stack ends. */
static guint64 step_out(GRand *rand, Stack *stack, Place *place, const Function *function,
			struct kmt_bpf_step *step)
{
	guint64 inner = place->slot, outer = inner + function->bytes;

	switch (function->kind) {
	case FIXED:
		step->next_at = from_base(place, outer);
		place->slot = outer;
		return outer;
	case VARIABLE:
		outer = inner + 8 * g_rand_int_range(rand, 4, 40);
		step->flags = KMT_BPF_STEP_LOAD_BP | KMT_BPF_STEP_TO_BP;
		step->bp_at = from_base(place, inner + 8);
		step->next_at = 8;
		put(stack, inner + 8, outer - 8);
		*place = (Place){ outer - 8, outer };
		return outer;
	case EXCEPTION:
		outer = inner + 8 * g_rand_int_range(rand, 8, 40);
		step->flags = KMT_BPF_STEP_REGS | KMT_BPF_STEP_TO_WORD;
		step->user_at = from_base(place, inner + 8);
		step->next_at = from_base(place, inner + 16);
		step->move_at = from_base(place, inner + 24);
		put(stack, inner + 8, g_rand_boolean(rand) ? USER_CS : KERNEL_CS);
		put(stack, inner + 24, outer);
		*place = (Place){ outer, outer - 8 };
		return stack->memory[(inner + 8 - STACK_BASE) / 8] == USER_CS ? 0 : inner + 16;
	default:
		return 0;
	}
}

static void make_stack(GRand *rand, guint id, Stack *stack)
{
	StackLayout *layout = &stack->layout;
	Place place = { HERE, HERE - 24 };
	guint64 where = place.slot;

	memset(stack, 0, sizeof(*stack));
	for (guint i = 0; i < STACK_WORDS; i++) /* leftovers of older stacks */
		stack->memory[i] = address_of(g_rand_int_range(rand, 0, FUNCTIONS));
	layout->words[0].step.next_at = -24;
	while (where && layout->count < DEPTH) {
		guint function = g_rand_int_range(rand, 0, FUNCTIONS);
		struct kmt_bpf_step step = { 0 };

		put(stack, where, address_of(function));
		layout->words[layout->count++].addr = address_of(function);
		where = step_out(rand, stack, &place, &functions[function], &step);
		if (!where)
			layout->end = step;
		else if (layout->count < DEPTH)
			layout->words[layout->count].step = step;
	}
	stack->miss = (struct kmt_bpf_miss){
		.root = 1,
		.stack_id = id,
		.given = 77,
		.call_site = id + 1,
	};
}

/* ---- the test ---- */

static gboolean is_same(const StackLayout *one, const StackLayout *other)
{
	if (one->count != other->count)
		return FALSE;
	for (guint i = 0; i < one->count; i++) {
		if (one->words[i].addr != other->words[i].addr)
			return FALSE;
	}
	return TRUE;
}

/*
 * The addresses identify a stack: their positions follow from them and from the stack's contents.
 */
static guint find_same(GPtrArray *stacks, const StackLayout *layout)
{
	for (guint i = 0; i < stacks->len; i++) {
		if (is_same(&((const Stack *)g_ptr_array_index(stacks, i))->layout, layout))
			return i;
	}
	return stacks->len;
}

static gboolean is_known(guint32 root, guint64 given)
{
	struct kmt_origin origin = { 0 };

	return kmt_recognize(HERE, root, given, &origin);
}

/* The second time, it may be the most recently found stack. */
static void assert_found(const Stack *stack, guint id)
{
	memory = stack->memory;
	for (guint i = 0; i < 2; i++) {
		struct kmt_origin origin = { 0 };

		g_assert_true(kmt_recognize(HERE, 1, 77, &origin));
		g_assert_cmpuint(origin.stack_id, ==, id);
		g_assert_cmpuint(origin.call_site, ==, id + 1);
	}
	g_assert_false(is_known(1, 78)); /* another call site was passed */
	g_assert_false(is_known(2, 77)); /* another program */
}

static void test_search(GRand *rand)
{
	g_autoptr(GPtrArray) stacks = g_ptr_array_new_with_free_func(g_free);
	StackTree *tree = stack_tree_new(&all_maps);

	make_functions(rand);
	for (guint i = 0; i < STACKS; i++) {
		Stack *stack = g_new(Stack, 1);
		guint same;

		make_stack(rand, i, stack);
		same = find_same(stacks, &stack->layout);
		memory = stack->memory;
		if (same < stacks->len) {
			assert_found(stack,
				     ((Stack *)g_ptr_array_index(stacks, same))->miss.stack_id);
			g_free(stack);
			continue;
		}
		g_assert_false(is_known(1, 77));
		g_assert_true(stack_tree_add(tree, &stack->layout, &stack->miss));
		g_ptr_array_add(stacks, stack);
		for (guint k = 0; k < stacks->len; k++) {
			const Stack *known = g_ptr_array_index(stacks, k);

			assert_found(known, known->miss.stack_id);
		}
	}
	g_test_message("%u stacks", stacks->len);
	g_assert_cmpuint(stacks->len, >, STACKS / 4);
	stack_tree_clear(tree);
	for (guint k = 0; k < stacks->len; k++) {
		memory = ((const Stack *)g_ptr_array_index(stacks, k))->memory;
		g_assert_false(is_known(1, 77));
	}
	stack_tree_free(tree);
}

static void test_random(void)
{
	for (guint seed = 0; seed < 40; seed++) {
		GRand *rand = g_rand_new_with_seed(seed);

		g_test_message("seed %u", seed);
		test_search(rand);
		g_rand_free(rand);
	}
}

/* If there is no room, that is reported, and known stacks stay correct. */
static void test_full(void)
{
	GRand *rand = g_rand_new_with_seed(7);
	StackTreeMaps few = all_maps;
	StackTree *tree;
	gboolean was_full = FALSE;
	Stack *stack = g_new(Stack, 1);

	few.node_count = KMT_BPF_ROOTS + 12;
	tree = stack_tree_new(&few);
	make_functions(rand);
	for (guint i = 0; i < 100; i++) {
		make_stack(rand, i, stack);
		memory = stack->memory;
		if (is_known(1, 77))
			continue;
		if (stack_tree_add(tree, &stack->layout, &stack->miss)) {
			assert_found(stack, i);
		} else {
			g_assert_false(is_known(1, 77));
			was_full = TRUE;
		}
	}
	g_assert_true(was_full);
	stack_tree_clear(tree);
	stack_tree_free(tree);
	g_free(stack);
	g_rand_free(rand);
}

static guint count_nodes(void)
{
	guint count = 0;

	for (guint i = KMT_BPF_ROOTS; i < G_N_ELEMENTS(all_nodes); i++)
		count += all_nodes[i].run.count > 0;
	return count;
}

static guint count_wholes(void)
{
	guint count = 0;

	for (guint i = 0; i < G_N_ELEMENTS(all_wholes); i++)
		count += all_wholes[i].runs > 0;
	return count;
}

/* A stack that doesn't fit into the hash table is offered each time that it is unwound. */
static void test_no_place(void)
{
	GRand *rand = g_rand_new_with_seed(11);
	StackTreeMaps few = all_maps;
	StackTree *tree;
	Stack *stack = g_new(Stack, 1);
	guint refused = 0, had_nodes, had_wholes;

	few.slot_count = 256;
	tree = stack_tree_new(&few);
	make_functions(rand);
	for (guint i = 0; i < 400; i++) {
		make_stack(rand, i, stack);
		if (stack_tree_add(tree, &stack->layout, &stack->miss))
			continue;
		had_nodes = count_nodes();
		had_wholes = count_wholes();
		for (guint k = 0; k < 100; k++)
			g_assert_false(stack_tree_add(tree, &stack->layout, &stack->miss));
		g_assert_cmpuint(count_nodes(), <=,
				 had_nodes + 16); /* splits of the first time */
		g_assert_cmpuint(count_wholes(), ==, had_wholes);
		refused++;
	}
	g_assert_cmpuint(refused, >, 50);
	stack_tree_clear(tree);
	stack_tree_free(tree);
	g_free(stack);
	g_rand_free(rand);
}

/* Adds stacks of @uid until @tries are refused. Returns the number of added nodes. */
static guint fill(StackTree *tree, GRand *rand, guint32 uid, guint tries)
{
	guint before = count_nodes(), refused = 0;
	Stack *stack = g_new(Stack, 1);

	while (refused < tries) {
		make_stack(rand, refused, stack);
		stack->miss.uid = uid;
		memory = stack->memory;
		refused += !is_known(1, 77) && !stack_tree_add(tree, &stack->layout, &stack->miss);
	}
	g_free(stack);
	return count_nodes() - before;
}

static void test_shares(void)
{
	enum { ROOM = 1024, MORE = 40 }; /* of the last stack */
	GRand *rand = g_rand_new_with_seed(5);
	StackTreeMaps few = all_maps;
	StackTree *tree;

	few.node_count = KMT_BPF_ROOTS + ROOM;
	few.whole_count = ROOM / 8;
	tree = stack_tree_new(&few);
	make_functions(rand);
	g_assert_cmpuint(fill(tree, rand, 1000, 20), <=, few.node_count / 2 + MORE);
	g_assert_cmpuint(count_wholes(), <=, few.whole_count / 2 + 1);
	g_assert_cmpuint(fill(tree, rand, 1001, 20), >, 0);
	g_assert_cmpuint(fill(tree, rand, 1002, 20), <=, MORE);
	g_assert_cmpuint(count_nodes(), <=, few.node_count / 4 * 3 + 2 * MORE);
	g_assert_cmpuint(count_wholes(), <=, few.whole_count / 4 * 3 + 2);
	g_assert_cmpuint(fill(tree, rand, 0, 20), >, ROOM / 8);
	stack_tree_clear(tree);
	g_assert_cmpuint(fill(tree, rand, 1002, 20), >, ROOM / 4);
	stack_tree_clear(tree);
	stack_tree_free(tree);
	g_rand_free(rand);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/bpf-tree/no-place", test_no_place);
	g_test_add_func("/bpf-tree/shares", test_shares);
	g_test_add_func("/bpf-tree/random", test_random);
	g_test_add_func("/bpf-tree/full", test_full);
	return g_test_run();
}

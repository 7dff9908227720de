// SPDX-License-Identifier: GPL-2.0-or-later
/* The graph text of traces with known calls, line by line. */
#include <glib.h>

#include "base/gfptext.h"
#include "report/script/graph.h"
#include "store-check.h"

#define START	G_GUINT64_CONSTANT(5000000000)
#define US	G_GUINT64_CONSTANT(1000)
#define KERNEL	0xcc0	/* as the abi below says */

static const char kallsyms[] = "ffffffff81001000 T outer\n"
			       "ffffffff81002000 T first\n"
			       "ffffffff81003000 T second\n"
			       "ffffffff81004000 T inner\t[mod]\n"
			       "ffffffff81005000 T _etext\n";

enum { OUTER = 0x1010, FIRST = 0x2010, SECOND = 0x3010, INNER = 0x4010 };

typedef struct {
	struct check_store store;
} Fixture;

static void setup(Fixture *f, gconstpointer unused)
{
	check_store_init(&f->store);
	builder_snapshot(f->store.builder, "kallsyms", KMEMTRACE_PHASE_START, kallsyms);
	builder_snapshot(f->store.builder, "abi", KMEMTRACE_PHASE_START,
			 "page_size 4096\nlinear_base 0xffff888000000000\nmigratetype 1 movable\n"
			 "gfp __GFP_IO 0x40\ngfp __GFP_FS 0x80\ngfp __GFP_ZERO 0x100\n"
			 "gfp __GFP_DIRECT_RECLAIM 0x400\ngfp __GFP_KSWAPD_RECLAIM 0x800\n");
	builder_snapshot(f->store.builder, "caches", KMEMTRACE_PHASE_END, "3 96 things\n");
	builder_task(f->store.builder, 0, START, 7, 7, "caller");
}

static void teardown(Fixture *f, gconstpointer unused)
{
	check_store_clear(&f->store);
}

/* A stack, innermost first, of the up to four offsets that aren't 0. */
static guint32 stack(Fixture *f, guint a, guint b, guint c, guint d)
{
	return builder_text_stack(f->store.builder, (guint[]){ a, b, c, d, 0 });
}

/* Thread 7 in task context on CPU 0, unless the event says otherwise; @us after the first event. */
static void put(Fixture *f, guint64 us, struct trace_event event)
{
	event.time_ns = START + us * US;
	event.tid = event.tid ? event.tid : 7;
	event.node = event.node ? event.node : KMEMTRACE_NODE_ANY;
	builder_event(f->store.builder, event.cpu, event);
}

static struct trace_event kmalloc_event(guint slot, guint32 stack_id)
{
	return (struct trace_event){
		.event = KMEMTRACE_EVENT_KMALLOC,
		.addr = BASE + slot * 256,
		.bytes_req = 100,
		.bytes_alloc = 128,
		.gfp = KERNEL,
		.stack_id = stack_id,
	};
}

static void put_kmalloc(Fixture *f, guint64 us, guint slot, guint32 stack_id)
{
	put(f, us, kmalloc_event(slot, stack_id));
}

static void put_kfree(Fixture *f, guint64 us, guint slot)
{
	const struct trace_event event = {
		.event = KMEMTRACE_EVENT_KFREE,
		.addr = BASE + slot * 256,
	};

	put(f, us, event);
}

/* The output after the trust line. */
static void expect_graph(Fixture *f, GraphOptions options, Selection selection,
			 const char *expected)
{
	g_autofree char *whole =
		g_strconcat("Trace: t.kmt\nTrust: complete; no event was lost\n", expected, NULL);
	g_autofree char *text = NULL;

	check_store_load(&f->store);
	f->store.selection = &selection;
	text = check_answer(&f->store, graph_print, &options, FALSE);
	g_assert_cmpstr(text, ==, whole);
}

#define CALL	"kmalloc(.size=100, .gfp=GFP_KERNEL) = 0xffff888000000"

static void calls_nest_by_stack(Fixture *f, gconstpointer unused)
{
	put_kmalloc(f, 1, 0, stack(f, FIRST, OUTER, 0, 0));
	put_kmalloc(f, 2, 1, stack(f, FIRST, OUTER, 0, 0));
	put_kmalloc(f, 3, 2, stack(f, INNER, FIRST + 8, OUTER, 0));
	/* outer continues, so its next call is a new one, even of the same function. */
	put_kmalloc(f, 4, 3, stack(f, INNER, FIRST + 8, OUTER + 4, 0));
	put_kmalloc(f, 5, 4, stack(f, SECOND, OUTER + 8, 0, 0));
	put_kmalloc(f, 6, 5, stack(f, OUTER + 16, 0, 0, 0));
	put_kfree(f, 3201, 0);
	put_kfree(f, 3201, 1);
	expect_graph(f, (GraphOptions){ GRAPH_ALL, 7 }, (Selection){ 0 },
		     "\ncaller-7\n"
		     "                 | outer() {\n"
		     "                 |   first() {\n"
		     "     0.000001000 |     " CALL "000 /* takes 128, lives 3.2ms */\n"
		     "     0.000002000 |     " CALL "100 /* takes 128, lives 3.2ms */\n"
		     "                 |     inner [mod]() {\n"
		     "     0.000003000 |       " CALL "200 /* takes 128, live at the end */\n"
		     "                 |     } /* inner [mod] */\n"
		     "                 |   } /* first */\n"
		     "                 |   first() {\n"
		     "                 |     inner [mod]() {\n"
		     "     0.000004000 |       " CALL "300 /* takes 128, live at the end */\n"
		     "                 |     } /* inner [mod] */\n"
		     "                 |   } /* first */\n"
		     "                 |   second() {\n"
		     "     0.000005000 |     " CALL "400 /* takes 128, live at the end */\n"
		     "                 |   } /* second */\n"
		     "     0.000006000 |   " CALL "500 /* takes 128, live at the end */\n"
		     "                 | } /* outer */\n");
}

/* Each CPU has a thread with number 0. */
static void idle_threads_are_apart(Fixture *f, gconstpointer unused)
{
	guint32 stack_id = stack(f, FIRST, OUTER, 0, 0);

	for (guint i = 0; i < 4; i++) {
		struct trace_event event = kmalloc_event(i, stack_id);

		event.time_ns = START + i * US;
		event.node = KMEMTRACE_NODE_ANY;
		event.cpu = i % 2;
		builder_event(f->store.builder, event.cpu, event);
	}
	expect_graph(f, (GraphOptions){ GRAPH_ALL, 0 }, (Selection){ 0 },
		     "\nswapper-0 of CPU 0\n"
		     "                 | outer() {\n"
		     "                 |   first() {\n"
		     "     0.000000000 |     " CALL "000 /* takes 128, live at the end */\n"
		     "     0.000002000 |     " CALL "200 /* takes 128, live at the end */\n"
		     "                 |   } /* first */\n"
		     "                 | } /* outer */\n"
		     "\nswapper-0 of CPU 1\n"
		     "                 | outer() {\n"
		     "                 |   first() {\n"
		     "     0.000001000 |     " CALL "100 /* takes 128, live at the end */\n"
		     "     0.000003000 |     " CALL "300 /* takes 128, live at the end */\n"
		     "                 |   } /* first */\n"
		     "                 | } /* outer */\n");
}

/* Stacks of the maximum depth may begin anywhere. */
static void truncated_stacks_join_open_calls(Fixture *f, gconstpointer unused)
{
	put_kmalloc(f, 1, 0, stack(f, FIRST, SECOND, INNER, OUTER));
	put_kmalloc(f, 2, 1, stack(f, FIRST + 4, FIRST, SECOND, INNER));
	put_kmalloc(f, 3, 2, stack(f, FIRST + 8, INNER, 0, 0));
	expect_graph(f, (GraphOptions){ GRAPH_ALL, 7 }, (Selection){ 0 },
		     "\ncaller-7\n"
		     "                 | outer() {\n"
		     "                 |   inner [mod]() {\n"
		     "                 |     second() {\n"
		     "                 |       first() {\n"
		     "     0.000001000 |         " CALL "000 /* takes 128, live at the end */\n"
		     "                 |         first() {\n"
		     "     0.000002000 |           " CALL "100 /* takes 128, live at the end */\n"
		     "                 |         } /* first */\n"
		     "                 |       } /* first */\n"
		     "                 |     } /* second */\n"
		     "                 |   } /* inner [mod] */\n"
		     "                 | } /* outer */\n"
		     "                 | inner [mod]() {\n"
		     "                 |   first() {\n"
		     "     0.000003000 |     " CALL "200 /* takes 128, live at the end */\n"
		     "                 |   } /* first */\n"
		     "                 | } /* inner [mod] */\n");
}

static void put_kinds(Fixture *f)
{
	struct trace_event events[] = {
		{ .event = KMEMTRACE_EVENT_CACHE_ALLOC, .addr = BASE, .bytes_req = 96,
		  .bytes_alloc = 96, .gfp = KERNEL | 0x100, .cache = 3, .node = 1 },
		{ .event = KMEMTRACE_EVENT_PAGE_ALLOC, .addr = 0x90000, .order = 2,
		  .migratetype = 1, .bytes_req = 16384, .bytes_alloc = 16384, .gfp = 0x800 },
		{ .event = KMEMTRACE_EVENT_PERCPU_ALLOC, .addr = 0x6000, .bytes_req = 24,
		  .bytes_alloc = 96, .gfp = KERNEL },
		{ .event = KMEMTRACE_EVENT_VMAP_ALLOC, .addr = 0xffffc90000001000,
		  .bytes_req = 8192, .bytes_alloc = 12288 },
		{ .event = KMEMTRACE_EVENT_KFREE_RCU, .addr = BASE },
		{ .event = KMEMTRACE_EVENT_KMALLOC, .addr = BASE + 9 * 256, .bytes_req = 100,
		  .bytes_alloc = 128, .gfp = KERNEL },
		{ .event = KMEMTRACE_EVENT_KMALLOC, .addr = BASE + 9 * 256, .bytes_req = 8,
		  .bytes_alloc = 8 },
	};

	for (guint i = 0; i < G_N_ELEMENTS(events); i++) {
		events[i].stack_id = stack(f, FIRST, 0, 0, 0);
		put(f, i + 1, events[i]);
	}
}

static void each_kind_has_its_arguments(Fixture *f, gconstpointer unused)
{
	put_kinds(f);
	expect_graph(f, (GraphOptions){ GRAPH_ALL, 7 }, (Selection){ 0 },
		     "\ncaller-7\n"
		     "                 | first() {\n"
		     "     0.000001000 |   kmem_cache_alloc(.cache=things, .size=96, .gfp=GFP_KERNEL|__GFP_ZERO, .node=1) = "
		     "0xffff888000000000 /* given to kfree_rcu(), not freed at the end */\n"
		     "     0.000002000 |   page_alloc(.order=2, .migratetype=movable, .gfp=GFP_NOWAIT) = pfn 0x90000 "
		     "/* live at the end */\n"
		     "     0.000003000 |   percpu_alloc(.size=24, .gfp=GFP_KERNEL) = 0x6000 "
		     "/* takes 96 on all CPUs, live at the end */\n"
		     "     0.000004000 |   vmap_alloc(.size=8192) = 0xffffc90000001000 /* takes 12288, live at the end */\n"
		     "     0.000006000 |   " CALL "900 /* takes 128, freed unseen, after 1.0us at most */\n"
		     "     0.000007000 |   kmalloc(.size=8, .gfp=0x0) = 0xffff888000000900 /* live at the end */\n"
		     "                 | } /* first */\n");
}

/* CPU 0: thread 7, an interrupt, thread 7, thread 8; CPU 1: thread 8. */
static void put_flows(Fixture *f)
{
	guint32 id = stack(f, FIRST, 0, 0, 0);
	struct trace_event event = { .event = KMEMTRACE_EVENT_KMALLOC, .bytes_req = 8,
				     .bytes_alloc = 8, .stack_id = id };

	for (guint i = 0; i < 5; i++) {
		event.addr = BASE + i * 8;
		event.tid = i < 3 ? 7 : 8;
		event.context = i == 1 ? KMEMTRACE_CONTEXT_SOFTIRQ : KMEMTRACE_CONTEXT_TASK;
		event.cpu = i == 4;
		put(f, 10 * (i + 1), event);
	}
	builder_mark(f->store.builder, 0, START + 5 * US, 9, "before");
	builder_mark(f->store.builder, 0, START + 15 * US, 9, "here");
	builder_mark(f->store.builder, 1, START + 90 * US, 9, "there");
}

#define LINE(time, slot)							\
	"     0.0000" time "000 |   kmalloc(.size=8, .gfp=0x0) = 0xffff8880000000" slot " /* live at the end */\n"
#define ENTER	"                 | first() {\n"
#define LEAVE	"                 | } /* first */\n"

static void threads_and_interrupts_are_separate(Fixture *f, gconstpointer unused)
{
	put_flows(f);
	expect_graph(f, (GraphOptions){ GRAPH_ALL, GRAPH_ALL }, (Selection){ 0 },
		     "\ncaller-7\n" ENTER LINE("10", "00") LINE("30", "10") LEAVE
		     "\n?-8\n" ENTER LINE("40", "18") LINE("50", "20") LEAVE
		     "\nsoft interrupts of CPU 0\n" ENTER LINE("20", "08") LEAVE);
}

static void cpu_filter_shows_one_cpu(Fixture *f, gconstpointer unused)
{
	put_flows(f);
	expect_graph(f, (GraphOptions){ 0, GRAPH_ALL }, (Selection){ 0 },
		     "\ncaller-7\n"
		     "     0.000005000 | /* mark: before */\n"
		     ENTER LINE("10", "00") LEAVE
		     "\nsoft interrupts of CPU 0\n"
		     "     0.000015000 | /* mark: here */\n"
		     ENTER LINE("20", "08") LEAVE
		     "\ncaller-7\n" ENTER LINE("30", "10") LEAVE
		     "\n?-8\n" ENTER LINE("40", "18")
		     "     0.000090000 |   /* mark: there */\n" LEAVE);
}

static void thread_filter_leaves_out_interrupts(Fixture *f, gconstpointer unused)
{
	put_flows(f);
	expect_graph(f, (GraphOptions){ GRAPH_ALL, 7 }, (Selection){ .from = "here", .to = "there" },
		     "Only allocations from 'here' (15.0us) to 'there' (90.0us)\n"
		     "\ncaller-7\n"
		     "     0.000015000 | /* mark: here */\n"
		     ENTER LINE("30", "10")
		     "     0.000090000 |   /* mark: there */\n" LEAVE);
}

static void graph_without_events_shows_marks(Fixture *f, gconstpointer unused)
{
	put_flows(f);
	expect_graph(f, (GraphOptions){ GRAPH_ALL, 4711 }, (Selection){ .from = "here", .to = "there" },
		     "Only allocations from 'here' (15.0us) to 'there' (90.0us)\n"
		     "     0.000015000 | /* mark: here */\n"
		     "     0.000090000 | /* mark: there */\n"
		     "\nnothing\n");
}

static void gfp_flags_fold_into_masks(void)
{
	static const struct {
		const char *names, *folded;
	} flags[] = {
		{ "", "" },
		{ "0x0", "0x0" },
		{ "__GFP_IO|__GFP_FS|__GFP_DIRECT_RECLAIM|__GFP_KSWAPD_RECLAIM", "GFP_KERNEL" },
		{ "__GFP_IO|__GFP_FS|__GFP_ZERO|__GFP_DIRECT_RECLAIM|__GFP_KSWAPD_RECLAIM|__GFP_ACCOUNT",
		  "GFP_KERNEL_ACCOUNT|__GFP_ZERO" },
		{ "__GFP_IO|__GFP_DIRECT_RECLAIM|__GFP_KSWAPD_RECLAIM", "GFP_NOFS" },
		{ "__GFP_DIRECT_RECLAIM|__GFP_KSWAPD_RECLAIM|__GFP_NOWARN", "GFP_NOIO|__GFP_NOWARN" },
		{ "__GFP_HIGH|__GFP_ATOMIC|__GFP_KSWAPD_RECLAIM|__GFP_NOWARN", "GFP_ATOMIC|__GFP_NOWARN" },
		{ "__GFP_HIGH|__GFP_KSWAPD_RECLAIM", "GFP_ATOMIC" },
		{ "__GFP_KSWAPD_RECLAIM|__GFP_NOWARN", "GFP_NOWAIT|__GFP_NOWARN" },
		{ "__GFP_HIGHMEM|__GFP_MOVABLE|__GFP_IO|__GFP_FS|__GFP_ZERO|__GFP_DIRECT_RECLAIM|"
		  "__GFP_KSWAPD_RECLAIM|__GFP_COMP|__GFP_HARDWALL", "GFP_HIGHUSER_MOVABLE|__GFP_ZERO|__GFP_COMP" },
		{ "__GFP_IO|__GFP_FS|__GFP_NOWARN", "__GFP_IO|__GFP_FS|__GFP_NOWARN" },
	};

	for (gsize i = 0; i < G_N_ELEMENTS(flags); i++) {
		g_autofree char *folded = gfptext_fold(flags[i].names);

		g_assert_cmpstr(folded, ==, flags[i].folded);
	}
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/graph/gfp_flags_fold_into_masks", gfp_flags_fold_into_masks);
#define ADD(test) g_test_add("/graph/" #test, Fixture, NULL, setup, test, teardown)
	ADD(calls_nest_by_stack);
	ADD(idle_threads_are_apart);
	ADD(truncated_stacks_join_open_calls);
	ADD(each_kind_has_its_arguments);
	ADD(threads_and_interrupts_are_separate);
	ADD(cpu_filter_shows_one_cpu);
	ADD(thread_filter_leaves_out_interrupts);
	ADD(graph_without_events_shows_marks);
	return g_test_run();
}

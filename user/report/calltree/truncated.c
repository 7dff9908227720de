// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/calltree/truncated.h"

#include "kmemtrace_abi.h"
#include "report/calltree/costs_priv.h"
#include "report/calltree/metric.h"
#include "trace/event/kind.h"
#include "trace/file/reader.h"

#define MATTERS 0.01 /* minimum share that is reported */

/* Prefixes of the kernel's entry functions, on x86 and arm64. */
static gboolean is_entry(const char *function)
{
	static const char *const starts[] = {
		"entry_",
		"asm_",
		"ret_from_fork",
		"secondary_startup",
		"common_startup",
		"startup_64",
		"x86_64_start",
		"start_kernel",
		"rest_init",
		"el0",
		"el1",
		"__primary_switch",
		"__secondary_switch",
		"secondary_start_kernel",
	};

	for (guint i = 0; i < G_N_ELEMENTS(starts); i++) {
		if (g_str_has_prefix(function, starts[i]))
			return TRUE;
	}
	return FALSE;
}

/* Returns how many frames each stack has, by number. Parents have lower numbers. */
static guint *read_depths(const CallFrames *names, guint *deepest)
{
	guint32 count = call_frames_kernel_stacks(names);
	guint *depths = g_new0(guint, (gsize)count + 1);

	*deepest = 0;
	for (guint32 i = 1; i <= count; i++) {
		depths[i] = depths[call_frames_stack(names, i)->parent] + 1;
		*deepest = MAX(*deepest, depths[i]);
	}
	return depths;
}

static const CallAddr *outermost(const CallFrames *names, gint64 stack)
{
	const CallStack *node = call_frames_stack(names, stack);

	while (node->parent)
		node = call_frames_stack(names, node->parent);
	return call_frames_addr(names, node->addr);
}

static gboolean is_cut(const CallAddr *addr)
{
	return addr && addr->addr == TRACE_STACK_CUT;
}

static gboolean is_inside(const CallAddr *addr)
{
	return addr && addr->start && !is_entry(addr->raw);
}

/* Returns whether the tracer marks cut stacks. */
static gboolean has_cuts(const CallFrames *names)
{
	for (guint32 i = 1; i <= call_frames_addrs(names); i++) {
		if (is_cut(call_frames_addr(names, i)))
			return TRUE;
	}
	return FALSE;
}

void truncated_find(const CallCosts *data, Truncated *cut)
{
	g_autofree guint *depths = read_depths(data->names, &cut->depth);
	guint32 count = call_frames_kernel_stacks(data->names);
	gboolean told = has_cuts(data->names);

	for (guint kind = 0; kind < TRACE_KINDS; kind++)
		cut->kinds[kind] = (CallCost){ { 0 } };
	for (guint i = 0; i < data->origins->len; i++) {
		const CallOrigin *origin = &g_array_index(data->origins, CallOrigin, i);
		gint64 stack = origin->kernel_stack;

		if (stack < 1 || stack > count || depths[stack] < cut->depth)
			continue;
		if (told ? !is_cut(outermost(data->names, stack))
			 : !is_inside(outermost(data->names, stack)))
			continue;
		for (guint m = 0; m < CALL_METRICS; m++)
			cut->kinds[origin->kind % TRACE_KINDS].of[m] += origin->cost.of[m];
	}
	cut->depth -= told;
}

static double share(const CallCost *part, const CallCost *all, guint metric)
{
	double most = 0;

	for (guint m = 0; m < CALL_METRICS; m++) {
		if ((metric == CALL_METRICS || metric == m) && all->of[m] > 0)
			most = MAX(most, (double)part->of[m] / all->of[m]);
	}
	return most;
}

char *truncated_describe(const CallCosts *data, const Truncated *cut, int kind, guint metric)
{
	g_autoptr(GString) text = g_string_new(NULL);

	for (guint k = 0; k < TRACE_KINDS; k++) {
		CallCost all = call_costs_all(data, k);
		double part = share(&cut->kinds[k], &all, metric);

		if ((kind >= 0 && (guint)kind != k) || part <= MATTERS)
			continue;
		g_string_append_printf(text, "%s%.0f%% of %s", text->len ? ", " : "", part * 100,
				       trace_kind_names[k]);
	}
	if (!text->len)
		return NULL;
	g_string_append_printf(
		text, " (%s): their outer frames are missing%s",
		metric == CALL_METRICS ? "in one metric or another" : callmetric_of(metric)->title,
		cut->depth < KMEMTRACE_STACK_DEPTH_MAX ? "; record --stack-depth 128 keeps more"
						       : "");
	return g_strdup_printf("Stacks: CUT at %u frames for %s", cut->depth, text->str);
}

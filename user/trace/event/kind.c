// SPDX-License-Identifier: GPL-2.0-or-later
#include "trace/event/kind.h"

#include <string.h>

const char *const trace_kind_names[TRACE_KINDS + 1] = {
	[TRACE_SLAB] = "slab",
	[TRACE_PAGE] = "page",
	[TRACE_PERCPU] = "percpu",
	[TRACE_VMALLOC] = "vmalloc",
};

enum trace_kind trace_kind_find(const char *name)
{
	enum trace_kind kind = 0;

	while (kind < TRACE_KINDS && strcmp(name, trace_kind_names[kind]) != 0)
		kind++;
	return kind;
}

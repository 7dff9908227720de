/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The names of a module's functions, to be kept when the functions go: an address in a trace
 * outlives them, and who reads the trace has nobody else to ask.
 */
#ifndef KMEMTRACE_FUNCTIONS_H
#define KMEMTRACE_FUNCTIONS_H

#include <linux/types.h>

struct module;

struct kmt_functions {
	char *text; /* lines "address type name"; NULL: none kept */
	size_t len;
};

/*
 * Keeps those of @module between @start and @start + @size in @functions, in at most @room bytes:
 * all or none. For a notifier of @module, which no other change of it can meet. May sleep.
 */
void kmt_functions_keep(struct kmt_functions *functions, const struct module *module,
			unsigned long start, unsigned long size, size_t room);
void kmt_functions_drop(struct kmt_functions *functions);

#endif /* KMEMTRACE_FUNCTIONS_H */

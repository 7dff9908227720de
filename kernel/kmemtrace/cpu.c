// SPDX-License-Identifier: GPL-2.0-only
/*
 * The per-CPU state.
 */
#include <linux/stop_machine.h>

#include "cpu.h"

DEFINE_PER_CPU(struct kmt_cpu, kmt_cpu);

static int kmt_do_nothing(void *unused)
{
	return 0;
}

void kmt_cpus_wait(void)
{
	stop_machine(kmt_do_nothing, NULL, NULL);
}

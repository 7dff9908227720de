// SPDX-License-Identifier: GPL-2.0-only
/*
 * The per-CPU state.
 */
#include "cpu.h"

DEFINE_PER_CPU(struct kmt_cpu, kmt_cpu);

// SPDX-License-Identifier: GPL-2.0-only
/*
 * What each CPU has for itself.
 */
#include "cpu.h"

DEFINE_PER_CPU(struct kmt_cpu, kmt_cpu);

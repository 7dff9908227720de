/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Definitions for all programs.
 */
#ifndef KMEMTRACE_COMMON_H
#define KMEMTRACE_COMMON_H

#include <linux/bpf.h>
#include <stdbool.h>
#include <stddef.h>

#include <bpf/bpf_helpers.h>

#include "kmemtrace_bpf.h"

extern const volatile struct kmt_bpf_config config;
extern struct kmt_bpf_state state;

#define KMT_HASH_FACTOR 0x9e3779b97f4a7c15ULL

#endif /* KMEMTRACE_COMMON_H */

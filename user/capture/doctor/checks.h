/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What doctor checks. Each function adds its findings: none where there is nothing to say.
 */
#ifndef KMT_CAPTURE_DOCTOR_CHECKS_H
#define KMT_CAPTURE_DOCTOR_CHECKS_H

#include "capture/doctor/finding.h"

/* kernel_checks.c: what the kernel is, and was built with. */
void check_kernel(GArray *findings, const Machine *machine);
void check_options(GArray *findings, const Machine *machine);
void check_btf(GArray *findings, const Machine *machine);

/* module_checks.c: the kernel module, and what keeps it from being built and loaded. */
void check_module(GArray *findings, const Machine *machine);
void check_headers(GArray *findings, const Machine *machine);
void check_signature(GArray *findings, const Machine *machine);

/* access_checks.c: what this process may do and see. */
void check_rights(GArray *findings, const Machine *machine);
void check_debugfs(GArray *findings, const Machine *machine);
void check_kallsyms(GArray *findings, const Machine *machine);
void check_bpffs(GArray *findings, const Machine *machine);

/* room_checks.c: memory for the buffers, and room on the disk of the current folder. */
void check_memory(GArray *findings, const Machine *machine);
void check_disk(GArray *findings, const Machine *machine);

#endif

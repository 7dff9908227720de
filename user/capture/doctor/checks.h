/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The checks of doctor. Each function adds its findings, if it has any.
 */
#ifndef KMT_CAPTURE_DOCTOR_CHECKS_H
#define KMT_CAPTURE_DOCTOR_CHECKS_H

#include "capture/doctor/finding.h"

/* kernel_checks.c: the version and the configuration of the kernel */
void check_kernel(GArray *findings, const Machine *machine);
void check_options(GArray *findings, const Machine *machine);
void check_btf(GArray *findings, const Machine *machine);

/* module_checks.c: the kernel module, and obstacles to building and loading it */
void check_module(GArray *findings, const Machine *machine);
void check_headers(GArray *findings, const Machine *machine);
void check_signature(GArray *findings, const Machine *machine);

/* access_checks.c: permissions of this process, and what it can see */
void check_rights(GArray *findings, const Machine *machine);
void check_debugfs(GArray *findings, const Machine *machine);
void check_kallsyms(GArray *findings, const Machine *machine);
void check_bpffs(GArray *findings, const Machine *machine);

/* room_checks.c: memory for the buffers, and disk space in the current folder */
void check_memory(GArray *findings, const Machine *machine);
void check_disk(GArray *findings, const Machine *machine);

#endif

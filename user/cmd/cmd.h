/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The commands. Each has a file of its own, parses its options, and returns an enum exit_code.
 * argv[0] is the command's name.
 */
#ifndef KMT_CMD_CMD_H
#define KMT_CMD_CMD_H

#include "base/message.h"
#include "cmd/common/options.h"

int cmd_record(int argc, char **argv);
int cmd_start(int argc, char **argv);
int cmd_stop(int argc, char **argv);
int cmd_doctor(int argc, char **argv);
int cmd_status(int argc, char **argv);
int cmd_top(int argc, char **argv);
int cmd_mark(int argc, char **argv);
int cmd_extract(int argc, char **argv);
int cmd_receive(int argc, char **argv);
int cmd_recover(int argc, char **argv);
int cmd_load(int argc, char **argv);
int cmd_report(int argc, char **argv);
int cmd_query(int argc, char **argv);
int cmd_reconcile(int argc, char **argv);
int cmd_stat(int argc, char **argv);
int cmd_lifetimes(int argc, char **argv);
int cmd_churn(int argc, char **argv);
int cmd_peak(int argc, char **argv);
int cmd_live(int argc, char **argv);
int cmd_timeline(int argc, char **argv);
int cmd_frag(int argc, char **argv);
int cmd_diff(int argc, char **argv);
int cmd_check(int argc, char **argv);
int cmd_script(int argc, char **argv);
int cmd_leaks(int argc, char **argv);
int cmd_grow(int argc, char **argv);
int cmd_module(int argc, char **argv);
int cmd_export(int argc, char **argv);
int cmd_help(int argc, char **argv);

#endif

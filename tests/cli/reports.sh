# SPDX-License-Identifier: GPL-2.0-or-later
#
# To be sourced. The commands that need no argument but the trace or database: those with all filters, and all of them. Tests of
# common features of these commands use the lists; test-usage fails if a command is missing.
# shellcheck disable=SC2034 # used where this is sourced
filtered_reports=(report timeline leaks live lifetimes churn)
reports=("${filtered_reports[@]}" frag reconcile)

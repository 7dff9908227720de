// SPDX-License-Identifier: GPL-2.0-only
#define BARE_RESULT	(-ENODEV)

#include "kmemtrace_inits_bare.c"

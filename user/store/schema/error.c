// SPDX-License-Identifier: GPL-2.0-or-later
#include "store/store.h"

G_DEFINE_QUARK(kmemtrace - store - error - quark, store_error)

// SPDX-License-Identifier: GPL-2.0-or-later
#include "store/store.h"

G_DEFINE_QUARK(kmemtrace - store - error - quark, store_error)

gboolean store_fail(GError **error, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	if (error)
		*error = g_error_new_valist(STORE_ERROR, STORE_ERROR_FAILED, format, args);
	va_end(args);
	return FALSE;
}

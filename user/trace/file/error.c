// SPDX-License-Identifier: GPL-2.0-or-later
/* Errors of the trace layer: a text in the caller's memory and a number. A longer text is cut. */
#include "trace/file/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int trace_error_set(struct trace_error *err, int errnum, const char *format, ...)
{
	va_list args;

	if (err) {
		va_start(args, format);
		vsnprintf(err->text, sizeof(err->text), format, args);
		va_end(args);
	}
	return -errnum;
}

int trace_error_advise(struct trace_error *err, int ret)
{
	if (err && ret == -EBADMSG)
		strncat(err->text, "; kmemtrace-user recover FILE copies the intact chunks",
			sizeof(err->text) - strlen(err->text) - 1);
	return ret;
}

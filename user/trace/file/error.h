/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Errors of the trace layer: functions return 0 or -errno, and fill in a text with the file, the
 * byte offset and what was expected. No allocation, so it works when memory is exhausted.
 */
#ifndef KMT_TRACE_FILE_ERROR_H
#define KMT_TRACE_FILE_ERROR_H

struct trace_error {
	char text[512]; /* one line without its end; "" while nothing failed */
};

/*
 * Writes the text of @err (NULL is allowed: then nothing is written).
 * Returns -@errnum, so that a caller can end with `return trace_error_set(…)`.
 */
__attribute__((format(printf, 3, 4))) int trace_error_set(struct trace_error *err, int errnum,
							  const char *format, ...);

/* For a damaged file (-EBADMSG): appends the remedy to the text. Returns @ret. */
int trace_error_advise(struct trace_error *err, int ret);

#endif

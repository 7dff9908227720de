/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Captures what a function prints to a stream. Header only: each test is a binary of its own.
 */
#ifndef KMT_TESTS_OUTPUT_CHECK_H
#define KMT_TESTS_OUTPUT_CHECK_H

#include <glib.h>
#include <stdio.h>

/* The output that @call prints to @out, for free(). @call may use &error, which must stay NULL. */
#define CHECK_OUTPUT(call) \
	({ \
		GError *error = NULL; \
		char *text_ = NULL; \
		size_t len_; \
		FILE *out = open_memstream(&text_, &len_); \
		\
		g_assert_nonnull(out); \
		(void)(call); \
		fclose(out); \
		g_assert_no_error(error); \
		text_; \
	})

#endif

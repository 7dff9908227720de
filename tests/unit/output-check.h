/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Takes what a function prints to a stream. Header only: each test is a binary of its own.
 */
#ifndef KMT_TESTS_OUTPUT_CHECK_H
#define KMT_TESTS_OUTPUT_CHECK_H

#include <glib.h>
#include <stdio.h>

/* What @call prints to @out, which it may do with an &error that must stay NULL; for free(). */
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

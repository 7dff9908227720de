/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the fuzz targets share. Each is a file fuzz-NAME.c with a function that takes any bytes. It
 * is linked with libFuzzer, or with main.c for AFL++ and for looking at single files.
 */
#ifndef KMT_TESTS_FUZZ_H
#define KMT_TESTS_FUZZ_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What must hold whatever the input is. */
#define REQUIRE(what)								\
	do {									\
		if (!(what)) {							\
			fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #what);	\
			abort();						\
		}								\
	} while (0)

#endif

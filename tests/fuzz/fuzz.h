/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shared by the fuzz targets. Each is a file fuzz-NAME.c with a function that accepts any bytes. It
 * is linked with libFuzzer, or with main.c for AFL++ and for running single files.
 */
#ifndef KMT_TESTS_FUZZ_H
#define KMT_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/*
 * Defined in targets linked with mutator.c, NULL in others. Changes the @size bytes at @data, which
 * has room for @room bytes, depending on @seed, and returns the new size.
 */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned int seed)
	__attribute__((weak));
size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size,
				 uint8_t *out, size_t room, unsigned int seed)
	__attribute__((weak));

/* libFuzzer's own; NULL without it. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t room) __attribute__((weak));

/* A condition that must hold for any input. */
#define REQUIRE(what)								\
	do {									\
		if (!(what)) {							\
			fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #what);	\
			abort();						\
		}								\
	} while (0)

#endif

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * libFuzzer calls this instead of its own mutator, in targets that read whole traces.
 */
#include "crcs.h"
#include "fuzz.h"
#include "mutate.h"

#define BYTES_ONE_IN	8	/* libFuzzer's own mutation, for unforeseen cases */

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned int seed)
{
	size_t mutated = 0;

	if (!LLVMFuzzerMutate || seed % BYTES_ONE_IN)
		mutated = mutate_trace(data, size, room, seed);
	if (mutated || !LLVMFuzzerMutate)
		return mutated ? mutated : size;
	mutated = LLVMFuzzerMutate(data, size, room);
	if (seed / BYTES_ONE_IN % 4)
		crcs_fix(data, mutated);
	return mutated;
}

size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size,
				 uint8_t *out, size_t room, unsigned int seed)
{
	return mutate_cross(a, a_size, b, b_size, out, room, seed);
}

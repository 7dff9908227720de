// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The main program of a fuzz target without libFuzzer. Built with AFL++, it gets inputs from
 * afl-fuzz, many in one process. Otherwise it runs the given files, or stdin: to run a corpus in a
 * normal build, or a find in a debugger.
 *
 * With -m FIRST-LAST first, it runs each file once for each of these seeds, changed by the target's
 * mutator. The same seed makes the same changes. With -o FILE it writes each changed input to FILE
 * before it runs it, so that FILE is the find after a crash.
 */
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "fuzz.h"

#ifdef __AFL_FUZZ_TESTCASE_LEN
#define INPUTS_EACH	10000	/* inputs for one process */

__AFL_FUZZ_INIT();

int main(void)
{
	const uint8_t *data;

	__AFL_INIT();
	data = __AFL_FUZZ_TESTCASE_BUF;
	while (__AFL_LOOP(INPUTS_EACH))
		LLVMFuzzerTestOneInput(data, __AFL_FUZZ_TESTCASE_LEN);
	return 0;
}
#else
#define MUTATED_MAX	(1 << 20)	/* the most bytes of a mutated file */

static unsigned int first_seed, last_seed;
static bool is_mutated;
static const char *kept_path;	/* -o */

static void keep(const uint8_t *data, size_t size)
{
	FILE *file = fopen(kept_path, "we");

	REQUIRE(file && fwrite(data, 1, size, file) == size && fclose(file) == 0);
}

static void run_mutated(const uint8_t *data, size_t size)
{
	size_t room = size < MUTATED_MAX ? MUTATED_MAX : size;

	for (unsigned int seed = first_seed; seed <= last_seed; seed++) {
		uint8_t *bytes = malloc(room);
		size_t mutated;

		REQUIRE(bytes);
		memcpy(bytes, data, size);
		mutated = LLVMFuzzerCustomMutator(bytes, size, room, seed);
		if (kept_path)
			keep(bytes, mutated);
		LLVMFuzzerTestOneInput(bytes, mutated);
		free(bytes);
		if (seed == last_seed)	/* the last seed may be the highest number */
			break;
	}
}

static int run_file(FILE *file, const char *path)
{
	size_t size = 0, room = 1 << 20;
	uint8_t *data = malloc(room);

	if (!file || !data) {
		perror(path);
		return 1;
	}
	while (!feof(file) && !ferror(file)) {
		size += fread(data + size, 1, room - size, file);
		if (size == room && !(data = realloc(data, room *= 2)))
			abort();
	}
	fclose(file);
	if (is_mutated)
		run_mutated(data, size);
	else
		LLVMFuzzerTestOneInput(data, size);
	free(data);
	return 0;
}

static int fail_usage(const char *name)
{
	fprintf(stderr, "usage: %s [-m FIRST-LAST [-o FILE]] [FILE…]\n", name);
	return 2;
}

int main(int argc, char **argv)
{
	int failed = 0, option;

	while ((option = getopt(argc, argv, "m:o:")) != -1) {
		if (option == 'o')
			kept_path = optarg;
		else if (option == 'm' && sscanf(optarg, "%u-%u", &first_seed, &last_seed) == 2)
			is_mutated = true;
		else
			return fail_usage(argv[0]);
	}
	if (is_mutated && !LLVMFuzzerCustomMutator) {
		fprintf(stderr, "%s: this target has no mutator\n", argv[0]);
		return 2;
	}
	if (optind == argc)
		return run_file(stdin, "stdin");
	for (int i = optind; i < argc; i++)
		failed |= run_file(fopen(argv[i], "re"), argv[i]);
	return failed;
}
#endif

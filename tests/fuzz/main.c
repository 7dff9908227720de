// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A fuzz target without libFuzzer. Built with AFL++ it takes inputs from afl-fuzz, many in one
 * process. Else it runs the files that it is given, or stdin: to run a corpus in a normal build,
 * and to look at a find in a debugger.
 */
#include <stdint.h>
#include <unistd.h>

#include "fuzz.h"

#ifdef __AFL_FUZZ_TESTCASE_LEN
#define INPUTS_EACH	10000	/* inputs that one process takes */

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
	LLVMFuzzerTestOneInput(data, size);
	free(data);
	return 0;
}

int main(int argc, char **argv)
{
	int failed = 0;

	if (argc < 2)
		return run_file(stdin, "stdin");
	for (int i = 1; i < argc; i++)
		failed |= run_file(fopen(argv[i], "re"), argv[i]);
	return failed;
}
#endif

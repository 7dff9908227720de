// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Runs a fuzz target once for each file that is given, without libFuzzer: to run a corpus in a
 * normal build, and to look at a crash in a debugger.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int run_file(const char *path)
{
	FILE *file = fopen(path, "re");
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

	if (argc < 2) {
		fprintf(stderr, "usage: %s FILE...\n", argv[0]);
		return 2;
	}
	for (int i = 1; i < argc; i++)
		failed |= run_file(argv[i]);
	return failed;
}

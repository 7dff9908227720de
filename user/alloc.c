// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The allocation functions of the whole program and its libraries: those of glibc, which call
 * memory_failed() instead of returning NULL. Otherwise libraries would abort, print their own
 * lines, or give incomplete results when memory is short.
 *
 * free() is here so that all of them are glibc's, even with an LD_PRELOAD. Sanitizer builds have
 * their own functions, and other C libraries have no aliases: there each library handles failures
 * itself.
 */
#include <errno.h>
#include <malloc.h>
#include <stdlib.h>

#include "base/memory.h"

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__)

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *bytes);

void *malloc(size_t size)
{
	void *got = __libc_malloc(size);

	if (__builtin_expect(!got, 0))
		memory_failed(size);
	return got;
}

void *calloc(size_t count, size_t size)
{
	void *got = __libc_calloc(count, size);
	size_t bytes;

	if (__builtin_expect(!got, 0))
		memory_failed(__builtin_mul_overflow(count, size, &bytes) ? G_MAXSIZE : bytes);
	return got;
}

void *realloc(void *old, size_t size)
{
	void *got = __libc_realloc(old, size);

	if (__builtin_expect(!got && size, 0))
		memory_failed(size);
	return got;
}

void free(void *bytes)
{
	__libc_free(bytes);
}

void *memalign(size_t alignment, size_t size)
{
	void *got = __libc_memalign(alignment, size);

	if (__builtin_expect(!got, 0))
		memory_failed(size);
	return got;
}

void *aligned_alloc(size_t alignment, size_t size)
{
	return memalign(alignment, size);
}

int posix_memalign(void **out, size_t alignment, size_t size)
{
	void *got;

	if (!alignment || alignment % sizeof(void *) || alignment & (alignment - 1))
		return EINVAL;
	got = memalign(alignment, size);
	if (!got)
		return ENOMEM;
	*out = got;
	return 0;
}

#endif

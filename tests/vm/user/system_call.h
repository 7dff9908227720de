/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KMT_TESTS_SYSTEM_CALL_H
#define KMT_TESTS_SYSTEM_CALL_H

/* Enters the kernel from the function that uses it. Returns the kernel's return value. */
static inline __attribute__((always_inline)) long
system_call(long number, long a, long b, long c, long d)
{
#ifdef __aarch64__
	register long x8 __asm__("x8") = number;
	register long x0 __asm__("x0") = a;
	register long x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c;
	register long x3 __asm__("x3") = d;

	__asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3) : "memory");
	return x0;
#else
	register long r10 __asm__("r10") = d;
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "0"(number), "D"(a), "S"(b), "d"(c), "r"(r10)
			 : "rcx", "r11", "memory");
	return result;
#endif
}

#endif

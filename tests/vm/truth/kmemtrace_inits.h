/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What kmemtrace_inits.ko and kmemtrace_inits_later.ko share.
 */
#ifndef KMEMTRACE_INITS_H
#define KMEMTRACE_INITS_H

#define INITS_BYTES	600	/* of each object */
#define INITS_FUNCTIONS	32

#define INITS_EACH(do)							\
	do(0) do(1) do(2) do(3) do(4) do(5) do(6) do(7)			\
	do(8) do(9) do(10) do(11) do(12) do(13) do(14) do(15)		\
	do(16) do(17) do(18) do(19) do(20) do(21) do(22) do(23)		\
	do(24) do(25) do(26) do(27) do(28) do(29) do(30) do(31)

#endif

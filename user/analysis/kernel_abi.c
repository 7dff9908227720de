// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/kernel_abi.h"

#include <string.h>

#include "base/tokenize.h"

#define PAGE_SHIFT_MAX 24 /* no kernel has larger pages */

static LineResult set_page_size(KernelAbi *abi, guint64 bytes)
{
	guint shift = bytes ? g_bit_nth_lsf(bytes, -1) : 0;

	if (bytes != G_GUINT64_CONSTANT(1) << shift || shift < KERNEL_ABI_PAGE_SHIFT - 2 ||
	    shift > PAGE_SHIFT_MAX)
		return LINE_BAD;
	abi->page_shift = shift;
	return LINE_FINE;
}

LineResult kernel_abi_add(KernelAbi *abi, const AbiLine *line)
{
	if (line->key == ABI_PAGE_SIZE)
		return set_page_size(abi, line->value);
	if (line->key == ABI_LINEAR_BASE)
		abi->linear_base = line->value;
	if (line->key != ABI_GFP)
		return LINE_FINE;
	if (!line->value || line->value > G_MAXUINT32)
		return LINE_BAD;
	if (!strcmp(line->name, ABI_GFP_ACCOUNT))
		abi->account_bits = line->value;
	return LINE_FINE;
}

KernelAbi kernel_abi_read(char *text)
{
	KernelAbi abi = { .page_shift = KERNEL_ABI_PAGE_SHIFT };
	AbiLine parsed;
	char *line;

	while (text && (line = tokenize_line(&text))) {
		if (snapshot_parse_abi(line, &parsed) == LINE_FINE)
			kernel_abi_add(&abi, &parsed);
	}
	return abi;
}

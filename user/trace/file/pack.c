// SPDX-License-Identifier: GPL-2.0-or-later
#include "trace/file/pack.h"

#include <errno.h>
#include <stdlib.h>
#include <zstd.h>

/* ---- packing ---- */

struct trace_packer {
	ZSTD_CCtx *context;
	void *out;
	size_t room;
};

struct trace_packer *trace_packer_new(int level)
{
	struct trace_packer *packer = calloc(1, sizeof(*packer));

	if (!packer)
		return NULL;
	packer->context = ZSTD_createCCtx();
	if (!packer->context ||
	    ZSTD_isError(ZSTD_CCtx_setParameter(packer->context, ZSTD_c_compressionLevel, level))) {
		trace_packer_free(packer);
		return NULL;
	}
	return packer;
}

void trace_packer_free(struct trace_packer *packer)
{
	if (!packer)
		return;
	ZSTD_freeCCtx(packer->context);
	free(packer->out);
	free(packer);
}

size_t trace_packer_pack(struct trace_packer *packer, const void *bytes, size_t len,
			 const void **out)
{
	size_t got;

	if (len > packer->room) {
		void *room = realloc(packer->out, len);

		if (!room)
			return 0;
		packer->out = room;
		packer->room = len;
	}
	/* Limits the output to @len: incompressible data ends with an error. */
	got = ZSTD_compress2(packer->context, packer->out, len, bytes, len);
	if (ZSTD_isError(got) || got >= len)
		return 0;
	*out = packer->out;
	return got;
}

/* ---- unpacking ---- */

struct trace_unpacker {
	ZSTD_DCtx *context;
	uint8_t *packed;
	size_t room;
};

struct trace_unpacker *trace_unpacker_new(void)
{
	struct trace_unpacker *unpacker = calloc(1, sizeof(*unpacker));

	if (!unpacker)
		return NULL;
	unpacker->context = ZSTD_createDCtx();
	if (!unpacker->context) {
		free(unpacker);
		return NULL;
	}
	return unpacker;
}

void trace_unpacker_free(struct trace_unpacker *unpacker)
{
	if (!unpacker)
		return;
	ZSTD_freeDCtx(unpacker->context);
	free(unpacker->packed);
	free(unpacker);
}

uint8_t *trace_unpacker_room(struct trace_unpacker *unpacker, size_t len)
{
	if (len > unpacker->room) {
		uint8_t *room = realloc(unpacker->packed, len);

		if (!room)
			return NULL;
		unpacker->packed = room;
		unpacker->room = len;
	}
	return unpacker->packed;
}

int trace_unpacker_unpack(struct trace_unpacker *unpacker, const void *packed, size_t len,
			  void *out, size_t out_len, const char **why)
{
	size_t frame_len = ZSTD_findFrameCompressedSize(packed, len);
	size_t got = ZSTD_decompressDCtx(unpacker->context, out, out_len, packed, len);

	if (!ZSTD_isError(frame_len) && frame_len != len)
		*why = "there is more behind it";
	else if (ZSTD_isError(got))
		*why = ZSTD_getErrorName(got);
	else if (got != out_len)
		*why = "it is too short";
	else
		return 0;
	return -EBADMSG;
}

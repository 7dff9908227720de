/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Offsets of members of the running kernel's structures, from its BTF.
 */
#ifndef KMT_CAPTURE_BPF_BTF_FIELDS_H
#define KMT_CAPTURE_BPF_BTF_FIELDS_H

#include <glib.h>

struct btf;
struct btf_type;

/* In bits. */
typedef struct {
	guint at, size;
} BtfField;

/* NULL: the kernel has none of that name. */
const struct btf_type *btf_find_struct(const struct btf *btf, const char *name);

/*
 * Adds the offset of member @name of @type, which may be NULL, to @field->at, and stores its size.
 * Returns its type; NULL: there is none.
 */
const struct btf_type *btf_find_member(const struct btf *btf, const struct btf_type *type,
				       const char *name, BtfField *field);

/*
 * Stores the offset of member @inner of member @outer, in bytes. For an array, its first element
 * counts. FALSE: there is none.
 */
gboolean btf_find_inner(const struct btf *btf, const struct btf_type *type, const char *outer,
			const char *inner, guint *bytes);

#endif

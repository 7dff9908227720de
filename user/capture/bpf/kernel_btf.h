/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The types and functions of the running kernel, from its BTF. They never change, so they are read
 * once, and kept until the process ends.
 */
#ifndef KMT_CAPTURE_BPF_KERNEL_BTF_H
#define KMT_CAPTURE_BPF_KERNEL_BTF_H

#include <glib.h>

#define KERNEL_BTF "/sys/kernel/btf/vmlinux"

struct btf;
struct btf_type;

/* In bits. */
typedef struct {
	guint at, size;
} BtfField;

/* Returns NULL and sets errno if the BTF can't be read. */
const struct btf *kernel_btf(void);

/* Returns the id of the type @name of @kind (BTF_KIND_…); 0: there is none. */
gint32 kernel_btf_find(const char *name, guint kind);

/* NULL: there is none. */
const struct btf_type *kernel_btf_struct(const char *name);

/*
 * Adds the offset of member @name of @type, which may be NULL, to @field->at, and stores its size.
 * Returns its type; NULL: there is none.
 */
const struct btf_type *kernel_btf_member(const struct btf_type *type, const char *name,
					 BtfField *field);

/*
 * Stores the offset of member @inner of member @outer, in bytes. For an array, its first element
 * counts. FALSE: there is none.
 */
gboolean kernel_btf_inner(const struct btf_type *type, const char *outer, const char *inner,
			  guint *bytes);

#endif

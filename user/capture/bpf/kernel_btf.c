// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/bpf/kernel_btf.h"

#include <bpf/btf.h>
#include <string.h>

#include "base/seed.h"

static GMutex lock;
static struct btf *types;
static GHashTable *ids[BTF_KIND_MAX + 1]; /* by name: of the types that were searched for */

/* The lock must be held. */
static const struct btf *read_once(void)
{
	if (!types)
		types = btf__load_vmlinux_btf();
	return types;
}

const struct btf *kernel_btf(void)
{
	const struct btf *found;

	g_mutex_lock(&lock);
	found = read_once();
	g_mutex_unlock(&lock);
	return found;
}

/* libbpf compares all names, and the same ones are searched for again and again. */
static gint32 find(const char *name, guint kind)
{
	gpointer known;
	gint32 id;

	if (!ids[kind])
		ids[kind] = g_hash_table_new_full(seed_text, g_str_equal, g_free, NULL);
	if (g_hash_table_lookup_extended(ids[kind], name, NULL, &known))
		return GPOINTER_TO_INT(known);
	id = MAX(btf__find_by_name_kind(types, name, kind), 0);
	g_hash_table_insert(ids[kind], g_strdup(name), GINT_TO_POINTER(id));
	return id;
}

gint32 kernel_btf_find(const char *name, guint kind)
{
	gint32 id;

	g_mutex_lock(&lock);
	id = read_once() ? find(name, kind) : 0;
	g_mutex_unlock(&lock);
	return id;
}

/* ---- members ---- */

/* Follows typedefs and qualifiers. */
static const struct btf_type *resolve(guint32 id)
{
	gint32 type = btf__resolve_type(types, id);

	return type > 0 ? btf__type_by_id(types, type) : NULL;
}

const struct btf_type *kernel_btf_struct(const char *name)
{
	gint32 id = kernel_btf_find(name, BTF_KIND_STRUCT);

	return id ? btf__type_by_id(types, id) : NULL;
}

const struct btf_type *kernel_btf_member(const struct btf_type *type, const char *name,
					 BtfField *field)
{
	for (guint i = 0; type && btf_is_composite(type) && i < btf_vlen(type); i++) {
		const struct btf_member *member = &btf_members(type)[i];

		if (strcmp(btf__name_by_offset(types, member->name_off), name))
			continue;
		field->at += btf_member_bit_offset(type, i);
		field->size = btf_member_bitfield_size(type, i);
		if (!field->size)
			field->size = btf__resolve_size(types, member->type) * 8;
		return resolve(member->type);
	}
	return NULL;
}

gboolean kernel_btf_inner(const struct btf_type *type, const char *outer, const char *inner,
			  guint *bytes)
{
	BtfField field = { 0 };
	const struct btf_type *member = kernel_btf_member(type, outer, &field);

	if (member && btf_is_array(member))
		member = resolve(btf_array(member)->type);
	if (!member || !kernel_btf_member(member, inner, &field))
		return FALSE;
	*bytes = field.at / 8;
	return TRUE;
}

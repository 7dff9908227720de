// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/bpf/btf_fields.h"

#include <bpf/btf.h>
#include <string.h>

static const struct btf_type *resolve(const struct btf *btf, guint32 id)
{
	gint32 type = btf__resolve_type(btf, id);

	return type > 0 ? btf__type_by_id(btf, type) : NULL;
}

const struct btf_type *btf_find_struct(const struct btf *btf, const char *name)
{
	gint32 id = btf__find_by_name_kind(btf, name, BTF_KIND_STRUCT);

	return id > 0 ? btf__type_by_id(btf, id) : NULL;
}

const struct btf_type *btf_find_member(const struct btf *btf, const struct btf_type *type,
				       const char *name, BtfField *field)
{
	for (guint i = 0; type && btf_is_composite(type) && i < btf_vlen(type); i++) {
		const struct btf_member *member = &btf_members(type)[i];

		if (strcmp(btf__name_by_offset(btf, member->name_off), name))
			continue;
		field->at += btf_member_bit_offset(type, i);
		field->size = btf_member_bitfield_size(type, i);
		if (!field->size)
			field->size = btf__resolve_size(btf, member->type) * 8;
		return resolve(btf, member->type);
	}
	return NULL;
}

gboolean btf_find_inner(const struct btf *btf, const struct btf_type *type, const char *outer,
			const char *inner, guint *bytes)
{
	BtfField field = { 0 };
	const struct btf_type *member = btf_find_member(btf, type, outer, &field);

	if (member && btf_is_array(member))
		member = resolve(btf, btf_array(member)->type);
	if (!member || !btf_find_member(btf, member, inner, &field))
		return FALSE;
	*bytes = field.at / 8;
	return TRUE;
}

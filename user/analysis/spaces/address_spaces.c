// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/spaces/address_spaces_priv.h"

#include "base/sorted.h"

static AddressSpaces *spaces_new(void)
{
	AddressSpaces *spaces = g_new0(AddressSpaces, 1);

	space_table_init(&spaces->table);
	spaces->files = space_files_new();
	spaces->losses = losstimes_new();
	spaces->abi.page_shift = KERNEL_ABI_PAGE_SHIFT;
	return spaces;
}

void address_spaces_free(AddressSpaces *spaces)
{
	if (!spaces)
		return;
	space_table_clear(&spaces->table);
	space_files_free(spaces->files);
	losstimes_free(spaces->losses);
	g_free(spaces);
}

AddressSpaces *address_spaces_read(struct trace_reader *reader, struct trace_error *err)
{
	AddressSpaces *spaces = spaces_new();
	gboolean found = FALSE;
	int ret;

	err->text[0] = '\0';
	ret = space_texts_read(spaces, reader, &found, err);
	if (!ret && found)
		ret = space_events_read(spaces, reader, err);
	if (!ret)
		err->text[0] = '\0';
	if (!ret && found)
		return spaces;
	address_spaces_free(spaces);
	return NULL;
}

/* ---- queries ---- */

/* Returns whether data known at some times is valid at another one. */
static gboolean is_sure(const AddressSpaces *spaces, SpaceSpan known, guint64 time_ns)
{
	return !losstimes_any(spaces->losses, MIN(known.from_ns, time_ns),
			      MAX(known.to_ns, time_ns));
}

/* Returns whether the process still has, or already had, the space at a time. */
static gboolean is_there(const AddressSpaces *spaces, guint32 tgid, const Tenure *tenure,
			 guint64 time_ns)
{
	const Space *space = space_table_get(&spaces->table, tenure->space);
	SpaceSpan known;

	return is_sure(spaces, (SpaceSpan){ tenure->from_ns, tenure->from_ns }, time_ns) ||
	       (space_table_read(&spaces->table, space, tgid, &known) &&
		is_sure(spaces, known, time_ns));
}

SpaceMoment address_spaces_moment(const AddressSpaces *spaces, guint32 tgid, guint64 time_ns)
{
	const GArray *tenures = space_table_tenures(&spaces->table, tgid);
	guint count = tenures ? SORTED_COUNT(tenures, Tenure, from_ns, time_ns) : 0;
	const Tenure *tenure = count ? &g_array_index(tenures, Tenure, count - 1) : NULL;
	SpaceMoment moment = { 0 };

	if (!tenure || !is_there(spaces, tgid, tenure, time_ns))
		return moment;
	moment.space = tenure->space;
	moment.epoch = space_count_later(space_table_get(&spaces->table, moment.space), time_ns) +
		       losstimes_edges(spaces->losses, time_ns);
	return moment;
}

guint32 address_spaces_find(const AddressSpaces *spaces, SpaceMoment moment, guint64 time_ns,
			    guint64 addr, guint64 *offset)
{
	const SpaceVersion *version;
	const Range *range;
	const Space *space;
	SpaceSpan known;
	guint later;

	if (!moment.space)
		return 0;
	space = space_table_get(&spaces->table, moment.space);
	later = space_count_later(space, time_ns);
	version = later ? &g_array_index(space->later, SpaceVersion, later - 1) : &space->first;
	range = space_table_find(&spaces->table, space, version, addr, &known);
	if (!range || !is_sure(spaces, known, time_ns))
		return 0;
	*offset = range->offset + (addr - range->start);
	return range->file;
}

guint32 address_spaces_files(const AddressSpaces *spaces)
{
	return space_files_count(spaces->files);
}

const SpaceFile *address_spaces_file(const AddressSpaces *spaces, guint32 file)
{
	return space_files_get(spaces->files, file);
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include "store/load/usernames.h"

#include "base/message.h"
#include "symbols/elffile.h"
#include "trace/file/reader.h"

struct UserNames {
	const AddressSpaces *spaces;
	ElfFile **files; /* by number − 1 */
	gboolean *tried; /* the same: it was opened, or that failed */
	UnwindBudget budget;
};

UserNames *usernames_new(const AddressSpaces *spaces)
{
	UserNames *names = g_new0(UserNames, 1);

	names->spaces = spaces;
	names->budget = (UnwindBudget)UNWIND_BUDGET_INIT;
	names->files = g_new0(ElfFile *, address_spaces_files(spaces));
	names->tried = g_new0(gboolean, address_spaces_files(spaces));
	return names;
}

void usernames_free(UserNames *names)
{
	if (!names)
		return;
	for (guint i = 0; i < address_spaces_files(names->spaces); i++)
		elffile_free(names->files[i]);
	g_free(names->files);
	g_free(names->tried);
	g_free(names);
}

static ElfFile *open_file(UserNames *names, guint32 number)
{
	const SpaceFile *file = address_spaces_file(names->spaces, number);

	if (!names->tried[number - 1]) {
		names->tried[number - 1] = TRUE;
		names->files[number - 1] =
			elffile_open(file->path, file->build_id, file->size, file->mtime_ns);
	}
	return names->files[number - 1];
}

static UserFrame frame_of(const UserNames *names, SpaceMoment moment, guint64 time_ns, guint64 addr,
			  gboolean exact)
{
	UserFrame frame = { .place = addr, .exact = exact };
	guint64 offset;

	/* The byte before a return address is in the call: behind it another file may begin. */
	frame.file = address_spaces_find(names->spaces, moment, time_ns, exact ? addr : addr - 1,
					 &offset);
	if (frame.file)
		frame.place = exact ? offset : offset + 1;
	return frame;
}

static gboolean can_be_return(UserNames *names, const UserFrame *frame)
{
	const ElfFile *elf = frame->file ? open_file(names, frame->file) : NULL;

	return !elf || elffile_follows_call(elf, frame->place);
}

/* Whether what lies at the top of the stack is the return address of the innermost function. */
static gboolean has_top(UserNames *names, const UserFrame *innermost)
{
	ElfFile *elf = innermost->file ? open_file(names, innermost->file) : NULL;
	gboolean was_spent = names->budget.is_spent;
	gboolean has = elf && elffile_returns_from_top(elf, innermost->place, &names->budget);

	if (names->budget.is_spent && !was_spent)
		message("unwind tables of programs take too long to run: some user stacks lack the caller of a system call's wrapper");
	return has;
}

guint usernames_frames(UserNames *names, SpaceMoment moment, guint64 time_ns, const guint64 *addrs,
		       guint depth, UserFrame *frames)
{
	gboolean cut = depth > 0 && addrs[depth - 1] == TRACE_STACK_CUT;
	guint count = 0, known = 0;

	for (guint i = 0; i < depth - cut; i++) {
		if (i == 1 && (!addrs[i] || !has_top(names, &frames[0])))
			continue;
		frames[count] = frame_of(names, moment, time_ns, addrs[i], i == 0);
		if (i && !can_be_return(names, &frames[count])) {
			cut = FALSE;
			break;
		}
		if (frames[count++].file)
			known = count;
	}
	if (cut && known == count)
		frames[known++] = (UserFrame){ .place = TRACE_STACK_CUT };
	return known ? known : count;
}

UserName usernames_find(UserNames *names, const UserFrame *frame)
{
	UserName name = { .offset = frame->place };
	const ElfFile *elf;
	guint64 within;

	if (!frame->file) {
		if (frame->place == TRACE_STACK_CUT)
			name.function = TRACE_STACK_CUT_NAME;
		return name;
	}
	name.file = address_spaces_file(names->spaces, frame->file)->path;
	elf = open_file(names, frame->file);
	if (!elf)
		return name;
	/* A call may be the last instruction of its function: the byte before counts. */
	name.function = elffile_function(elf, frame->place - !frame->exact, &within);
	if (name.function)
		name.offset = within + !frame->exact;
	return name;
}

char *usernames_text(const UserName *name)
{
	g_autofree char *file = name->file ? g_path_get_basename(name->file) : NULL;

	if (name->function && !file) /* cut */
		return g_strdup(name->function);
	if (name->function)
		return g_strdup_printf("%s+0x%" G_GINT64_MODIFIER "x [%s]", name->function,
				       name->offset, file);
	if (file)
		return g_strdup_printf("[%s]+0x%" G_GINT64_MODIFIER "x", file, name->offset);
	return g_strdup_printf("0x%" G_GINT64_MODIFIER "x", name->offset);
}

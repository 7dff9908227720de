// SPDX-License-Identifier: GPL-2.0-or-later
#include "store/load/usernames.h"

#include <errno.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/message.h"
#include "base/regular.h"
#include "base/seed.h"
#include "symbols/elffile.h"
#include "trace/file/reader.h"

#define OTHER_FILES 64    /* other open files */
#define CALLS       65536 /* places in files that were looked at last */

/* Whether a call is before a place in a file: a process may map the same code again and again. */
typedef struct {
	const ElfFile *elf; /* NULL: none */
	guint64 place;
	gboolean follows_call;
} Call;

struct UserNames {
	const AddressSpaces *spaces;
	ElfFile **files;    /* by number − 1; several numbers may have the same one */
	gboolean *tried;    /* by number − 1: opened, or opening failed */
	GHashTable *opened; /* identity, for g_free(), to its own ElfFile, or NULL */
	gboolean said;      /* reported that too many files are open */
	ElfBudget tables, unwinding;
	Call calls[CALLS]; /* by seed_number() of the place */
};

static void free_file(gpointer elf)
{
	elffile_free(elf);
}

/* Raises the limit of open files, since each file stays open: a trace names up to 4,096. */
static void allow_files(guint count)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur >= count + OTHER_FILES)
		return;
	limit.rlim_cur = MIN(limit.rlim_max, count + OTHER_FILES);
	setrlimit(RLIMIT_NOFILE, &limit);
}

UserNames *usernames_new(const AddressSpaces *spaces)
{
	UserNames *names = g_new0(UserNames, 1);

	names->spaces = spaces;
	names->tables = (ElfBudget)TABLE_BUDGET_INIT;
	names->unwinding = (ElfBudget)UNWIND_BUDGET_INIT;
	names->files = g_new0(ElfFile *, address_spaces_files(spaces));
	names->tried = g_new0(gboolean, address_spaces_files(spaces));
	allow_files(address_spaces_files(spaces));
	names->opened = g_hash_table_new_full(seed_text, g_str_equal, g_free, free_file);
	return names;
}

void usernames_free(UserNames *names)
{
	if (!names)
		return;
	g_hash_table_unref(names->opened);
	g_free(names->files);
	g_free(names->tried);
	g_free(names);
}

static ElfFile *read_file(UserNames *names, const SpaceFile *file, int fd)
{
	gboolean was_spent = names->tables.is_spent;
	ElfFile *elf = elffile_open(fd, file->build_id, file->size, file->mtime_ns, &names->tables);

	if (names->tables.is_spent && !was_spent)
		message("%s: symbol and unwind tables of programs are too long: functions of some programs have no names",
			file->path);
	return elf;
}

/*
 * Finds a file by its identity: a trace may name a file in many ways, but its tables are read once.
 */
static ElfFile *find_file(UserNames *names, const SpaceFile *file)
{
	gpointer elf = NULL;
	struct stat st;
	int fd = regular_open_foreign(file->path, 0, REGULAR_ANY, &st);
	char *identity;

	if (fd < 0) {
		if ((errno == EMFILE || errno == ENFILE) && !names->said)
			message("%s: too many files are open (ulimit -n): functions of some programs have no names",
				file->path);
		names->said |= errno == EMFILE || errno == ENFILE;
		return NULL;
	}
	/* Includes the expected build id, or size and time: at most one expectation is right. */
	identity = g_strdup_printf("%" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT
				   " %s %" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT,
				   (guint64)st.st_dev, (guint64)st.st_ino, file->build_id ?: "",
				   file->build_id ? 0 : file->size,
				   file->build_id ? 0 : file->mtime_ns);
	if (g_hash_table_lookup_extended(names->opened, identity, NULL, &elf)) {
		close(fd);
		g_free(identity);
		return elf;
	}
	elf = read_file(names, file, fd);
	g_hash_table_insert(names->opened, identity, elf);
	return elf;
}

static ElfFile *open_file(UserNames *names, guint32 number)
{
	if (!names->tried[number - 1]) {
		names->tried[number - 1] = TRUE;
		names->files[number - 1] =
			find_file(names, address_spaces_file(names->spaces, number));
	}
	return names->files[number - 1];
}

static UserFrame frame_of(const UserNames *names, SpaceMoment moment, guint64 time_ns, guint64 addr,
			  gboolean exact)
{
	UserFrame frame = { .place = addr, .exact = exact };
	guint64 offset;

	/*
	 * The byte before a return address is in the call; at the address itself another file may
	 * begin.
	 */
	frame.file = address_spaces_find(names->spaces, moment, time_ns, exact ? addr : addr - 1,
					 &offset);
	if (frame.file)
		frame.place = exact ? offset : offset + 1;
	return frame;
}

static gboolean can_be_return(UserNames *names, const UserFrame *frame)
{
	const ElfFile *elf = frame->file ? open_file(names, frame->file) : NULL;
	Call *call = &names->calls[seed_number(GSIZE_TO_POINTER(frame->place)) % CALLS];

	if (!elf)
		return TRUE;
	if (call->elf != elf || call->place != frame->place)
		*call = (Call){ elf, frame->place, elffile_follows_call(elf, frame->place) };
	return call->follows_call;
}

/* Returns whether the top of the stack is the return address of the innermost function. */
static gboolean has_top(UserNames *names, const UserFrame *innermost)
{
	ElfFile *elf = innermost->file ? open_file(names, innermost->file) : NULL;
	gboolean was_spent = names->unwinding.is_spent;
	gboolean has = elf && elffile_returns_from_top(elf, innermost->place, &names->unwinding);

	if (names->unwinding.is_spent && !was_spent)
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
	/* A call may be the last instruction of its function: use the byte before. */
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

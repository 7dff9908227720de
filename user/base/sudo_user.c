// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Only the file system ids are the user's (setfsuid(2)), so that signals, tracing and limits of the
 * process remain root's. They are per thread: glibc's setgroups() would change those of all
 * threads. Capabilities are dropped meanwhile: with CAP_SYS_PTRACE, /proc/PID/cwd would lead into
 * folders that the user cannot reach.
 */
#include "base/sudo_user.h"

#include <errno.h>
#include <grp.h>
#include <linux/capability.h>
#include <pwd.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/syscall.h>
#include <unistd.h>

#define GROUPS_MAX 65536 /* NGROUPS_MAX */
#define ID_MAX     (G_MAXUINT32 - 1)
#define NOBODY     65534       /* the unprivileged user and group */
#define ASK_ONLY   ((uid_t)-1) /* not an id: setfsuid() only returns the current one */

typedef struct {
	uid_t uid;
	gid_t gid;
	const char *program; /* the program that was called */
} Caller;

static __thread struct {
	gboolean entered;
	gid_t *groups;
	int group_count;
	struct __user_cap_data_struct caps[_LINUX_CAPABILITY_U32S_3];
} before;

/* Reads the id in the environment's @name; NOBODY if it is invalid. Returns FALSE if not set. */
static gboolean read_id(const char *name, guint *id)
{
	const char *text = g_getenv(name);
	guint64 number;

	if (!text)
		return FALSE;
	*id = g_ascii_string_to_unsigned(text, 10, 0, ID_MAX, &number, NULL) ? number : NOBODY;
	return TRUE;
}

static guint read_doas(void)
{
	const char *name = g_getenv("DOAS_USER");
	const struct passwd *user = name ? getpwnam(name) : NULL;

	return user ? user->pw_uid : name ? NOBODY : 0;
}

static gid_t group_of(const Caller *caller)
{
	const struct passwd *user = getpwuid(caller->uid);
	guint gid;

	if (!strcmp(caller->program, "sudo") && read_id("SUDO_GID", &gid))
		return gid;
	return user ? user->pw_gid : caller->uid;
}

/*
 * Finds the user other than root who called this process by a program such as sudo. Returns FALSE
 * if there is none. If two of the variables name different users, one of them was set by the
 * caller.
 */
static gboolean find_any_caller(Caller *caller)
{
	static const char *const programs[] = { "sudo", "pkexec", "doas" };
	guint uids[] = { 0, 0, read_doas() };

	read_id("SUDO_UID", &uids[0]);
	read_id("PKEXEC_UID", &uids[1]);
	caller->program = NULL;
	for (guint i = 0; i < G_N_ELEMENTS(uids); i++) {
		if (!uids[i])
			continue;
		caller->uid = caller->program && caller->uid != uids[i] ? NOBODY : uids[i];
		caller->program = programs[i];
	}
	if (caller->program)
		caller->gid = group_of(caller);
	return caller->program != NULL;
}

/* The same, if the process is root and can take on the user's permissions. */
static gboolean find_caller(Caller *caller)
{
	return geteuid() == 0 && find_any_caller(caller);
}

gboolean sudo_user_trusts(guint uid)
{
	Caller caller;

	return !uid || uid == geteuid() || (find_caller(&caller) && uid == caller.uid);
}

gboolean sudo_user_is_other(void)
{
	Caller caller;

	/* NOBODY may stand for an unknown user. */
	return find_any_caller(&caller) && (caller.uid != geteuid() || caller.uid == NOBODY);
}

/* Returns the groups of the user, for g_free(). */
static gid_t *find_groups(const Caller *caller, int *count)
{
	const struct passwd *user = getpwuid(caller->uid);
	gid_t *groups = g_new(gid_t, 1);

	groups[0] = caller->gid;
	*count = 1;
	if (!user)
		return groups;
	*count = 0;
	getgrouplist(user->pw_name, caller->gid, NULL, count);
	*count = CLAMP(*count, 1, GROUPS_MAX);
	groups = g_renew(gid_t, groups, *count);
	if (getgrouplist(user->pw_name, caller->gid, groups, count) < 0)
		*count = 1;
	return groups;
}

static void set_groups(int count, const gid_t *groups)
{
	g_assert(syscall(SYS_setgroups, (size_t)count, groups) == 0);
}

static void set_ids(uid_t uid, gid_t gid)
{
	setfsgid(gid);
	setfsuid(uid);
	g_assert((uid_t)setfsuid(ASK_ONLY) == uid && (gid_t)setfsgid(ASK_ONLY) == gid);
}

static struct __user_cap_header_struct cap_header(void)
{
	return (struct __user_cap_header_struct){ .version = _LINUX_CAPABILITY_VERSION_3 };
}

static void set_caps(const struct __user_cap_data_struct *caps)
{
	struct __user_cap_header_struct header = cap_header();

	g_assert(syscall(SYS_capset, &header, caps) == 0);
}

/* Drops all effective capabilities. The permitted ones stay, for sudo_user_leave(). */
static void drop_caps(void)
{
	struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3];

	memcpy(none, before.caps, sizeof(none));
	for (guint i = 0; i < G_N_ELEMENTS(none); i++)
		none[i].effective = 0;
	set_caps(none);
}

void sudo_user_enter(void)
{
	struct __user_cap_header_struct header = cap_header();
	g_autofree gid_t *groups = NULL;
	int saved = errno, count;
	Caller caller;

	if (!find_caller(&caller))
		return;
	g_assert(!before.entered);
	before.entered = TRUE;
	before.group_count = getgroups(0, NULL);
	before.groups = g_new(gid_t, MAX(before.group_count, 1));
	before.group_count = getgroups(before.group_count, before.groups);
	groups = find_groups(&caller, &count);
	set_groups(count, groups);
	g_assert(syscall(SYS_capget, &header, before.caps) == 0);
	set_ids(caller.uid, caller.gid);
	drop_caps();
	errno = saved;
}

void sudo_user_leave(void)
{
	int saved = errno;

	if (!before.entered)
		return;
	set_caps(before.caps);
	set_ids(geteuid(), getegid());
	set_groups(before.group_count, before.groups);
	g_clear_pointer(&before.groups, g_free);
	before.entered = FALSE;
	errno = saved;
}

char *sudo_user_describe(void)
{
	const struct passwd *user;
	Caller caller;

	if (!find_caller(&caller))
		return g_strdup("");
	user = getpwuid(caller.uid);
	if (user)
		return g_strdup_printf(" (with the rights of user %s, who called %s)",
				       user->pw_name, caller.program);
	return g_strdup_printf(" (with the rights of user %u, who called %s)", caller.uid,
			       caller.program);
}

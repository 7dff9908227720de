// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Rights are those of the file system alone (setfsuid(2)), so that signals, tracing and the limits
 * of the process stay root's. They belong to a thread: glibc's setgroups() would change those of
 * all.
 */
#include "base/sudo_user.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/syscall.h>
#include <unistd.h>

#define GROUPS_MAX 65536 /* NGROUPS_MAX */
#define ID_MAX     (G_MAXUINT32 - 1)
#define NOBODY     65534       /* the user, and the group, without rights */
#define ASK_ONLY   ((uid_t)-1) /* not an id: setfsuid() only returns what is set */

typedef struct {
	uid_t uid;
	gid_t gid;
} Caller;

static __thread struct {
	gboolean entered;
	gid_t *groups;
	int group_count;
} before;

/* The id in the environment's @name; NOBODY if it cannot be read. FALSE if not set. */
static gboolean read_id(const char *name, guint *id)
{
	const char *text = g_getenv(name);
	guint64 number;

	if (!text)
		return FALSE;
	*id = g_ascii_string_to_unsigned(text, 10, 0, ID_MAX, &number, NULL) ? number : NOBODY;
	return TRUE;
}

/* FALSE: not under sudo, or root called it. Without SUDO_GID the group is the user's number. */
static gboolean find_caller(Caller *caller)
{
	if (geteuid() != 0 || !read_id("SUDO_UID", &caller->uid) || !caller->uid)
		return FALSE;
	if (!read_id("SUDO_GID", &caller->gid))
		caller->gid = caller->uid;
	return TRUE;
}

gboolean sudo_user_trusts(guint uid)
{
	Caller caller;

	return !uid || uid == geteuid() || (find_caller(&caller) && uid == caller.uid);
}

gboolean sudo_user_is_other(void)
{
	const char *doas = g_getenv("DOAS_USER"), *pkexec = g_getenv("PKEXEC_UID");
	Caller caller;

	return find_caller(&caller) || (geteuid() == 0 && ((doas && strcmp(doas, "root") != 0) ||
							   (pkexec && strcmp(pkexec, "0") != 0)));
}

/* The groups of the user, for g_free(). */
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

void sudo_user_enter(void)
{
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
	set_ids(caller.uid, caller.gid);
	errno = saved;
}

void sudo_user_leave(void)
{
	int saved = errno;

	if (!before.entered)
		return;
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
		return g_strdup_printf(" (with the rights of user %s, who called sudo)",
				       user->pw_name);
	return g_strdup_printf(" (with the rights of user %u, who called sudo)", caller.uid);
}

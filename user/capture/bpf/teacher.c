// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/bpf/teacher.h"

#include "capture/bpf/grace.h"
#include "capture/bpf/orc.h"
#include "capture/bpf/stack_layout.h"
#include "capture/bpf/stack_tree.h"

#define PAUSE_US     2000 /* while there are new stacks; twice as long each time there are none */
#define PAUSE_MAX_US 200000
#define READ_TRIES   10

struct Teacher {
	const BpfMaps *maps;
	KernelMemory memory;
	OrcTables *tables;
	StackTree *tree;
	StackLayout layout;
	guint32 modules; /* state.modules when the tables were read */
	guint32 misses;  /* state.misses at the last look */
	gint64 count;    /* stacks in the tree; atomic */
	gint stop;       /* atomic */
	GThread *thread;
};

static guint32 load(const guint32 *value)
{
	return __atomic_load_n(value, __ATOMIC_ACQUIRE);
}

/* If a module is loaded or unloaded while the tables are read, they are read again. */
static gboolean read_modules(Teacher *teacher)
{
	const struct kmt_bpf_state *state = teacher->maps->state;

	for (guint i = 0; i < READ_TRIES; i++) {
		teacher->modules = load(&state->modules);
		orc_read_modules(teacher->tables, &teacher->memory);
		if (load(&state->modules) == teacher->modules)
			return TRUE;
	}
	return FALSE;
}

/* Addresses of an unloaded module may be reused: programs do not search until all is forgotten. */
static gboolean follow_modules(Teacher *teacher)
{
	struct kmt_bpf_state *state = teacher->maps->state;
	guint32 unloads = load(&state->unloads);

	if (unloads == state->taught && load(&state->modules) == teacher->modules)
		return TRUE;
	if (unloads != state->taught) {
		grace_wait();
		stack_tree_clear(teacher->tree);
		__atomic_store_n(&teacher->count, 0, __ATOMIC_RELAXED);
	}
	if (!read_modules(teacher))
		return FALSE;
	__atomic_store_n(&state->taught, unloads, __ATOMIC_RELEASE);
	return TRUE;
}

static void teach(Teacher *teacher, const struct kmt_bpf_miss *miss)
{
	if (miss->unloads == teacher->maps->state->taught &&
	    stack_layout_find(teacher->tables, miss, &teacher->layout) &&
	    stack_tree_add(teacher->tree, &teacher->layout, miss))
		__atomic_add_fetch(&teacher->count, 1, __ATOMIC_RELAXED);
}

static void teach_all(Teacher *teacher)
{
	for (guint i = 0; i < KMT_BPF_MISSES; i++) {
		struct kmt_bpf_miss *miss = &teacher->maps->misses[i];

		if (load(&miss->state) != KMT_BPF_MISS_READY)
			continue;
		teach(teacher, miss);
		__atomic_store_n(&miss->state, KMT_BPF_MISS_FREE, __ATOMIC_RELEASE);
	}
}

static gpointer run(gpointer data)
{
	Teacher *teacher = data;
	gulong pause = PAUSE_US;

	while (!g_atomic_int_get(&teacher->stop)) {
		guint32 misses = load(&teacher->maps->state->misses);

		if (follow_modules(teacher) && misses != teacher->misses) {
			teacher->misses = misses;
			teach_all(teacher);
			pause = PAUSE_US;
		}
		g_usleep(pause);
		pause = MIN(pause * 2, PAUSE_MAX_US);
	}
	return NULL;
}

Teacher *teacher_new(const BpfMaps *maps, const KernelMemory *memory, const BpfSymbols *symbols)
{
	OrcTables *tables = orc_read(memory, symbols);
	Teacher *teacher;

	if (!tables)
		return NULL;
	teacher = g_new0(Teacher, 1);
	teacher->maps = maps;
	teacher->memory = *memory;
	teacher->tables = tables;
	teacher->tree = stack_tree_new(&maps->tree);
	read_modules(teacher);
	teacher->thread = g_thread_try_new("teacher", run, teacher, NULL);
	if (teacher->thread)
		return teacher;
	teacher_free(teacher);
	return NULL;
}

void teacher_free(Teacher *teacher)
{
	if (!teacher)
		return;
	g_atomic_int_set(&teacher->stop, TRUE);
	if (teacher->thread)
		g_thread_join(teacher->thread);
	stack_tree_free(teacher->tree);
	orc_free(teacher->tables);
	g_free(teacher);
}

guint64 teacher_count(const Teacher *teacher)
{
	return (guint64)__atomic_load_n(&teacher->count, __ATOMIC_RELAXED);
}

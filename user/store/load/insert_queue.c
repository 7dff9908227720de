// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A ring of batches. The caller fills the batch after the full ones, the thread empties the first
 * full one. The caller sleeps only if the ring is full, the thread only if it is empty.
 */
#include "store/load/insert_queue.h"

#define BATCHES    4
#define BATCH_ROWS 2048

typedef struct {
	guint rows;
	gint64 *values; /* room for BATCH_ROWS rows */
} Batch;

struct InsertQueue {
	TableWriter *writer;
	guint columns;
	Batch *filling;  /* owned by the caller, as all batches that are not full */
	GThread *thread; /* NULL: joined */
	GMutex lock;     /* guards the following fields */
	GCond changed;
	Batch batches[BATCHES];
	guint first, full; /* the oldest full batch; number of full ones */
	gboolean ending;   /* no more batches will come */
	gboolean stopped;  /* drop the rest: a row failed, or the queue is freed */
};

static gboolean insert_batch(InsertQueue *queue, const Batch *batch)
{
	int error = 0;

	for (guint i = 0; i < batch->rows && !error; i++)
		error = table_writer_add(queue->writer, batch->values + (gsize)i * queue->columns);
	return !error;
}

static gpointer run(gpointer data)
{
	InsertQueue *queue = data;

	g_mutex_lock(&queue->lock);
	while (!queue->stopped) {
		gboolean fine;

		if (!queue->full) {
			if (queue->ending)
				break;
			g_cond_wait(&queue->changed, &queue->lock);
			continue;
		}
		g_mutex_unlock(&queue->lock);
		fine = insert_batch(queue, &queue->batches[queue->first]);
		g_mutex_lock(&queue->lock);
		queue->first = (queue->first + 1) % BATCHES;
		queue->full--;
		queue->stopped |= !fine;
		g_cond_signal(&queue->changed);
	}
	g_mutex_unlock(&queue->lock);
	return NULL;
}

InsertQueue *insert_queue_new(TableWriter *writer, guint columns)
{
	InsertQueue *queue = g_new0(InsertQueue, 1);

	queue->writer = writer;
	queue->columns = columns;
	g_mutex_init(&queue->lock);
	g_cond_init(&queue->changed);
	for (guint i = 0; i < BATCHES; i++)
		queue->batches[i].values = g_new(gint64, (gsize)BATCH_ROWS * columns);
	queue->filling = &queue->batches[0];
	queue->thread = g_thread_new("insert", run, queue);
	return queue;
}

/* Passes the filled batch to the thread, and waits for an empty one. */
static void hand_over(InsertQueue *queue)
{
	g_mutex_lock(&queue->lock);
	if (!queue->stopped) {
		queue->full++;
		g_cond_signal(&queue->changed);
		while (queue->full == BATCHES && !queue->stopped)
			g_cond_wait(&queue->changed, &queue->lock);
		queue->filling = &queue->batches[(queue->first + queue->full) % BATCHES];
	}
	g_mutex_unlock(&queue->lock);
	queue->filling->rows = 0;
}

gint64 *insert_queue_row(InsertQueue *queue)
{
	if (queue->filling->rows == BATCH_ROWS)
		hand_over(queue);
	return queue->filling->values + (gsize)queue->filling->rows++ * queue->columns;
}

gboolean insert_queue_is_fine(InsertQueue *queue)
{
	gboolean fine;

	g_mutex_lock(&queue->lock);
	fine = !queue->stopped;
	g_mutex_unlock(&queue->lock);
	return fine;
}

static void end(InsertQueue *queue, gboolean drop)
{
	if (!queue->thread)
		return;
	g_mutex_lock(&queue->lock);
	queue->ending = TRUE;
	queue->stopped |= drop;
	g_cond_signal(&queue->changed);
	g_mutex_unlock(&queue->lock);
	g_thread_join(g_steal_pointer(&queue->thread));
}

void insert_queue_finish(InsertQueue *queue)
{
	hand_over(queue);
	end(queue, FALSE);
}

void insert_queue_free(InsertQueue *queue)
{
	if (!queue)
		return;
	end(queue, TRUE);
	for (guint i = 0; i < BATCHES; i++)
		g_free(queue->batches[i].values);
	g_mutex_clear(&queue->lock);
	g_cond_clear(&queue->changed);
	g_free(queue);
}

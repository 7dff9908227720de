// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A ring of batches. The caller fills the one behind those that are full, the thread empties the
 * first of them; both sleep only when the ring is full, or empty.
 */
#include "store/feed.h"

#define BATCHES		4
#define BATCH_ROWS	2048

typedef struct {
	guint rows;
	gint64 *values;		/* room for BATCH_ROWS rows */
} Batch;

struct Feed {
	Db *db;
	Insert *insert;
	guint columns;
	Batch *filling;		/* the caller's alone, as what is not full below */
	GThread *thread;	/* NULL: joined */
	GMutex lock;		/* of all below */
	GCond changed;
	Batch batches[BATCHES];
	guint first, full;	/* the oldest full batch; how many there are */
	gboolean ending;	/* no more will come */
	gboolean stopped;	/* the rest is dropped: a row failed, or nobody wants it any more */
};

static gboolean insert_batch(Feed *feed, const Batch *batch)
{
	for (guint i = 0; i < batch->rows; i++)
		insert_ints(feed->insert, batch->values + (gsize)i * feed->columns, feed->columns);
	return db_is_fine(feed->db);
}

static gpointer run(gpointer data)
{
	Feed *feed = data;

	g_mutex_lock(&feed->lock);
	while (!feed->stopped) {
		gboolean fine;

		if (!feed->full) {
			if (feed->ending)
				break;
			g_cond_wait(&feed->changed, &feed->lock);
			continue;
		}
		g_mutex_unlock(&feed->lock);
		fine = insert_batch(feed, &feed->batches[feed->first]);
		g_mutex_lock(&feed->lock);
		feed->first = (feed->first + 1) % BATCHES;
		feed->full--;
		feed->stopped |= !fine;
		g_cond_signal(&feed->changed);
	}
	g_mutex_unlock(&feed->lock);
	return NULL;
}

Feed *feed_new(Db *db, Insert *insert, guint columns)
{
	Feed *feed = g_new0(Feed, 1);

	feed->db = db;
	feed->insert = insert;
	feed->columns = columns;
	g_mutex_init(&feed->lock);
	g_cond_init(&feed->changed);
	for (guint i = 0; i < BATCHES; i++)
		feed->batches[i].values = g_new(gint64, (gsize)BATCH_ROWS * columns);
	feed->filling = &feed->batches[0];
	feed->thread = g_thread_new("insert", run, feed);
	return feed;
}

/* Hands over what was filled, and waits for a batch to fill next. */
static void hand_over(Feed *feed)
{
	g_mutex_lock(&feed->lock);
	if (!feed->stopped) {
		feed->full++;
		g_cond_signal(&feed->changed);
		while (feed->full == BATCHES && !feed->stopped)
			g_cond_wait(&feed->changed, &feed->lock);
		feed->filling = &feed->batches[(feed->first + feed->full) % BATCHES];
	}
	g_mutex_unlock(&feed->lock);
	feed->filling->rows = 0;
}

gint64 *feed_row(Feed *feed)
{
	if (feed->filling->rows == BATCH_ROWS)
		hand_over(feed);
	return feed->filling->values + (gsize)feed->filling->rows++ * feed->columns;
}

gboolean feed_is_fine(Feed *feed)
{
	gboolean fine;

	g_mutex_lock(&feed->lock);
	fine = !feed->stopped;
	g_mutex_unlock(&feed->lock);
	return fine;
}

static void end(Feed *feed, gboolean drop)
{
	if (!feed->thread)
		return;
	g_mutex_lock(&feed->lock);
	feed->ending = TRUE;
	feed->stopped |= drop;
	g_cond_signal(&feed->changed);
	g_mutex_unlock(&feed->lock);
	g_thread_join(g_steal_pointer(&feed->thread));
}

void feed_finish(Feed *feed)
{
	hand_over(feed);
	end(feed, FALSE);
}

void feed_free(Feed *feed)
{
	if (!feed)
		return;
	end(feed, TRUE);
	for (guint i = 0; i < BATCHES; i++)
		g_free(feed->batches[i].values);
	g_mutex_clear(&feed->lock);
	g_cond_clear(&feed->changed);
	g_free(feed);
}

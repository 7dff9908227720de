/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The contents of top as lines of text, the same on a terminal and in batch mode; and the effect of
 * keys.
 */
#ifndef KMT_TOP_PAGE_H
#define KMT_TOP_PAGE_H

#include <time.h>

#include "capture/tracer/stats.h"
#include "top/model.h"
#include "trace/event/kind.h"

/* The selected view. */
typedef struct {
	TopView view;
	enum trace_kind kind;
	guint untraced; /* bits 1 << enum trace_kind: kinds without events */
	TopSort sort;
	guint first; /* number of rows scrolled past */
	gboolean paused;
	gboolean help;
	guint64 delay_ns; /* between rounds */
	enum { TOP_ASKS_NOTHING, TOP_ASKS_DELAY, TOP_ASKS_FILTER } asks;
	char answer[16]; /* delay as typed so far */
	char filter[32]; /* show only rows with this text; as typed so far */
} TopLook;

#define TOP_DELAY_MIN_NS G_GUINT64_CONSTANT(100000000)

/* Data besides the model's rows. */
typedef struct {
	time_t start;    /* when tracing began */
	guint64 span_ns; /* since the start */
	CaptureStats stats;
	const char *unseen;   /* event sources that this kernel lacks: "a, b"; NULL: none */
	const char *filters;  /* the filters; NULL: none */
	guint64 tracer_bytes; /* memory of the tracer */
	guint64 own_bytes;    /* memory of this process */
} TopFacts;

#define TOP_HEAD_LINES 4 /* lines before the first row; the last has the column names */

typedef enum {
	TOP_KEY_NONE,
	TOP_KEY_SHOW, /* redraw the page */
	TOP_KEY_QUIT,
} TopKeyResult;

/* Keys without a character. */
enum {
	TOP_KEY_UP = 0x110000,
	TOP_KEY_DOWN,
	TOP_KEY_PAGE_UP,
	TOP_KEY_PAGE_DOWN,
	TOP_KEY_HOME,
	TOP_KEY_END,
	TOP_KEY_RESIZE,
	TOP_KEY_BACKSPACE
};

/* Handles a key: a character, or one of the above. @rows: number that fits on the page. */
TopKeyResult top_look_key(TopLook *look, int key, guint rows);

/*
 * Returns the page: at most @height lines of at most @width columns; 0: unlimited. Of char *;
 * g_ptr_array_unref() frees them. Scrolling past the end shows the last row, and changes
 * look->first.
 */
GPtrArray *top_page(const TopModel *model, const TopFacts *facts, TopLook *look, guint width,
		    guint height);

/* Returns one round as a line of JSON, for g_free(). @limit: maximum number of rows; 0: all. */
char *top_json(const TopModel *model, const TopFacts *facts, const TopLook *look, guint limit);

/* "site", "cache" …; "bytes", "count" …; NULL-terminated. */
extern const char *const top_views[];
extern const char *const top_sorts[];

#endif

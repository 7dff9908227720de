/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The contents of top as lines of text, the same on a terminal and in batch mode; and what keys
 * change.
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
	guint untraced; /* 1 << enum trace_kind: there is nothing to see of these */
	TopSort sort;
	guint first; /* rows that are scrolled past */
	gboolean paused;
	gboolean help;
	guint64 delay_ns; /* of a round */
	enum { TOP_ASKS_NOTHING, TOP_ASKS_DELAY, TOP_ASKS_FILTER } asks;
	char answer[16]; /* to the question for a delay, so far */
	char filter[32]; /* rows with this text alone are shown; so far, too */
} TopLook;

#define TOP_DELAY_MIN_NS G_GUINT64_CONSTANT(100000000)

/* Data besides the model's rows. */
typedef struct {
	time_t start;    /* when tracing began */
	guint64 span_ns; /* since then */
	CaptureStats stats;
	const char *unseen;   /* sources of events that this kernel hasn't: "a, b"; NULL: none */
	const char *filters;  /* the filters; NULL: none */
	guint64 tracer_bytes; /* memory that it takes */
	guint64 own_bytes;    /* and that of this process */
} TopFacts;

#define TOP_HEAD_LINES 4 /* before the first row: the last of them names the columns */

typedef enum {
	TOP_KEY_NONE,
	TOP_KEY_SHOW, /* show it anew */
	TOP_KEY_QUIT,
} TopKeyResult;

/* Keys that have no character. */
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

/* @key: a character, or one of the above; @rows: that fit on the page. */
TopKeyResult top_look_key(TopLook *look, int key, guint rows);

/*
 * The page, at most @height lines of at most @width columns; 0: as many as there are. char *, which
 * g_ptr_array_unref() frees. Scrolling past the end shows the last row, and changes look->first.
 */
GPtrArray *top_page(const TopModel *model, const TopFacts *facts, TopLook *look, guint width,
		    guint height);

/* One round as a line of JSON, for g_free(); @limit: rows at most, 0: all. */
char *top_json(const TopModel *model, const TopFacts *facts, const TopLook *look, guint limit);

/*
 * "site", "cache", …; "bytes", "count", …; NULL behind.
 */
extern const char *const top_views[];
extern const char *const top_sorts[];

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The state of a pinned tracer besides its programs and their maps: settings, how far the rings
 * were read, and names from the start of tracing. It is the memory of two pinned maps, which no
 * program uses.
 */
#ifndef KMT_CAPTURE_BPF_SESSION_H
#define KMT_CAPTURE_BPF_SESSION_H

#include "capture/bpf/pauses.h"
#include "capture/bpf/pins.h"
#include "capture/bpf/programs.h"
#include "capture/bpf/stream.h"

#define SESSION_NAME    "session" /* of the first map; without it the rest is useless */
#define SESSION_NUMBERS 16
#define SESSION_TEXT    1024 /* bytes of a setting, with the NUL */

typedef struct {
	guint64 magic;
	guint32 version;     /* of this struct */
	guint32 layout;      /* of the programs' maps: KMT_BPF_LAYOUT */
	guint32 bytes;       /* of this struct */
	guint32 kept_bytes;  /* of .kept, which programs.h defines */
	guint32 is_complete; /* set last; otherwise the start was not completed */
	guint32 is_running;
	guint64 numbers[SESSION_NUMBERS]; /* settings, in the order of bpf_control.c */
	char events[SESSION_TEXT], pids[SESSION_TEXT], cache[SESSION_TEXT];
	guint64 linear_base, vmemmap;
	BpfPauses pauses;
	BpfKept kept;
} SessionHead;

typedef struct {
	SessionHead *head;
	BpfReader *readers; /* by CPU */
	guint64 *flushed;   /* as in BpfRings */
	void *memory;
	gsize bytes;
} Session;

/*
 * Creates and pins the memory of @session, for rings like those of @maps. The head is zero, except
 * for its version.
 */
gboolean session_make(Session *session, const BpfMaps *maps, GError **error);

/*
 * Opens the pinned memory, even that of an incomplete start. FALSE with an error: it is missing, or
 * can't be used.
 */
gboolean session_open(Session *session, GError **error);

void session_close(Session *session);

/* Pins two texts, which replace the previous ones. */
gboolean session_put_texts(const char *modules, const char *tasks, GError **error);

/* Pins the names that threads had when tracing was stopped. Without memory, there are none. */
void session_put_stopped(const char *tasks);

/* Returns these names for g_free() and removes the pin; NULL: there are none. */
char *session_take_stopped(void);

/* Reads the two texts, for g_free(). */
gboolean session_get_texts(char **modules, char **tasks, GError **error);

#endif

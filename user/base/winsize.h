/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The width of a terminal. */
#ifndef KMT_BASE_WINSIZE_H
#define KMT_BASE_WINSIZE_H

#include <glib.h>

/* Returns the columns of the terminal @fd; if unknown, COLUMNS of the environment, or 80. */
guint winsize_columns(int fd);

#endif

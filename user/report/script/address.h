/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Selects the events of the memory at one address: of objects and areas that contain it, and of its
 * page.
 */
#ifndef KMT_REPORT_SCRIPT_ADDRESS_H
#define KMT_REPORT_SCRIPT_ADDRESS_H

#include <glib.h>

#include "trace/event/event.h"

typedef struct AddressEvents AddressEvents;

/*
 * @abi: the trace's text of that name, which is modified, or NULL; without its linear_base pages
 * are not matched.
 */
AddressEvents *address_events_new(guint64 addr, char *abi);
void address_events_free(AddressEvents *events); /* NULL is allowed */

/*
 * Returns TRUE for an event of that memory. To be called for each event, in time order: a free has
 * the start of an object, which may be before the address.
 */
gboolean address_events_has(AddressEvents *events, const struct trace_event *event);

#endif

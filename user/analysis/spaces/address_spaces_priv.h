/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parts of AddressSpaces that are filled from the texts and the events of a trace. */
#ifndef KMT_ANALYSIS_SPACES_ADDRESS_SPACES_PRIV_H
#define KMT_ANALYSIS_SPACES_ADDRESS_SPACES_PRIV_H

#include "analysis/kernel_abi.h"
#include "analysis/pairing/losstimes.h"
#include "analysis/spaces/address_spaces.h"
#include "analysis/spaces/space_files.h"
#include "analysis/spaces/space_table.h"

struct AddressSpaces {
	SpaceTable table;
	SpaceFiles *files;
	LossTimes *losses;
	guint64 last_ns; /* of the last event of a space */
	KernelAbi abi;
};

/*
 * Reads the texts. *@found: the trace has a text of address spaces. Returns 0, or -errno with @err.
 */
int space_texts_read(AddressSpaces *spaces, struct trace_reader *reader, gboolean *found,
		     struct trace_error *err);

/* Reads the events, after the texts. */
int space_events_read(AddressSpaces *spaces, struct trace_reader *reader, struct trace_error *err);

#endif

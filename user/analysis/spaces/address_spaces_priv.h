/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the texts and the events of a trace fill.
 */
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

/* *@found: the trace has a text of address spaces. A negative errno, and @err, on an error. */
int space_texts_read(AddressSpaces *spaces, struct trace_reader *reader, gboolean *found,
		     struct trace_error *err);

/* After the texts. */
int space_events_read(AddressSpaces *spaces, struct trace_reader *reader, struct trace_error *err);

#endif

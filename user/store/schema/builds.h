/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes the identities of the traced kernel's debug files into the table meta. Private to the
 * store.
 */
#ifndef KMT_STORE_SCHEMA_BUILDS_H
#define KMT_STORE_SCHEMA_BUILDS_H

#include "store/schema/db.h"
#include "symbols/buildids.h"

#define BUILDS_PREFIX "build_id." /* of a key; followed by the module's name */

/* @start: the address of _stext; 0: unknown. */
void builds_write(const BuildIds *ids, guint64 start, Db *db);

#endif

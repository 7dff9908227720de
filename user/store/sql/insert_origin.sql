-- SPDX-License-Identifier: GPL-2.0-or-later
INSERT INTO origin (id, event, call_site, caller, stack, cache, bytes_req, bytes_alloc, gfp, page_order, migratetype, node) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

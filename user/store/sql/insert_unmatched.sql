-- SPDX-License-Identifier: GPL-2.0-or-later
INSERT INTO unmatched (event, class, slab, caller, count, bytes) VALUES (?, ?, ?, ?, ?, ?);

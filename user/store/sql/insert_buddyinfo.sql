-- SPDX-License-Identifier: GPL-2.0-or-later
INSERT OR REPLACE INTO buddyinfo (phase, node, zone, page_order, blocks) VALUES (?, ?, ?, ?, ?);

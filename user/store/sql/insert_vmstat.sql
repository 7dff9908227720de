-- SPDX-License-Identifier: GPL-2.0-or-later
INSERT OR REPLACE INTO vmstat (phase, key, value) VALUES (?, ?, ?);

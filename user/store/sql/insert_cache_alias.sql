-- SPDX-License-Identifier: GPL-2.0-or-later
INSERT OR IGNORE INTO cache_alias VALUES (?, ?);

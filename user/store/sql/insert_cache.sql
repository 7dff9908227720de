-- SPDX-License-Identifier: GPL-2.0-or-later
INSERT OR REPLACE INTO cache (id, name, object_size) VALUES (?, ?, ?);

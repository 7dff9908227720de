-- SPDX-License-Identifier: GPL-2.0-or-later
INSERT INTO release (id, event, call_site, caller, stack) VALUES (?, ?, ?, ?, ?);

-- SPDX-License-Identifier: GPL-2.0-or-later
INSERT OR REPLACE INTO event_group VALUES (?, ?);

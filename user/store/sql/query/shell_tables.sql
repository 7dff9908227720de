-- SPDX-License-Identifier: GPL-2.0-or-later
SELECT type, name FROM sqlite_master WHERE type IN ('view', 'table') ORDER BY type DESC, name;

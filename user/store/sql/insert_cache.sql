-- SPDX-License-Identifier: GPL-2.0-or-later
INSERT INTO cache VALUES (?, ?, ?, ?);

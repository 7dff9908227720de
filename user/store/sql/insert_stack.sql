-- SPDX-License-Identifier: GPL-2.0-or-later
INSERT INTO stack (id, parent, depth, frame, whole) VALUES (?, ?, ?, ?, ?);

-- SPDX-License-Identifier: GPL-2.0-or-later
INSERT INTO cpu (id, events, written, ignored, subbufs, bytes, backward, unfinished, first_ns, last_ns) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- SPDX-License-Identifier: GPL-2.0-or-later
INSERT INTO failed (event, caller, page_order, bytes_req, count) VALUES (?, ?, ?, ?, ?);

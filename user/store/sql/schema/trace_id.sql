-- SPDX-License-Identifier: GPL-2.0-or-later
-- Of the trace that the database was made of; no row if it doesn't tell.
SELECT value FROM meta WHERE key = 'trace_id';

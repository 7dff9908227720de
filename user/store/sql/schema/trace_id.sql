-- SPDX-License-Identifier: GPL-2.0-or-later
-- The id of the trace that the database was made from; no row if unknown.
SELECT value FROM meta WHERE key = 'trace_id';

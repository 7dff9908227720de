-- SPDX-License-Identifier: GPL-2.0-or-later
-- The length of the trace.
SELECT value FROM meta WHERE key = 'span_ns';

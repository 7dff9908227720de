-- SPDX-License-Identifier: GPL-2.0-or-later
-- How long the trace is.
SELECT value FROM meta WHERE key = 'span_ns';

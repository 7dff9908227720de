-- SPDX-License-Identifier: GPL-2.0-or-later
-- What counts of two traces are divided by.
SELECT (SELECT value FROM meta WHERE key = 'span_ns') AS span_ns,
	(SELECT value FROM meta WHERE key = 'events') AS events,
	(SELECT factor FROM scale) AS sample;

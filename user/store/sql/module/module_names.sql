-- SPDX-License-Identifier: GPL-2.0-or-later
-- Modules in the trace.
SELECT name FROM module UNION SELECT module FROM frame WHERE module IS NOT NULL ORDER BY 1;

-- SPDX-License-Identifier: GPL-2.0-or-later
-- Whether the trace lacks allocations of the traced threads: then too many of the others seem temporary. One row.
SELECT EXISTS (SELECT 1 FROM filters WHERE in_force AND name IN ('cache', 'sample', 'size'));

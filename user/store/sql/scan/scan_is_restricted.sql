-- SPDX-License-Identifier: GPL-2.0-or-later
-- One row: whether this connection has something else of this name, as restrict_lifetime.sql makes it.
SELECT count(*) FROM temp.sqlite_schema WHERE name = ?;

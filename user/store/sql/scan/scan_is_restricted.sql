-- SPDX-License-Identifier: GPL-2.0-or-later
-- Whether this connection has its own table or view of this name, as restrict_lifetime.sql creates it; one row.
SELECT count(*) FROM temp.sqlite_schema WHERE name = ?;

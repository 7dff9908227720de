-- SPDX-License-Identifier: GPL-2.0-or-later
-- Filters in force.
SELECT name, value FROM filters WHERE in_force ORDER BY name;

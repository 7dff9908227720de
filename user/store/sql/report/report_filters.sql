-- SPDX-License-Identifier: GPL-2.0-or-later
-- What was left out.
SELECT name, value FROM filters WHERE in_force ORDER BY name;

-- SPDX-License-Identifier: GPL-2.0-or-later
-- One address in so many was traced; one row.
SELECT factor FROM scale;

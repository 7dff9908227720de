-- SPDX-License-Identifier: GPL-2.0-or-later
SELECT count(*) FROM marks;

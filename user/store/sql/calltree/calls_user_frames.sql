-- SPDX-License-Identifier: GPL-2.0-or-later
-- Addresses in user programs and their functions, in order.
SELECT id, function, file FROM user_frame ORDER BY id;

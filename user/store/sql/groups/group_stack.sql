-- SPDX-License-Identifier: GPL-2.0-or-later
-- The text of the stack :id.
SELECT text FROM stacks WHERE id = :id;

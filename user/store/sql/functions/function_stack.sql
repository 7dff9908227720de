-- SPDX-License-Identifier: GPL-2.0-or-later
SELECT text FROM stacks WHERE id = ?;

-- SPDX-License-Identifier: GPL-2.0-or-later
-- The function of each return address; unnamed: no symbol is known for it.
SELECT id, function, module, symbol IS NULL AS unnamed FROM frame;

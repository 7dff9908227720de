-- SPDX-License-Identifier: GPL-2.0-or-later
-- What identifies debug files: the release of the kernel, its address, and build ids.
SELECT key, value FROM meta WHERE key IN ('host.release', 'stext') OR substr(key, 1, 9) = 'build_id.';

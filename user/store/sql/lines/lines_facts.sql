-- SPDX-License-Identifier: GPL-2.0-or-later
-- By what debug files are found and known: the release of the kernel, where it lay, and builds.
SELECT key, value FROM meta WHERE key IN ('host.release', 'stext') OR substr(key, 1, 9) = 'build_id.';

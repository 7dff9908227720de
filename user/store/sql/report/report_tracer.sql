-- SPDX-License-Identifier: GPL-2.0-or-later
-- Memory of the tracer; stacks_used is a part of stacks.
SELECT substr(key, length('tracer_bytes.') + 1) AS name, value AS bytes FROM meta
WHERE key LIKE 'tracer\_bytes.%' ESCAPE '\' ORDER BY key;

-- SPDX-License-Identifier: GPL-2.0-or-later
-- The cost of tracing: instructions of an event without a stack, and of each way to find a stack, as often as the tracer
-- counted it. Documentation/costs.rst says where the numbers come from. Since Linux 7.0 an event has three BPF programs, not two. No row if
-- it did not count.
WITH told AS (SELECT (SELECT value FROM meta WHERE key = 'events') AS events, (SELECT sum(written) FROM cpu) AS written,
		(SELECT value FROM meta WHERE key = 'tracer_stacks.recalled') AS recalled,
		(SELECT value FROM meta WHERE key = 'tracer_stacks.walked') AS walked,
		(SELECT value FROM meta WHERE key = 'tracer_stacks.unwound') AS unwound,
		(SELECT value FROM meta WHERE key = 'span_ns') AS span_ns, (SELECT count(*) FROM cpu) AS cpus),
	event AS (SELECT *, CASE
		WHEN (SELECT value FROM meta WHERE key = 'host.source') = 'bpf' THEN
			iif(CAST((SELECT value FROM meta WHERE key = 'host.release') AS INTEGER) >= 7, 1120, 600) +
			(510.0 * recalled + 8900.0 * unwound) / written
		WHEN (SELECT value FROM meta WHERE key = 'host.machine') = 'aarch64' THEN 230 + (700.0 * walked + 2200.0 * unwound) / written
		ELSE 135 + (250.0 * recalled + 1600.0 * walked + 7400.0 * unwound) / written END AS instructions FROM told)
SELECT CAST(round(instructions) AS INTEGER) AS event_instructions, CAST(round(instructions * events) AS INTEGER) AS instructions,
	round(100 * instructions * events / (span_ns * cpus), 1) AS cpu_pct, cpus FROM event
WHERE events > 0 AND written > 0 AND span_ns > 0 AND recalled + walked + unwound <= 2 * written;

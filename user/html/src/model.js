// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The figures, and what of them was in an interval. Time is cut into steps; an interval goes from the bound numbered from to
 * the one numbered to, and has what happened after the first, up to the second: what is live then is what live --at has.
 * The bound 0 is before everything. Kinds of memory are accounts of their own and never added up.
 */

export const KINDS = ['slab', 'page', 'percpu', 'vmalloc'];
export const KIND_NAMES = ['Slab objects', 'Pages', 'Per-CPU', 'vmalloc space'];

const ALLOCS = 0, BYTES = 1, WASTE = 2, ENDS = 3, END_BYTES = 4, VALUES = 5;

/* What had come and gone before each step, for all steps and the end. */
function runningSums(steps, count) {
	const sums = Array.from({ length: VALUES }, () => new Float64Array(count + 1));

	for (let i = 0; i < steps.length; i += VALUES + 1) {
		for (let v = 0; v < VALUES; v++)
			sums[v][steps[i] + 1] = steps[i + 1 + v];
	}
	for (const sum of sums) {
		for (let i = 1; i <= count; i++)
			sum[i] += sum[i - 1];
	}
	return sums;
}

export class Group {
	constructor(entry, count, noun) {
		this.kind = entry.kind;
		this.others = entry.others ?? 0;
		this.name = entry.others ? `${entry.others.toLocaleString('en')} other ${noun}` : entry.name;
		this.module = entry.module ?? '';
		this.size = entry.size;	/* undefined: unknown */
		this.sums = runningSums(entry.steps, count);
	}

	live(step) {
		return this.sums[BYTES][step] - this.sums[END_BYTES][step];
	}

	liveCount(step) {
		return this.sums[ALLOCS][step] - this.sums[ENDS][step];
	}

	in(from, to) {
		const [allocs, bytes, waste, ends, endBytes] = this.sums.map((sum) => sum[to] - sum[from]);

		return {
			allocs, bytes, waste, ends, endBytes,
			live: this.live(to), liveCount: this.liveCount(to),
			growth: this.live(to) - this.live(from),
		};
	}
}

/* What is live at the end of one stack, by when it was allocated. */
export class Left {
	constructor(entry) {
		this.kind = entry.kind;
		this.others = entry.others ?? 0;
		this.name = entry.others ? `${entry.others.toLocaleString('en')} other stacks` : entry.name;
		this.module = entry.module ?? '';
		this.stack = entry.stack ? entry.stack.split(' < ') : [];
		this.steps = entry.steps;
	}

	in(from, to) {
		const sum = { count: 0, bytes: 0, first: Infinity };

		for (let i = 0; i < this.steps.length; i += 4) {
			const [step, count, bytes, first] = this.steps.slice(i, i + 4);

			if (step < from || step >= to)
				continue;
			sum.count += count;
			sum.bytes += bytes;
			sum.first = Math.min(sum.first, first);
		}
		return sum;
	}
}

/* The sums of groups, which are of one kind. */
export function total(figures) {
	const sum = {};

	for (const one of figures) {
		for (const [name, value] of Object.entries(one))
			sum[name] = (sum[name] ?? 0) + value;
	}
	return sum;
}

export class Model {
	constructor(data) {
		const count = data.bounds.length - 1;

		Object.assign(this, { data, count, bounds: data.bounds, span: data.bounds[count] });
		this.sites = data.sites.map((entry) => new Group(entry, count, 'call sites'));
		this.caches = data.caches.map((entry) => new Group(entry, count, 'caches'));
		this.processes = data.processes.map((entry) => new Group(entry, count, 'processes'));
		this.sizes = data.sizes.map((entry) => new Group(entry, count, 'sizes'));
		this.old = data.old.map((entry) => new Left(entry));
		this.kinds = KINDS.map((name, kind) => kind)
			.filter((kind) => this.sites.some((site) => site.kind === kind));
		this.marks = data.marks.map((mark) => ({ ...mark, step: this.nearest(mark.time_ns) }));
	}

	timeOf(bound) {
		return this.bounds[bound];
	}

	/* The bound that is nearest to a time. */
	nearest(ns) {
		let low = 0, high = this.count;

		while (high - low > 1) {
			const middle = (low + high) >> 1;

			if (this.bounds[middle] <= ns)
				low = middle;
			else
				high = middle;
		}
		return ns - this.bounds[low] < this.bounds[high] - ns ? low : high;
	}

	of(kind, what) {
		return this[what].filter((group) => group.kind === kind);
	}

	peak(kind) {
		return this.data.peaks.find((peak) => peak.kind === kind);
	}

	/* All of a kind, of the whole trace. */
	all(kind) {
		return this.data.kinds.find((all) => all.kind === KINDS[kind]) ?? {};
	}

	/* Of lives that ended in the interval: by edge, how many and how many bytes. */
	lives(kind, from, to) {
		const steps = this.data.lifetimes.kinds[kind];
		const bins = this.data.lifetimes.edges.map(() => ({ count: 0, bytes: 0 }));

		for (let i = 0; i < steps.length; i += 4) {
			if (steps[i] < from || steps[i] >= to)
				continue;
			bins[steps[i + 1]].count += steps[i + 2];
			bins[steps[i + 1]].bytes += steps[i + 3];
		}
		return bins;
	}
}

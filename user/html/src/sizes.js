// SPDX-License-Identifier: GPL-2.0-or-later
/* Requested sizes: a histogram by powers of two, and each size. */
import { intervalText } from './bar.js';
import { choice, h, setChoice, svg } from './dom.js';
import * as format from './format.js';
import { bars, HEIGHT } from './histogram.js';
import { figures, groupRows } from './tables.js';
import { Table } from './table.js';

const EDGES = [0, ...Array.from({ length: 48 }, (_, i) => 2 ** i)];
const MEASURES = [['live', 'Live bytes'], ['liveCount', 'Live'], ['bytes', 'Allocated'], ['allocs', 'Allocations']];

const isKnown = ({ size }) => size !== undefined;
const sizeText = (row) => (isKnown(row) ? format.count(row.size) : row.name ?? '(unknown)');

/* Rows by the largest edge that is not above their size. */
function binsOf(rows, measure) {
	const bins = EDGES.map(() => ({ count: 0, bytes: 0, value: 0 }));

	for (const row of rows.filter(isKnown)) {
		const bin = bins[EDGES.findLastIndex((edge) => edge <= row.size)];

		bin.count += row.allocs || row.liveCount;
		bin.bytes += row.bytes || row.live;
		bin.value += row[measure];
	}
	return bins;
}

export function mountSizes(element, model, state) {
	const table = new Table({
		id: 'table-sizes', state, caption: 'Requested sizes', sort: 'live', find: sizeText,
		columns: [{ key: 'name', label: 'Requested bytes', value: (row) => row.size ?? -1, text: sizeText }, ...figures],
	});
	const measures = choice('Measure', MEASURES, state.get().sizes, (sizes) => state.set({ sizes }));
	const drawing = svg('svg', { class: 'histogram', id: 'size-histogram', height: HEIGHT, role: 'img' });
	const box = h('div', { class: 'plot' }, drawing);
	const scope = h('p', { class: 'note' });
	const draw = () => {
		const now = state.get();
		const [rows] = groupRows(model.of(now.kind, 'sizes'), now);
		const bins = binsOf(rows, now.sizes);
		const write = ['live', 'bytes'].includes(now.sizes) ? format.bytes : format.count;
		const width = Math.max(200, box.clientWidth);

		box.hidden = !bins.some((bin) => bin.count);
		drawing.setAttribute('width', width);
		drawing.setAttribute('viewBox', `0 0 ${width} ${HEIGHT}`);
		drawing.setAttribute('aria-label', 'Histogram of requested sizes; the table below has their figures');
		drawing.replaceChildren(...(box.hidden ? [] : bars(bins, EDGES, { measure: 'value', write, edge: format.edgeBytes }, width)));
	};

	element.append(h('div', { class: 'head' }, h('h2', { id: 'sizes-title' }, 'Requested sizes'), measures), scope, box, table.element);
	state.watch(['sizes'], ({ sizes }) => setChoice(measures, sizes));
	state.watch(['kind', 'from', 'to'], (now) => {
		scope.textContent = `In ${intervalText(model, now)}. Each bar has the sizes from its left edge up to the next.`;
		table.show(...groupRows(model.of(now.kind, 'sizes'), now));
	});
	state.watch(['kind', 'from', 'to', 'sizes'], draw);
	new ResizeObserver(draw).observe(box);
}

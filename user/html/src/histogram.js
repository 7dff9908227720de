// SPDX-License-Identifier: GPL-2.0-or-later
/* Histograms, and that of how long lived what was freed in the interval: bars of 1, 2, 5, 10 … nanoseconds. */
import { intervalText } from './bar.js';
import { choice, h, setChoice, svg } from './dom.js';
import * as format from './format.js';

export const HEIGHT = 190;
const TOP = 18, BOTTOM = 24;
const LEFT = 8;
const LETTER = 7.4;	/* pixels, at most */

/* The edge before which @part of all had ended. */
function within(bins, edges, part) {
	const all = bins.reduce((sum, bin) => sum + bin.count, 0);
	let sum = 0;

	for (let i = 0; i < bins.length; i++) {
		sum += bins[i].count;
		if (sum >= part * all)
			return edges[i + 1];
	}
	return undefined;
}

function summary(bins, edges) {
	const all = bins.reduce((sum, bin) => sum + bin.count, 0);
	const parts = [[0.5, 'half'], [0.95, '95%'], [0.99, '99%']].map(([part, text]) => {
		const edge = within(bins, edges, part);

		return edge === undefined ? null : `${text} within ${format.edge(edge)}`;
	});

	return all ? `${format.count(all)} were freed: ${parts.filter(Boolean).join(', ')}.` : 'Nothing was freed.';
}

/* @bins: count (of what is in it) and more, of which the bar shows @measure as @write writes it; edges are written by @edge. */
export function bars(bins, edges, { measure, write, edge }, width) {
	const used = bins.map((bin, i) => (bin.count ? i : -1)).filter((i) => i >= 0);
	const first = Math.max(0, used[0] - 1), last = Math.min(bins.length - 1, used[used.length - 1] + 1);
	const step = Math.min(64, (width - 2 * LEFT) / (last - first + 1));
	const most = Math.max(...bins.map((bin) => bin[measure]), 1);
	const x = (i) => LEFT + (i - first) * step;
	const height = (value) => (value > 0 ? Math.max(1.5, (value / most) * (HEIGHT - TOP - BOTTOM)) : 0);
	const shown = bins.slice(first, last + 1).map((bin, k) => {
		const i = first + k, tall = height(bin[measure]);
		const value = write(bin[measure]);
		const text = `${edge(edges[i])} to ${i + 1 < edges.length ? edge(edges[i + 1]) : 'more'}: ` +
			`${format.count(bin.count)}, ${format.bytes(bin.bytes)}`;

		return svg('g', { class: 'bin', 'data-edge': edges[i], 'data-count': bin.count, 'data-bytes': bin.bytes, 'data-value': bin[measure] },
			svg('title', {}, text),
			svg('rect', { class: 'hit', x: x(i), y: TOP, width: step, height: HEIGHT - TOP - BOTTOM }),
			svg('rect', { class: 'value', x: x(i) + 1, y: HEIGHT - BOTTOM - tall, width: Math.max(1, step - 2), height: tall }),
			bin[measure] && step > LETTER * (value.length + 0.5) ? svg('text', { x: x(i) + step / 2, y: HEIGHT - BOTTOM - tall - 5,
				'text-anchor': 'middle' }, value) : null);
	});
	/* Edges have labels at equal distances, which the longest fits into. */
	const every = [1, 3, 6, 12].find((distance) => distance * step > 6 * LETTER) ?? 24;
	const labels = bins.slice(first, last + 1).map((_, k) => first + k).filter((i) => i % every === 1 % every)
		.map((i) => svg('text', { class: 'axis', x: x(i), y: HEIGHT - 7, 'text-anchor': i === first ? 'start' : 'middle' }, edge(edges[i])));

	return [...shown, svg('line', { x1: LEFT, x2: x(last + 1), y1: HEIGHT - BOTTOM, y2: HEIGHT - BOTTOM }), ...labels];
}

export function mountHistogram(element, model, state) {
	const { edges } = model.data.lifetimes;
	const drawing = svg('svg', { class: 'histogram', id: 'histogram', height: HEIGHT, role: 'img' });
	const box = h('div', { class: 'plot' }, drawing);
	const text = h('p', { class: 'note', id: 'lives-text' });
	const measures = choice('Measure', [['count', 'Count'], ['bytes', 'Bytes']], state.get().lives, (lives) => state.set({ lives }));
	const scope = h('p', { class: 'note' });
	const draw = () => {
		const now = state.get(), measure = now.lives;
		const bins = model.lives(now.kind, now.from, now.to);
		const width = Math.max(200, box.clientWidth);

		text.textContent = summary(bins, edges);
		scope.textContent = `Freed in ${intervalText(model, now)}. Each bar counts lifetimes from its left edge up to the next; live allocations and unseen frees are not counted.`;
		drawing.setAttribute('width', width);
		drawing.setAttribute('viewBox', `0 0 ${width} ${HEIGHT}`);
		drawing.setAttribute('aria-label', `Histogram of lifetimes: ${text.textContent}`);
		drawing.replaceChildren(...(bins.some((bin) => bin.count) ? bars(bins, edges, { measure, write: format[measure], edge: format.edge }, width) : []));
		box.hidden = !bins.some((bin) => bin.count);
	};

	element.append(h('div', { class: 'head' }, h('h2', { id: 'lives-title' }, 'Lifetimes'), measures), text, box, scope);
	state.watch(['lives'], ({ lives }) => setChoice(measures, lives));
	state.watch(['kind', 'from', 'to', 'lives'], draw);
	new ResizeObserver(draw).observe(box);
}

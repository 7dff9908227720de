// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What was live over time, by cache or call site, stacked, with a brush that chooses the interval.
 * Each point is what was live at the end of a step; the peak is told as it was.
 */
import { brushX } from 'd3-brush';
import { scaleLinear } from 'd3-scale';
import { select } from 'd3-selection';
import { area, curveStepBefore, stack } from 'd3-shape';
import { button, choice, h, setChoice, svg } from './dom.js';
import * as format from './format.js';
import { KIND_NAMES } from './model.js';

const LAYERS = 7;
const HEIGHT = 280;
const MARGIN = { top: 22, right: 12, bottom: 26, left: 58 };
const MEASURES = { bytes: (group, step) => group.live(step), count: (group, step) => group.liveCount(step) };

/* The groups that held most at some time, and all others as one. */
function layersOf(groups, value, count) {
	const most = (group) => {
		let max = 0;
		for (let i = 0; i <= count; i++)
			max = Math.max(max, value(group, i));
		return max;
	};
	const ranked = groups.filter((group) => !group.others)
		.map((group) => ({ group, max: most(group) }))
		.sort((a, b) => b.max - a.max).filter(({ max }) => max > 0);
	const top = ranked.slice(0, LAYERS).map(({ group }) => group);
	const rest = groups.filter((group) => !top.includes(group));
	const layers = top.map((group) => ({ name: group.name, module: group.module, at: (i) => value(group, i) }));

	if (rest.some((group) => most(group) > 0))
		layers.push({ name: 'all others', other: true, at: (i) => rest.reduce((sum, group) => sum + value(group, i), 0) });
	return layers;
}

/* Round sizes are of 1024. */
function ticksOf(max, bytes) {
	let step = 1;

	if (!bytes)
		return scaleLinear([0, max], [0, 1]).ticks(5).filter(Number.isInteger);
	while (max / step > 6)
		step *= 2;
	return Array.from({ length: Math.floor(max / step) + 1 }, (_, i) => i * step);
}

class Chart {
	constructor(element, model, state) {
		Object.assign(this, { model, state });
		this.legend = h('ul', { class: 'legend', id: 'legend' });
		this.svg = svg('svg', { class: 'chart', id: 'chart', height: HEIGHT, role: 'img' });
		this.plot = h('div', { class: 'plot' }, this.svg);
		this.by = choice('By', [['caches', 'Cache'], ['sites', 'Call site']], state.get().by, (by) => state.set({ by }));
		this.by.id = 'by';
		this.measure = choice('Measure', [['bytes', 'Bytes'], ['count', 'Allocations']], state.get().measure,
			(measure) => state.set({ measure }));
		element.append(
			h('div', { class: 'head' }, h('h2', { id: 'time-title' }, 'Live over time'), this.by,
				this.measure),
			h('div', { class: 'time' }, this.plot, this.legend),
			h('p', { class: 'note how' }, 'Drag over the chart to choose an interval for the figures, tables and lifetimes. ' +
				'Keyboard: Tab selects a border; arrows, Page Up and Page Down move it; Escape selects the whole trace.'),
			...this.marks());
		this.build();
		state.watch(['kind', 'by', 'measure'], () => this.draw());
		state.watch(['from', 'to'], () => this.showInterval());
		new ResizeObserver(() => this.draw()).observe(this.plot);
	}

	/* ---- marks ---- */

	marks() {
		const { marks } = this.model;

		if (!marks.length)
			return [];
		return [h('ul', { class: 'marks', id: 'marks', 'aria-label': 'Marks' }, marks.map((mark, i) => {
			const to = marks.slice(i + 1).find(({ step }) => step > mark.step)?.step ?? this.model.count;

			return h('li', {}, h('span', { class: 'num' }, format.time(mark.time_ns)), ' ',
				h('b', {}, mark.text), ` by ${mark.comm} `,
				button('to the next', {
					class: 'quiet',
					onclick: () => this.state.set({ from: Math.min(mark.step, to - 1), to }),
				}));
		}))];
	}

	drawMarks() {
		const { top, bottom } = MARGIN;

		this.marksLayer.replaceChildren(...this.model.marks.map((mark) => {
			const x = this.x(mark.time_ns);

			return svg('g', { class: 'mark' }, svg('title', {}, mark.text),
				svg('line', { x1: x, x2: x, y1: top, y2: HEIGHT - bottom }),
				svg('path', { d: `M${x - 4},${top}h8l-4,6z` }));
		}));
	}

	/* ---- what doesn't change ---- */

	build() {
		const layer = (name) => this.svg.appendChild(svg('g', { class: name }));

		this.axes = layer('axes');
		this.areas = layer('areas');
		this.peakLayer = layer('peak');
		this.marksLayer = layer('mark-lines');
		this.cursor = this.svg.appendChild(svg('line', { class: 'cursor', y1: MARGIN.top, y2: HEIGHT - MARGIN.bottom }));
		this.brushLayer = layer('brush');
		this.borders = ['from', 'to'].map((which) => this.svg.appendChild(this.border(which)));
		this.brush = brushX().on('start brush end', (event) => this.brushed(event));
		this.plot.addEventListener('pointermove', (event) => this.point(event));
		this.plot.addEventListener('pointerleave', () => this.showLegend(this.state.get().to));
	}

	/* A border of the interval, for keys. */
	border(which) {
		const move = (event) => {
			const { from, to } = this.state.get();
			const now = which === 'from' ? from : to;
			const by = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -10, PageUp: 10,
				Home: -this.model.count, End: this.model.count }[event.key];

			if (by && which === 'from')
				this.state.set({ from: Math.max(0, Math.min(to - 1, now + by)) }, 'run');
			else if (by)
				this.state.set({ to: Math.max(from + 1, Math.min(this.model.count, now + by)) }, 'run');
			else
				return;
			event.preventDefault();
		};

		return svg('rect', {
			class: 'border', id: `border-${which}`, role: 'slider', tabindex: 0, width: 8, height: HEIGHT - MARGIN.top - MARGIN.bottom,
			y: MARGIN.top, rx: 3, 'aria-label': which === 'from' ? 'Start of the interval' : 'End of the interval',
			'aria-valuemin': 0, 'aria-valuemax': this.model.count, onkeydown: move,
		});
	}

	/* ---- the interval ---- */

	/* Snaps to steps; a click takes the whole trace. */
	brushed({ type, selection, sourceEvent }) {
		if (!sourceEvent)
			return;
		this.dragging = type !== 'end';
		if (!selection || selection[0] === selection[1]) {
			if (type === 'end')
				this.state.set({ from: 0, to: this.model.count });
			return;
		}
		const [left, right] = selection.map((x) => this.model.nearest(this.x.invert(x)));
		const from = Math.min(left, this.model.count - 1);

		this.state.set({ from, to: Math.max(from + 1, right) }, type === 'end' ? 'once' : 'unkept');
		if (type === 'end')
			this.showInterval();
	}

	showInterval() {
		const { from, to } = this.state.get();
		const whole = from === 0 && to === this.model.count;
		const ends = [from, to].map((step) => this.x(this.model.timeOf(step)));

		this.borders.forEach((border, i) => {
			border.setAttribute('x', ends[i] - 4);
			border.setAttribute('aria-valuenow', [from, to][i]);
			border.setAttribute('aria-valuetext', format.time(this.model.timeOf([from, to][i])));
		});
		if (!this.dragging)
			select(this.brushLayer).call(this.brush.move, whole ? null : ends);
		this.showLegend(to);
	}

	/* ---- legend ---- */

	point(event) {
		const x = event.clientX - this.svg.getBoundingClientRect().left;
		const ns = this.x.invert(x);

		if (ns < 0 || ns > this.model.span)
			this.showLegend(this.state.get().to);
		else
			this.showLegend(this.model.nearest(ns), true);
	}

	showLegend(step, pointed) {
		const write = format[this.state.get().measure];
		const x = this.x(this.model.timeOf(step));
		const values = this.layers.map((layer) => layer.at(step));

		this.cursor.setAttribute('x1', x);
		this.cursor.setAttribute('x2', x);
		this.cursor.classList.toggle('shown', Boolean(pointed));
		this.legend.replaceChildren(
			h('li', { class: 'when' }, h('span', {}, `at ${format.time(this.model.timeOf(step))}`),
				h('span', { class: 'num' }, write(values.reduce((a, b) => a + b, 0)))),
			...this.layers.map((layer, i) => h('li', { title: layer.module ? `${layer.name} [${layer.module}]` : layer.name },
				h('i', { class: `swatch ${layer.other ? 'other' : `c${i}`}` }), h('span', { class: 'name' }, layer.name),
				h('span', { class: 'num', 'data-value': values[i] }, write(values[i])))).reverse());
	}

	/* ---- the drawing ---- */

	draw() {
		const { kind, measure } = this.state.get();
		const by = this.state.get().by === 'caches' && kind === 0 ? 'caches' : 'sites';
		const { count } = this.model;
		const width = Math.max(200, this.plot.clientWidth);

		this.by.hidden = kind !== 0;
		setChoice(this.by, by);
		setChoice(this.measure, measure);
		this.svg.setAttribute('width', width);
		this.svg.setAttribute('viewBox', `0 0 ${width} ${HEIGHT}`);
		this.layers = layersOf(this.model.of(kind, by), MEASURES[measure], count);
		const rows = Array.from({ length: count + 1 }, (_, i) => this.layers.map((layer) => Math.max(0, layer.at(i))));
		const peak = this.model.peak(kind);
		const max = Math.max(...rows.map((row) => row.reduce((a, b) => a + b, 0)), peak?.[measure] ?? 0, 1);

		this.x = scaleLinear([0, this.model.span || 1], [MARGIN.left, width - MARGIN.right]);
		this.y = scaleLinear([0, max * 1.04], [HEIGHT - MARGIN.bottom, MARGIN.top]);
		this.svg.setAttribute('aria-label', `${KIND_NAMES[kind]} live over time, stacked by ${by === 'caches' ? 'cache' : 'call site'}`);
		this.drawAxes(width, max, measure);
		this.drawAreas(rows);
		this.drawPeak(peak, measure, width);
		this.drawMarks();
		this.brush.extent([[MARGIN.left, MARGIN.top], [width - MARGIN.right, HEIGHT - MARGIN.bottom]]);
		select(this.brushLayer).call(this.brush);
		this.showInterval();
	}

	drawAxes(width, max, measure) {
		const y = ticksOf(max, measure === 'bytes').map((value) => svg('g', {},
			svg('line', { x1: MARGIN.left, x2: width - MARGIN.right, y1: this.y(value), y2: this.y(value) }),
			svg('text', { x: MARGIN.left - 8, y: this.y(value) + 4, 'text-anchor': 'end' }, format[measure](value).replace('.0', ''))));
		const x = this.x.ticks(Math.max(2, Math.floor(width / 120))).map((value) =>
			svg('text', { x: this.x(value), y: HEIGHT - 8, 'text-anchor': 'middle' }, format.edge(value)));

		this.axes.replaceChildren(...y, ...x);
	}

	drawAreas(rows) {
		const shape = area().x((_, i) => this.x(this.model.timeOf(i))).y0((d) => this.y(d[0])).y1((d) => this.y(d[1]))
			.curve(curveStepBefore);
		const stacked = stack().keys(this.layers.keys())(rows);

		this.areas.replaceChildren(...stacked.map((series, i) =>
			svg('path', { d: shape(series), class: this.layers[i].other ? 'other' : `c${i}` })));
	}

	drawPeak(peak, measure, width) {
		if (!peak) {
			this.peakLayer.replaceChildren();
			return;
		}
		const x = this.x(peak.time_ns), y = this.y(peak[measure]);
		const left = x > width / 2;

		this.peakLayer.replaceChildren(
			svg('circle', { cx: x, cy: y, r: 3.5 }),
			svg('text', { x: left ? x - 8 : x + 8, y: Math.max(y - 6, 12), 'text-anchor': left ? 'end' : 'start' },
				measure === 'bytes' ? `peak ${format.bytes(peak.bytes)}` : `${format.count(peak.count)} at the peak of bytes`));
	}
}

export function mountChart(element, model, state) {
	if (model.kinds.length)
		new Chart(element, model, state);
}


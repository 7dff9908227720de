// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The call tree, drawn as an icicle (callers above), a flame graph (callers below), or inverted (from
 * the functions that allocated on). Of the whole trace: a stack's figures are not known by step.
 */
import { CallTree } from './calltree.js';
import { button, choice, h, setChoice } from './dom.js';
import * as format from './format.js';

const ROW = 21;
const LEAST = 0.0008;	/* of the width */
const KERNEL_SHADES = 5, MODULE_HUES = 6;

function hash(text) {
	let value = 0;

	for (let i = 0; i < text.length; i++)
		value = (value * 31 + text.charCodeAt(i)) >>> 0;
	return value;
}

/* Modules have hues of their own, the kernel's functions shades of one. */
function colour(node) {
	if (node.name.startsWith('(') || !node.id)
		return 'none';
	return node.module ? `m${hash(node.module) % MODULE_HUES}` : `k${hash(node.name) % KERNEL_SHADES}`;
}

class TreeView {
	constructor(element, model, state) {
		const { trees } = model.data;

		Object.assign(this, { model, state, metrics: trees.metrics, trees: new Map() });
		for (const kind of trees.kinds)
			this.trees.set(kind.kind, kind);
		this.frames = trees.frames;
		this.metricSelect = h('select', { id: 'metric', onchange: () => state.set({ metric: this.metricSelect.value }) },
			trees.metrics.map((metric) => h('option', { value: metric.name }, metric.title)));
		this.search = h('input', {
			type: 'search', id: 'search', placeholder: 'Find a function  ( / )', 'aria-label': 'Find a function or module in the tree',
			oninput: () => state.set({ search: this.search.value }, 'run'),
		});
		this.found = h('output', { id: 'found', 'aria-live': 'polite' });
		this.out = button('Zoom out', { class: 'quiet', id: 'zoom-out', onclick: () => this.zoomTo(this.tree.root) });
		this.detail = h('p', { class: 'detail', id: 'detail', 'aria-live': 'polite' });
		this.flame = h('div', {
			class: 'flame', id: 'flame', role: 'tree', tabindex: 0, 'aria-label': 'Call tree',
			onkeydown: (event) => this.key(event), onclick: (event) => this.click(event),
			onpointermove: (event) => this.hover(event), onpointerleave: () => this.describe(this.active),
			onfocus: () => this.describe(this.active),
		});
		this.box = h('div', { class: 'flame-box' }, this.flame);
		this.shape = choice('Shape', [['icicle', 'Icicle'], ['flame', 'Flame'], ['inverted', 'Inverted']], state.get().shape,
			(shape) => state.set({ shape }));
		element.append(
			h('div', { class: 'head' }, h('h2', { id: 'tree-title' }, 'Call tree'), this.shape,
				h('label', { class: 'field' }, h('span', { class: 'sr' }, 'Metric'), this.metricSelect), this.search, this.found, this.out),
			this.detail, this.box,
			h('p', { class: 'note' }, 'The whole trace, whatever interval is selected. Hatched: functions too small to be drawn. Kernel functions are shades ' +
				'of one colour, each module has its own colour. ',
			h('span', { class: 'how' }, 'Click or Enter zooms in, Escape zooms out, and arrow keys move between functions.')));
		document.addEventListener('keydown', (event) => this.hotkey(event));
		state.watch(['kind', 'shape'], () => this.load());
		state.watch(['metric'], () => this.reset());
		state.watch(['search'], () => this.mark());
	}

	get metric() {
		return this.metrics.findIndex((metric) => metric.name === this.state.get().metric);
	}

	write(value) {
		return format.units[this.metrics[this.metric].unit](value);
	}

	load() {
		const { kind, shape } = this.state.get();
		const kinds = this.trees.get(kind);

		setChoice(this.shape, shape);
		this.tree = kinds ? new CallTree(kinds[shape === 'inverted' ? 'up' : 'down'], this.frames, this.metrics.length) : null;
		this.reset();
	}

	reset() {
		this.metricSelect.value = this.state.get().metric;
		if (this.tree)
			this.zoomTo(this.tree.root);
	}

	zoomTo(node) {
		this.zoom = this.active = node;
		this.out.hidden = !node.id;
		this.draw();
		this.describe(node);
	}

	draw() {
		const boxes = this.tree.layout(this.zoom, this.metric, LEAST);
		const deepest = boxes.reduce((max, { node, gone }) => Math.max(max, node.depth + (gone ? 1 : 0)), 0);
		const up = this.state.get().shape === 'flame';

		this.boxes = new Map();
		this.order = boxes.filter((box) => !box.gone);
		this.flame.replaceChildren(...boxes.map((box) => this.drawBox(box, deepest, up)));
		this.flame.style.height = `${(deepest + 1) * ROW}px`;
		if (up)
			this.box.scrollTop = this.box.scrollHeight;
		this.mark();
	}

	drawBox({ node, left, width, gone }, deepest, up) {
		const row = node.depth + (gone ? 1 : 0);
		const box = h('div', gone ? { class: 'box gone', title: `${this.write(node.below[this.metric])} in small functions` } : {
			class: `box ${colour(node)}${node.depth < this.zoom.depth ? ' above' : ''}`, id: `node-${node.id}`,
			role: 'treeitem', 'aria-level': node.depth + 1, 'aria-label': `${node.label}, ${this.write(node.total[this.metric])}`,
			'data-id': node.id, 'data-name': node.name, 'data-total': node.total[this.metric], 'data-self': node.self[this.metric],
		}, gone || width < 0.02 ? '' : node.label);

		box.style.left = `${100 * left}%`;
		box.style.width = `${100 * width}%`;
		box.style.top = `${(up ? deepest - row : row) * ROW}px`;
		if (!gone)
			this.boxes.set(node.id, box);
		return box;
	}

	/* ---- what is found, and what one is ---- */

	mark() {
		const { search } = this.state.get();

		if (this.search.value !== search)
			this.search.value = search;
		if (!this.tree || !this.boxes)
			return;
		const { found, sum } = search ? this.tree.find(search, this.metric) : { found: new Set(), sum: 0 };

		this.flame.classList.toggle('searching', Boolean(search));
		for (const [id, box] of this.boxes)
			box.classList.toggle('match', found.has(id));
		this.found.dataset.value = search ? sum : '';
		this.found.textContent = search
			? `in ${format.count(found.size)} place${found.size === 1 ? '' : 's'}, ${this.write(sum)}, ${format.percent(sum, this.tree.root.total[this.metric])}` : '';
	}

	describe(node) {
		const { title } = this.metrics[this.metric];

		if (!this.tree || !node)
			return;
		const all = this.tree.root.total[this.metric], value = node.total[this.metric];

		this.flame.querySelector('.active')?.classList.remove('active');
		this.boxes.get(this.active?.id)?.classList.add('active');
		this.flame.setAttribute('aria-activedescendant', `node-${this.active?.id ?? 0}`);
		this.detail.replaceChildren(h('b', {}, node.label), ` ${this.write(value)}, ${format.percent(value, all)} of the ${title}`,
			node.self[this.metric] && node.id ? `, ${this.write(node.self[this.metric])} itself` : '',
			node.id && node.depth > 1 ? ` \u00b7 ${format.percent(value, this.tree.nodes[node.parent].total[this.metric])} of ${this.tree.nodes[node.parent].name}` : '');
	}

	nodeOf(event) {
		const id = event.target.closest('[data-id]')?.dataset.id;

		return id === undefined ? null : this.tree.nodes[id];
	}

	hover(event) {
		const node = this.nodeOf(event);

		if (node)
			this.describe(node);
	}

	click(event) {
		const node = this.nodeOf(event);

		if (node)
			this.choose(node);
	}

	/* Zooms to a function, which is then that of the callers and callees. */
	choose(node) {
		this.zoomTo(node);
		if (node.id)
			this.state.set({ function: node.label });
	}

	/* ---- keys ---- */

	hotkey(event) {
		if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName))
			return;
		this.search.focus();
		this.search.select();
		event.preventDefault();
	}

	/* The next one by a key among those that are drawn. */
	next(key) {
		const shown = (node) => this.boxes.has(node.id);
		const outwards = this.state.get().shape === 'flame' ? 'ArrowDown' : 'ArrowUp';
		const inwards = outwards === 'ArrowUp' ? 'ArrowDown' : 'ArrowUp';
		const parent = this.tree.nodes[this.active.parent];

		if (key === outwards)
			return parent;
		if (key === inwards)
			return this.tree.childrenOf(this.active, this.metric).find(shown);
		const siblings = this.tree.childrenOf(parent, this.metric).filter(shown);
		return siblings[siblings.indexOf(this.active) + (key === 'ArrowRight' ? 1 : -1)];
	}

	key(event) {
		if (!this.tree)
			return;
		if (event.key === 'Enter') {
			this.choose(this.active);
		} else if (event.key === 'Escape' && this.zoom.id) {
			this.zoomTo(this.tree.root);
		} else if (event.key.startsWith('Arrow')) {
			this.active = this.next(event.key) ?? this.active;
			this.describe(this.active);
			this.boxes.get(this.active.id)?.scrollIntoView({ block: 'nearest' });
		} else {
			return;
		}
		event.preventDefault();
	}
}

export function mountTree(element, model, state) {
	if (model.kinds.length)
		return new TreeView(element, model, state);
	return null;
}

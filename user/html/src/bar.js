// SPDX-License-Identifier: GPL-2.0-or-later
/* The bar that stays: which kind of memory, and which interval. */
import { button, choice, h } from './dom.js';
import * as format from './format.js';
import { KIND_NAMES } from './model.js';

export function isWhole(model, { from, to }) {
	return from === 0 && to === model.count;
}

export function intervalText(model, { from, to }) {
	return isWhole(model, { from, to }) ? `the whole trace, ${format.time(model.span)}`
		: `${format.time(model.timeOf(from))} to ${format.time(model.timeOf(to))}`;
}

export function mountBar(element, model, state) {
	const text = h('output', { class: 'interval', id: 'interval', 'aria-live': 'polite' });
	const reset = button('Whole trace', {
		class: 'quiet', id: 'whole',
		onclick: () => state.set({ from: 0, to: model.count }),
	});

	element.append(
		choice('Kind', model.kinds.map((kind) => [String(kind), KIND_NAMES[kind]]), String(state.get().kind),
			(kind) => state.set({ kind: Number(kind) })),
		h('div', { class: 'interval-box' }, text, reset));
	state.watch(['from', 'to'], (now) => {
		text.textContent = intervalText(model, now);
		reset.hidden = isWhole(model, now);
	});
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* The bar that stays: which kind of memory, and which interval. */
import { button, choice, h, setChoice } from './dom.js';
import * as format from './format.js';
import { KIND_NAMES } from './model.js';

export function isWhole(model, { from, to }) {
	return from === 0 && to === model.count;
}

export function intervalText(model, { from, to }) {
	return isWhole(model, { from, to }) ? `the whole trace, ${format.time(model.span)}`
		: `${format.exact(model.timeOf(from))} to ${format.exact(model.timeOf(to))}`;
}

/* Escape first clears the text that is searched for, if that has the focus, then the interval. */
function escape(event, model, state) {
	const { target } = event;

	if (event.key !== 'Escape' || event.defaultPrevented)
		return;
	if (target.type === 'search' && target.value) {
		target.value = '';
		target.dispatchEvent(new Event('input'));
		event.preventDefault();
	} else {
		state.set({ from: 0, to: model.count });
	}
}

export function mountBar(element, model, state) {
	const text = h('output', { class: 'interval', id: 'interval', 'aria-live': 'polite' });
	const reset = button('Whole trace', {
		class: 'quiet', id: 'whole',
		onclick: () => state.set({ from: 0, to: model.count }),
	});

	const kinds = choice('Kind', model.kinds.map((kind) => [String(kind), KIND_NAMES[kind]]), String(state.get().kind),
		(kind) => state.set({ kind: Number(kind) }));

	element.append(kinds, h('div', { class: 'interval-box' }, text, reset));
	document.addEventListener('keydown', (event) => escape(event, model, state));
	state.watch(['kind'], ({ kind }) => setChoice(kinds, kind));
	state.watch(['from', 'to'], (now) => {
		text.textContent = intervalText(model, now);
		reset.hidden = isWhole(model, now);
	});
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* The figures of a kind that come first. */
import { intervalText, isWhole } from './bar.js';
import { h } from './dom.js';
import * as format from './format.js';
import { total } from './model.js';

function card(id, label, value, note, raw) {
	return h('div', { class: 'card' },
		h('dt', {}, label), h('dd', { id, 'data-value': raw }, value), h('dd', { class: 'note' }, note));
}

/* What kfree_rcu() was called for is no leak. */
function freeing({ freeing_count: count, freeing_bytes: bytes }) {
	return count ? [h('p', { class: 'note', id: 'freeing' },
		`${format.count(count)} more, ${format.bytes(bytes)}, were being freed by RCU when the trace ended: not live, and not a leak.`)] : [];
}

export function mountSummary(element, model, state) {
	state.watch(['kind', 'from', 'to'], (now) => {
		const sum = total(model.of(now.kind, 'sites').map((site) => site.in(now.from, now.to)));
		const whole = isWhole(model, now);
		const peak = model.peak(now.kind);

		if (sum.allocs === undefined) {
			element.replaceChildren(h('p', { class: 'empty' }, 'Nothing was allocated during the trace.'));
			return;
		}
		element.replaceChildren(h('dl', { class: 'cards' },
			card('sum-live', whole ? 'Live at the end' : 'Live at the interval\u2019s end', format.bytes(sum.live),
				`${format.count(sum.liveCount)} allocations`, sum.live),
			card('sum-peak', 'Peak of the whole trace', peak ? format.bytes(peak.bytes) : '\u2013',
				peak ? `${format.count(peak.count)} allocations at ${format.time(peak.time_ns)}` : '', peak?.bytes),
			card('sum-bytes', 'Allocated', format.bytes(sum.bytes),
				`in ${format.count(sum.allocs)} allocations`, sum.bytes),
			card('sum-growth', 'Growth', format.growth(format.bytes)(sum.growth),
				`in ${intervalText(model, now)}`, sum.growth),
			card('sum-waste', 'Wasted by rounding', format.bytes(sum.waste),
				`${format.percent(sum.waste, sum.bytes)} of allocated bytes`, sum.waste)),
		...freeing(model.all(now.kind)));
	});
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Elements. Text comes in as text nodes alone, so no name of a trace can be anything else.
 */

const SVG = 'http://www.w3.org/2000/svg';

function fill(element, attributes, children) {
	for (const [name, value] of Object.entries(attributes ?? {})) {
		if (value === undefined || value === null || value === false)
			continue;
		if (name.startsWith('on'))
			element.addEventListener(name.slice(2), value);
		else
			element.setAttribute(name, value === true ? '' : value);
	}
	element.append(...children.flat().filter((child) => child !== null && child !== undefined));
	return element;
}

/* h('p', {class: 'note'}, 'text', element, [more]) */
export function h(name, attributes, ...children) {
	return fill(document.createElement(name), attributes, children);
}

export function svg(name, attributes, ...children) {
	return fill(document.createElementNS(SVG, name), attributes, children);
}

export const byId = (id) => document.getElementById(id);

let groups = 0;

/* A choice of one of a few, as radio buttons that look like one switch. */
export function choice(label, options, chosen, choose) {
	const name = `choice-${++groups}`;

	return h('fieldset', { class: 'choice' }, h('legend', {}, label),
		options.map(([value, text]) => h('label', {},
			h('input', {
				type: 'radio', name, value, checked: value === chosen,
				onchange: () => choose(value),
			}),
			h('span', {}, text))));
}

/* Sets what is chosen without telling. */
export function setChoice(fieldset, value) {
	for (const input of fieldset.querySelectorAll('input'))
		input.checked = input.value === String(value);
}

export function button(text, attributes) {
	return h('button', { type: 'button', ...attributes }, text);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* Functions by which tests read a page: its visible contents, as plain values. */
'use strict';

class Page {
	constructor(browser) {
		this.browser = browser;
	}

	run(func, ...args) {
		return this.browser.evaluate(`(${func})(...${JSON.stringify(args)})`);
	}

	text(selector) {
		return this.run((s) => document.querySelector(s)?.textContent, selector);
	}

	value(selector) {
		return this.run((s) => Number(document.querySelector(s).dataset.value), selector);
	}

	async press(selector) {
		await this.run((s) => document.querySelector(s).click(), selector);
	}

	choose(value) {
		return this.press(`.choice input[value="${value}"]`);
	}

	/* All rows of a table, those behind "more" too: {name: {key: value}}; a name is "name module". */
	table(id) {
		return this.run((table) => {
			const box = document.getElementById(table).closest('.table');

			for (let more = box.querySelector(':scope > .quiet'); !more.hidden;)
				more.click();
			return Object.fromEntries([...box.querySelectorAll('tbody tr')].map((row) => {
				const cells = Object.fromEntries([...row.children].map((cell) => [cell.dataset.key, cell.dataset.value]));
				const { name, stack, ...values } = cells;

				for (const key of Object.keys(values))
					values[key] = Number(values[key]);
				return [(stack ? `${name} ${stack}` : name).trim(), values];
			}));
		}, id);
	}

	sum(id) {
		return this.run((table) => Object.fromEntries([...document.querySelectorAll(`#${table} tfoot [data-key]`)]
			.filter((cell) => cell.dataset.key !== 'name').map((cell) => [cell.dataset.key, Number(cell.dataset.value)])), id);
	}

	/* The colour of the first line, among those of trust. */
	trust() {
		return this.run(() => {
			const style = getComputedStyle(document.documentElement), line = document.querySelector('#trust p');
			const probe = document.body.appendChild(document.createElement('i'));
			const found = ['good', 'warn', 'bad'].filter((name) => {
				probe.style.color = style.getPropertyValue(`--${name}`);
				return getComputedStyle(probe).color === getComputedStyle(line).color;
			});

			probe.remove();
			return found.join();
		});
	}

	/*
	 * Elements that extend beyond the window, except scrolled contents, and labels of drawings
	 * that overlap.
	 */
	misplaced() {
		return this.run(() => {
			const outside = [...document.querySelectorAll('body *')].filter((one) => {
				const { width, left, right } = one.getBoundingClientRect();

				return width && (left < -1 || right > innerWidth + 1) && !one.closest('.scroll, .skip, .sr, .choice legend');
			}).map((one) => `${one.tagName} ${one.id || one.getAttribute('class')} is outside`);
			const overlap = [...document.querySelectorAll('svg')].flatMap((drawing) => {
				const labels = [...drawing.querySelectorAll('text')].map((one) => [one.textContent, one.getBoundingClientRect()]);

				return labels.flatMap(([text, a], i) => labels.slice(i + 1).filter(([, b]) =>
					a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1).map(([other]) => `${text} and ${other} overlap`));
			});

			return [...outside, ...overlap];
		});
	}

	interval() {
		return this.run(() => ['from', 'to'].map((end) => Number(document.getElementById(`border-${end}`).getAttribute('aria-valuenow'))));
	}

	box(selector) {
		return this.run((s) => {
			const element = document.querySelector(s);

			element.scrollIntoView({ block: 'center' });
			const { x, y, width, height } = element.getBoundingClientRect();
			return { x, y, width, height };
		}, selector);
	}

	/* The drawn part of the tree, as "path total self". */
	tree() {
		return this.run(() => [...document.querySelectorAll('#flame .box:not(.gone)')].map((box) =>
			[Number(box.getAttribute('aria-level')) - 1, box.dataset.name, Number(box.dataset.total), Number(box.dataset.self)]));
	}
}

module.exports = { Page };

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A table that sorts by a click on a column's head, finds rows by text, and shows a few rows until more
 * are requested. The text is part of the state. What stands for several ("others") stays last, and the sum below it.
 */
import { button, h } from './dom.js';

const FEW = 15, MORE = 100;

/* A column: key, label, title, value(row) to sort by, text(row) or cell(row) to show, num, first ('up' or 'down'). */
export class Table {
	constructor({ id, caption, columns, sort, down = true, find, state }) {
		const key = `find-${id.replace('table-', '')}`;

		Object.assign(this, { columns, sort, down, rows: [], sum: null, limit: FEW, text: '' });
		this.find = find;
		this.heads = new Map(columns.map((column) => [column.key, this.head(column)]));
		this.body = h('tbody');
		this.foot = h('tfoot');
		this.table = h('table', { id }, h('caption', { class: 'sr' }, caption),
			h('thead', {}, h('tr', {}, [...this.heads.values()])), this.body, this.foot);
		this.more = button('', { class: 'quiet', onclick: () => { this.limit += MORE; this.draw(); } });
		this.none = h('p', { class: 'empty' }, 'Nothing.');
		this.filter = h('input', {
			type: 'search', placeholder: 'Find', 'aria-label': `Find in ${caption}`,
			oninput: () => state.set({ [key]: this.filter.value }, 'run'),
		});
		this.element = h('div', { class: 'table' }, this.filter, h('div', { class: 'scroll' }, this.table), this.none, this.more);
		state.watch([key], (now) => this.search(now[key]));
	}

	search(text) {
		if (this.filter.value !== text)
			this.filter.value = text;
		this.text = text.toLowerCase();
		this.draw();
	}

	head(column) {
		return h('th', { scope: 'col', class: column.num ? 'num' : '', title: column.title },
			button(column.label, { 'data-key': column.key, onclick: () => this.sortBy(column) }));
	}

	sortBy(column) {
		this.down = this.sort === column.key ? !this.down : Boolean(column.num);
		this.sort = column.key;
		this.draw();
	}

	/* @sum: a row, or null. */
	show(rows, sum) {
		this.rows = rows;
		this.sum = sum;
		this.draw();
	}

	sorted() {
		const { value } = this.columns.find((column) => column.key === this.sort);
		const way = this.down ? -1 : 1;

		return this.rows.filter((row) => !this.text || this.find(row).toLowerCase().includes(this.text))
			.map((row) => ({ row, key: value(row) }))
			.sort((a, b) => (a.row.others ? 1 : 0) - (b.row.others ? 1 : 0) ||
				(a.key < b.key ? -way : a.key > b.key ? way : 0))
			.map(({ row }) => row);
	}

	cells(row) {
		return this.columns.map((column) => {
			const value = column.value(row);
			const cell = h(column.key === 'name' ? 'th' : 'td', {
				scope: column.key === 'name' ? 'row' : undefined, class: column.num ? 'num' : '',
				'data-key': column.key, 'data-value': value,
			}, column.cell ? column.cell(row) : column.text(row));

			if (column.share && row !== this.sum)
				cell.style.setProperty('--share', `${Math.max(0, Math.min(100, 100 * column.share(row)))}%`);
			return cell;
		});
	}

	draw() {
		const rows = this.sorted();
		const hidden = rows.length - this.limit;

		for (const [key, head] of this.heads) {
			if (key === this.sort)
				head.setAttribute('aria-sort', this.down ? 'descending' : 'ascending');
			else
				head.removeAttribute('aria-sort');
		}
		this.body.replaceChildren(...rows.slice(0, this.limit).map((row) =>
			h('tr', { class: row.others ? 'others' : '' }, this.cells(row))));
		this.foot.replaceChildren(...(this.sum && !this.text ? [h('tr', {}, this.cells(this.sum))] : []));
		this.none.hidden = rows.length > 0;
		this.table.hidden = !rows.length;
		this.more.hidden = hidden <= 0;
		this.more.textContent = hidden > 0 ? `Show ${Math.min(hidden, MORE)} more of ${rows.length}` : '';
	}
}

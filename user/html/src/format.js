// SPDX-License-Identifier: GPL-2.0-or-later
/* Values as the tool prints them in its reports. */

const MINUS = '\u2212';

function signed(value, format) {
	return value < 0 ? MINUS + format(-value) : format(value);
}

function positiveBytes(bytes) {
	const units = ['', 'K', 'M', 'G', 'T'];
	let unit = 0;

	for (; bytes >= 1023.95 && unit < units.length - 1; unit++)
		bytes /= 1024;
	return unit ? bytes.toFixed(1) + units[unit] : String(Math.round(bytes));
}

function positiveCount(count) {
	return String(Math.round(count)).replace(/\B(?=(\d{3})+$)/g, ',');
}

function positiveTime(ns) {
	const seconds = Math.floor(ns / 1e9);

	if (ns < 1e3)
		return `${Math.round(ns)}ns`;
	if (ns < 999.95e3)
		return `${(ns / 1e3).toFixed(1)}us`;
	if (ns < 999.95e6)
		return `${(ns / 1e6).toFixed(1)}ms`;
	if (ns < 600e9)
		return `${(ns / 1e9).toFixed(2)}s`;
	if (seconds < 3600)
		return `${Math.floor(seconds / 60)}m${String(seconds % 60).padStart(2, '0')}s`;
	return `${Math.floor(seconds / 3600)}h${String(Math.floor(seconds / 60) % 60).padStart(2, '0')}m`;
}

export const bytes = (value) => signed(value, positiveBytes);
export const count = (value) => signed(value, positiveCount);
export const time = (ns) => signed(ns, positiveTime);
/* A round time, without the zeros behind the point. */
export const edge = (ns) => time(ns).replace(/\.(\d*?)0+(?=\D)/, (_, digits) => (digits ? `.${digits}` : ''));
export const edgeBytes = (value) => bytes(value).replace('.0', '');
/* To the nanosecond, as --at, --from and --to take it. */
export const exact = (ns) => (ns < 1e9 ? `${ns / 1e6}ms` : `${ns / 1e9}s`);
export const growth = (format) => (value) => (value > 0 ? `+${format(value)}` : format(value));

export function percent(part, whole) {
	if (!whole)
		return '\u2013';
	const value = (100 * part) / whole;
	return value > 0 && value < 0.1 ? '<0.1%' : `${value.toFixed(1)}%`;
}

/* By the unit of a metric of trees. */
export const units = {
	bytes,
	count,
	us: (value) => time(value * 1e3),
	byte_ms: (value) => `${bytes(value / 1e3)}\u00b7s`,
};

/* Control characters, and those that turn the direction of text, as the tool prints them. Line breaks are the tool's own. */
const HIDDEN = /[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

function octal(text) {
	return [...new TextEncoder().encode(text)].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');
}

/* Names come from others: they are made visible once, where they come in. */
export const visible = (text) => text.replace(HIDDEN, octal);

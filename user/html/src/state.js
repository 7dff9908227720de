// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What is shown: one object, those who want to know when some of it changes, and its copy in the fragment of the address. So a
 * link keeps it, and Back undoes a change. Values that are as in the beginning are left out of it.
 */

/* @fields, by key: first, the value; read(text), undefined if it is none; write(value), text. */
export function makeState(fields) {
	const keys = Object.keys(fields);
	const initial = Object.fromEntries(keys.map((key) => [key, fields[key].first]));
	const state = { ...initial };
	const listeners = [];
	let run = null;	/* the keys of the last change, if more of the same go into its entry of the history */

	const fragment = () => {
		const changed = keys.filter((key) => state[key] !== initial[key]);

		return new URLSearchParams(changed.map((key) => [key, fields[key].write(state[key])])).toString();
	};
	const change = (values) => {
		const changed = keys.filter((key) => key in values && state[key] !== values[key]);

		Object.assign(state, values);
		for (const { keys: wanted, listener } of listeners) {
			if (changed.some((key) => wanted.includes(key)))
				listener(state);
		}
		return changed.join();
	};
	const keep = (changed, how) => {
		const text = fragment();

		if (text === location.hash.slice(1))
			return;
		history[how === 'run' && run === changed ? 'replaceState' : 'pushState'](null, '', `#${text}`);
		run = how === 'run' ? changed : null;
	};
	/* A fragment without values is the target of a link in the page. */
	const read = () => {
		const text = location.hash.slice(1);
		const values = { ...initial };

		if (text && !text.includes('='))
			return {};
		for (const [key, value] of new URLSearchParams(text)) {
			if (Object.hasOwn(fields, key))
				values[key] = fields[key].read(value) ?? initial[key];
		}
		return values.from < values.to ? values : { ...values, from: initial.from, to: initial.to };
	};

	Object.assign(state, read());
	addEventListener('popstate', () => { run = null; change(read()); });
	return {
		get: () => state,
		/* @how: once; run, as letters that are typed; unkept, which is not in the address until a change that is. */
		set(values, how = 'once') {
			const changed = change(values);

			if (how !== 'unkept')
				keep(changed, how);
		},
		/* Calls @listener now, and whenever one of @keys has changed. */
		watch(wanted, listener) {
			listeners.push({ keys: wanted, listener });
			listener(state);
		},
	};
}

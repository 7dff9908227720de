// SPDX-License-Identifier: GPL-2.0-or-later
/* What is shown: one object, and those who want to know when some of it changes. */

export function makeState(initial) {
	const state = { ...initial };
	const listeners = [];

	return {
		get: () => state,
		set(change) {
			const changed = Object.keys(change).filter((key) => state[key] !== change[key]);

			Object.assign(state, change);
			for (const { keys, listener } of listeners) {
				if (changed.some((key) => keys.includes(key)))
					listener(state);
			}
		},
		/* Calls @listener now, and whenever one of @keys has changed. */
		watch(keys, listener) {
			listeners.push({ keys, listener });
			listener(state);
		},
	};
}

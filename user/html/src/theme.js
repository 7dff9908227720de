// SPDX-License-Identifier: GPL-2.0-or-later
/* Light, dark, or as the system has it, which is the default. Kept where a browser lets a file keep something. */

const THEMES = ['auto', 'light', 'dark'];
const KEY = 'kmemtrace-theme';

function kept() {
	try {
		return localStorage.getItem(KEY);
	} catch {
		return null;
	}
}

function keep(theme) {
	try {
		localStorage.setItem(KEY, theme);
	} catch {
		/* Not allowed: it is forgotten with the page. */
	}
}

export function mountTheme(button) {
	let theme = THEMES.includes(kept()) ? kept() : 'auto';

	const show = () => {
		if (theme === 'auto')
			delete document.documentElement.dataset.theme;
		else
			document.documentElement.dataset.theme = theme;
		button.textContent = { auto: '\u25d0 System', light: '\u25cb Light', dark: '\u25cf Dark' }[theme];
		button.setAttribute('aria-label', `Colours: ${theme === 'auto' ? 'system' : theme}. Change`);
	};
	button.addEventListener('click', () => {
		theme = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length];
		keep(theme);
		show();
	});
	show();
}

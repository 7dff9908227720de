// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Headless Chromium, driven over its debugging protocol through a pipe; needs nothing from npm.
 */
'use strict';
const { spawn } = require('node:child_process');
const { mkdtempSync, rmSync, writeFileSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');
const { pathToFileURL } = require('node:url');

const NAMES = process.env.CHROMIUM ? [process.env.CHROMIUM] : ['chromium', 'chromium-browser', 'google-chrome'];

const KEYS = {
	Enter: 13, Escape: 27, Tab: 9, ArrowLeft: 37, ArrowUp: 38, ArrowRight: 39, ArrowDown: 40, PageUp: 33, PageDown: 34, End: 35, Home: 36,
};

class Browser {
	/* Starts it and opens one page of this size. */
	static async start(width, height) {
		const browser = new Browser();

		browser.profile = mkdtempSync(join(tmpdir(), 'kmemtrace-html-'));
		browser.waiting = new Map();
		browser.events = [];
		browser.last = 0;
		browser.run();
		const { targetId } = await browser.firstPage();
		const { sessionId } = await browser.send('Target.attachToTarget', { targetId, flatten: true });
		browser.session = sessionId;
		for (const domain of ['Page', 'Runtime', 'Network', 'Log'])
			await browser.send(`${domain}.enable`);
		await browser.resize(width, height);
		return browser;
	}

	/* It answers before its page exists. */
	async firstPage() {
		for (let i = 0; i < 3000; i++) {
			const { targetInfos } = await this.send('Target.getTargets');
			const page = targetInfos.find((target) => target.type === 'page');

			if (page)
				return page;
			await new Promise((resolve) => setTimeout(resolve, 100));
		}
		throw new Error('the browser has no page');
	}

	run() {
		const options = ['--headless=new', '--remote-debugging-pipe', `--user-data-dir=${this.profile}`, '--disable-gpu',
			'--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync', '--hide-scrollbars',
			'--disable-dev-shm-usage', '--font-render-hinting=none', 'about:blank'];
		let rest = '';

		if (process.getuid() === 0)
			options.unshift('--no-sandbox');
		this.process = spawn(NAMES[0], options, { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] });
		this.process.on('error', (error) => this.fail(error));
		this.process.on('exit', () => this.fail(new Error('the browser ended')));
		this.process.stdio[4].setEncoding('utf8').on('data', (text) => {
			const parts = (rest + text).split('\0');

			rest = parts.pop();
			parts.forEach((part) => this.take(JSON.parse(part)));
		});
	}

	fail(error) {
		for (const { reject } of this.waiting.values())
			reject(error);
		this.waiting.clear();
	}

	take(message) {
		const waiting = this.waiting.get(message.id);

		this.waiting.delete(message.id);
		if (!waiting)
			this.events.push(message);
		else if (message.error)
			waiting.reject(new Error(message.error.message));
		else
			waiting.resolve(message.result);
	}

	send(method, params = {}) {
		const id = ++this.last;

		this.process.stdio[3].write(`${JSON.stringify({ id, method, params, sessionId: this.session })}\0`);
		return new Promise((resolve, reject) => this.waiting.set(id, { resolve, reject }));
	}

	async resize(width, height) {
		await this.send('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 1, mobile: false });
	}

	/* Opens a file, and waits until the page reports that it is drawn. */
	async open(path, fragment = '') {
		/* A URL that differs only in its fragment would load nothing. */
		await this.send('Page.navigate', { url: 'about:blank' });
		await this.send('Page.navigate', { url: pathToFileURL(path).href + fragment });
		for (let i = 0; i < 3000; i++) {
			if (await this.evaluate('document.documentElement?.dataset.ready === "yes" && document.readyState === "complete"'))
				return;
			await new Promise((resolve) => setTimeout(resolve, 100));
		}
		throw new Error(`${path} was not drawn within five minutes: ${JSON.stringify(this.complaints())}`);
	}

	/* The value of an expression, which may be a promise; its errors are thrown here. */
	async evaluate(expression) {
		const { result, exceptionDetails } = await this.send('Runtime.evaluate',
			{ expression, returnByValue: true, awaitPromise: true });

		if (exceptionDetails)
			throw new Error(`${expression}: ${exceptionDetails.exception?.description ?? exceptionDetails.text}`);
		return result.value;
	}

	async key(key, modifiers = 0) {
		const one = { key, code: key.length > 1 ? key : undefined, windowsVirtualKeyCode: KEYS[key], modifiers,
			text: key.length === 1 ? key : key === 'Enter' ? '\r' : undefined };

		await this.send('Input.dispatchKeyEvent', { type: 'keyDown', ...one });
		await this.send('Input.dispatchKeyEvent', { ...one, type: 'keyUp', text: undefined });
	}

	async type(text) {
		for (const letter of text)
			await this.key(letter);
	}

	async mouse(type, x, y, buttons = 0) {
		await this.send('Input.dispatchMouseEvent', { type, x, y, button: type === 'mouseMoved' && !buttons ? 'none' : 'left', buttons, clickCount: 1 });
	}

	async click(x, y) {
		await this.mouse('mouseMoved', x, y);
		await this.mouse('mousePressed', x, y, 1);
		await this.mouse('mouseReleased', x, y);
	}

	async drag(x1, x2, y) {
		await this.mouse('mouseMoved', x1, y);
		await this.mouse('mousePressed', x1, y, 1);
		for (let i = 1; i <= 5; i++)
			await this.mouse('mouseMoved', x1 + ((x2 - x1) * i) / 5, y, 1);
		await this.mouse('mouseReleased', x2, y);
		/*
		 * d3 takes an immediate click as part of the drag, until a timer of the page, which
		 * fires before this one.
		 */
		await this.evaluate('new Promise((done) => setTimeout(done, 50))');
	}

	/* Takes a screenshot of the whole page. */
	async screenshot(path) {
		const { cssContentSize: { width, height } } = await this.send('Page.getLayoutMetrics');
		const { data } = await this.send('Page.captureScreenshot', { captureBeyondViewport: true,
			clip: { x: 0, y: 0, width, height, scale: 1 } });

		writeFileSync(path, Buffer.from(data, 'base64'));
	}

	async pdf(path) {
		const { data } = await this.send('Page.printToPDF', { printBackground: true });

		writeFileSync(path, Buffer.from(data, 'base64'));
	}

	/* The errors and warnings of the console. */
	complaints() {
		return this.events.filter(({ method, params }) => method === 'Runtime.exceptionThrown' || method === 'Log.entryAdded' ||
			(method === 'Runtime.consoleAPICalled' && ['error', 'warning', 'assert'].includes(params.type)))
			.map(({ params }) => params.entry?.text ?? params.exceptionDetails?.exception?.description ?? params.exceptionDetails?.text ??
				params.args?.map((arg) => arg.value).join(' '));
	}

	/* All requests, also blocked ones, except for the page's own file. */
	requests() {
		return this.events.filter(({ method }) => method === 'Network.requestWillBeSent').map(({ params }) => params.request.url)
			.filter((url) => !/^(file|about):/.test(url));
	}

	async stop() {
		const ended = new Promise((resolve) => this.process.once('exit', resolve));

		await this.send('Browser.close').catch(() => {});
		const timer = setTimeout(() => this.process.kill('SIGKILL'), 60000);

		if (this.process.exitCode === null && this.process.signalCode === null)
			await ended;
		clearTimeout(timer);
		/* Its other processes may keep writing there for a while. */
		rmSync(this.profile, { recursive: true, force: true, maxRetries: 50 });
	}
}

module.exports = { Browser };

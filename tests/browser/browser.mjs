// One browser for all tests; every page opened in it is watched.

import assert from 'node:assert/strict';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';
import { folder, root } from './pages.mjs';

const shots = process.env.SHOTS ?? join(root, 'target', 'browser');
mkdirSync(shots, { recursive: true });

const program = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']
  .find((path) => path && existsSync(path));

export const browser = await chromium.launch({
  executablePath: program,
  args: ['--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'],
});

/** Opens a report, lets `look` at it, and fails on any request, error or breach of the policy that is not to be `blocked`. */
export async function visit(file, look, { hash = '', blocked = null, ...options } = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, acceptDownloads: true, ...options });
  const page = await context.newPage();
  const wrong = [];
  const address = pathToFileURL(join(folder, file)).href;
  page.on('request', (request) => {
    const url = request.url();
    if (url.split('#')[0] !== address && !/^(blob|data):/.test(url)) wrong.push(`request: ${url}`);
  });
  page.on('requestfailed', (request) => {
    if (blocked && request.failure().errorText === 'csp') wrong.splice(wrong.indexOf(`request: ${request.url()}`), 1);
  });
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type()) && !blocked?.test(message.text())) wrong.push(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) => wrong.push(`error: ${error.stack}`));
  page.on('dialog', (dialog) => { wrong.push(`dialog: ${dialog.message()}`); dialog.dismiss(); });
  try {
    await page.goto(address + hash);
    if (options.javaScriptEnabled !== false) await page.waitForFunction(() => document.documentElement.classList.contains('js'));
    await look(page);
    assert.deepEqual(wrong, [], `${file}: ${wrong.join('\n')}`);
  } finally {
    await context.close();
  }
}

/** A picture to look at. */
export async function shoot(page, name, options = {}) {
  await page.screenshot({ path: join(shots, `${name}.png`), ...options });
}

export const shot = (name) => join(shots, name);

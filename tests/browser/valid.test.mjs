// The pages are valid HTML, by the checker of the W3C.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { test } from 'node:test';
import { folder, files } from './pages.mjs';

const jar = createRequire(import.meta.url)('vnu-jar');

// The checker does not compute hashes; that the policy lets the script run, and no other, is tested in the browser. It
// does not know SVG 2's paint-order either, which halos are made of.
const beside = '.*(Inline script violates Content Security Policy|“paint-order”).*';

test('every page is valid HTML', () => {
  const pages = files.map((file) => join(folder, file));
  let said = '';
  try {
    execFileSync('java', ['-Xss8m', '-jar', String(jar), '--stdout', '--filterpattern', beside, ...pages], { encoding: 'utf8', maxBuffer: 1e8 });
  } catch (error) {
    said = error.stdout || String(error);
  }
  assert.equal(said, '', said.slice(0, 4000));
});

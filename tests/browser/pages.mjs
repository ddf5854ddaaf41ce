// Which reports are tested.

import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

export const root = join(import.meta.dirname, '..', '..');
export const folder = process.env.PAGES ?? join(root, 'target', 'tmp', 'pages');
export const files = existsSync(folder) ? readdirSync(folder).filter((file) => file.endsWith('.html')).sort() : [];
assert.ok(files.length > 0, `no page in ${folder}: cargo xtask test browser writes some`);

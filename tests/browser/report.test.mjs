// What a reader does with a report, in a real browser.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, describe, test } from 'node:test';
import { browser, shoot, shot, visit } from './browser.mjs';
import { files } from './pages.mjs';

after(() => browser.close());

const status = (page) => page.locator('#map-status').innerText();
const isDark = (page) => page.evaluate(() => {
  const [r, g, b] = getComputedStyle(document.body).backgroundColor.match(/\d+/g).map(Number);
  return r + g + b < 200;
});

/** Where the map's first point is on the screen. */
async function firstPoint(page) {
  const frame = await page.locator('svg.live').boundingBox();
  const [x, y] = await page.locator('svg.live path.marks').first().evaluate((path) => {
    const [, x0, y0] = path.getAttribute('d').match(/^M([\d.]+) ([\d.]+)/).map(Number);
    return [x0 + 3, y0];
  });
  return [frame.x + x, frame.y + y];
}

const download = async (page, click) => {
  const [file] = await Promise.all([page.waitForEvent('download'), click()]);
  return { name: file.suggestedFilename(), bytes: await readFile(await file.path()) };
};

for (const file of files) {
  const name = file.replace('.html', '');

  describe(name, () => {
    test('opens without a request, an error or a breach of the policy, light and dark', async () => {
      for (const colorScheme of ['light', 'dark']) {
        await visit(file, async (page) => {
          assert.equal(await isDark(page), colorScheme === 'dark');
          await shoot(page, `${name}-${colorScheme}`);
          await shoot(page, `${name}-${colorScheme}-whole`, { fullPage: true });
        }, { colorScheme });
      }
    });

    test('fits its width on a desk and on a telephone', async () => {
      for (const [width, height] of [[1280, 900], [390, 844]]) {
        await visit(file, async (page) => {
          const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
          assert.ok(over <= 0, `${over} pixels too wide at ${width}`);
          if (width === 390) await shoot(page, `${name}-telephone-whole`, { fullPage: true });
        }, { viewport: { width, height } });
      }
    });

    test('no text lies on another in any figure', async () => {
      // Figures have two drawings, one for narrow screens; each is as wide as it was drawn for.
      for (const [kind, other, paper, width] of [['wide', 'narrow', 960, 1280], ['narrow', 'wide', 400, 440]]) {
        await visit(file, async (page) => {
          // The map of scores as it stands without a script is looked at too.
          const shown = `.has-map .map > svg.${kind} { display: block !important; }`;
          await page.addStyleTag({ content: `${shown} .drawing > svg.${other} { display: none !important; } .drawing { width: ${paper}px; }` });
          const found = await page.evaluate(overlaps);
          assert.deepEqual(found, [], found.join('\n'));
        }, { bypassCSP: true, viewport: { width, height: 900 } });
      }
    });

    test('reads without a script', async () => {
      await visit(file, async (page) => {
        assert.ok(await page.locator('main').innerText());
        for (const figure of await page.locator('figure').all()) assert.equal(await figure.locator('.drawing > svg:visible').count(), 1);
        assert.equal(await page.locator('button:visible').count(), 0);
        await page.locator('details.data summary').first().click();
        assert.ok(await page.locator('details.data td').first().isVisible());
      }, { javaScriptEnabled: false });
    });

    test('prints on white, with everything open and without buttons', async () => {
      await visit(file, async (page) => {
        await page.emulateMedia({ media: 'print' });
        assert.equal(await isDark(page), false);
        assert.equal(await page.locator(':not(th) > button:visible').count(), 0);
        assert.equal(await page.locator('nav:visible').count(), 0);
        for (const heading of await page.locator('table[data-sortable] th').all()) assert.ok(await heading.innerText());
        for (const how of await page.locator('.how p').all()) assert.ok((await how.boundingBox()).height > 10);
        await page.pdf({ path: shot(`${name}.pdf`), format: 'A4' });
      }, { colorScheme: 'dark', hash: '#?theme=dark' });
    });

    test('saves every figure as SVG, PNG and CSV', async () => {
      await visit(file, async (page) => {
        // All pages share the code: every figure of one, the first two of others.
        const figures = await page.locator('figure').all();
        for (const figure of name === 'decathlon' ? figures : figures.slice(0, 2)) {
          const id = await figure.getAttribute('data-name');
          const save = (kind) => download(page, () => figure.locator(`[data-save=${kind}]`).click());
          const svg = await save('svg');
          assert.equal(svg.name, `${id}.svg`);
          assert.match(svg.bytes.toString(), /^<svg [^>]*xmlns="http:\/\/www\.w3\.org\/2000\/svg"/);
          const png = await save('png');
          assert.equal(png.name, `${id}.png`);
          assert.deepEqual([...png.bytes.subarray(1, 4)], [...Buffer.from('PNG')]);
          assert.ok(await page.evaluate(inked, png.bytes.toString('base64')), `${png.name} is blank`);
          const csv = (await save('csv')).bytes.toString();
          assert.ok(csv.split('\n').length > 2, csv.slice(0, 200));
        }
      });
    });

    test('can be reached with the keyboard', async () => {
      await visit(file, async (page) => {
        await page.keyboard.press('Tab');
        assert.equal(await page.evaluate(() => document.activeElement.className), 'skip');
        assert.ok((await page.locator('.skip').boundingBox()).y >= 0);
        await page.keyboard.press('Enter');
        assert.equal(await page.evaluate(() => document.activeElement.id), 'part-words');
        // Everything that acts is a native control, a link, or takes the focus and says what it is.
        const silent = await page.evaluate(() => [...document.querySelectorAll('[tabindex="0"]')].filter((e) => !e.getAttribute('role') || !e.getAttribute('aria-label')).length);
        assert.equal(silent, 0);
      });
    });

    test('changes axes and color, and keeps them in the address', async (t) => {
      await visit(file, async (page) => {
        if (!(await page.locator('svg.live').count())) return t.skip('no map');
        const points = () => page.locator('svg.live path.marks').first().getAttribute('d');
        const before = await points();
        await page.selectOption('#map-x', '2');
        const changed = await points();
        assert.notEqual(changed, before);
        assert.match(await page.locator('svg.live').getAttribute('aria-label'), /PC3/);
        // The last color is a number; groups stand first.
        const last = await page.locator('#map-color option').last().getAttribute('value');
        await page.selectOption('#map-color', last);
        assert.ok((await page.locator('svg.live path.marks[fill*="--q"]').count()) > 2);
        assert.match(page.url(), new RegExp(`#part-scores\\?x=2&color=${last}$`));
        return page.reload();
      });
      await visit(file, async (page) => {
        if (!(await page.locator('svg.live').count())) return;
        assert.equal(await page.inputValue('#map-x'), '2');
        assert.equal(await page.inputValue('#map-color'), '1');
        assert.match(await page.locator('svg.live').getAttribute('aria-label'), /PC3/);
        await page.waitForFunction(() => Math.abs(document.getElementById('part-scores').getBoundingClientRect().top) < 5);
        await shoot(page, `${name}-map`);
      }, { hash: '#part-scores?x=2&color=1' });
    });

    test('shows the row under the pointer', async (t) => {
      await visit(file, async (page) => {
        if (!(await page.locator('svg.live').count())) return t.skip('no map');
        await page.locator('.stage').scrollIntoViewIfNeeded();
        await page.mouse.move(...await firstPoint(page));
        assert.ok(await page.locator('.tip').isVisible());
        // Only a PCA of data knows how far out a row is.
        const data = JSON.parse(await page.locator('#data').textContent());
        assert.match(await status(page), data.points.t2 ? /PC1 .*PC2 .*T² .*Q / : /PC1 .*PC2 /);
        await shoot(page, `${name}-hover`);
        await page.mouse.move(5, 5);
        assert.ok(await page.locator('.tip').isHidden());
      });
    });

    test('lists the rows in a box, and copies them', async (t) => {
      await visit(file, async (page) => {
        if (!(await page.locator('svg.live').count())) return t.skip('no map');
        await page.locator('.stage').scrollIntoViewIfNeeded();
        const frame = await page.locator('svg.live').boundingBox();
        await page.mouse.move(frame.x + 60, frame.y + 60);
        await page.mouse.down();
        await page.mouse.move(frame.x + frame.width / 2, frame.y + frame.height - 60, { steps: 5 });
        await page.mouse.up();
        const said = await page.locator('#map-selection h3').innerText();
        const count = Number(said.match(/^([\d,]+) of/)[1].replace(',', ''));
        assert.ok(count > 0, said);
        assert.equal(await page.locator('#map-selection tbody tr').count(), Math.min(count, 200));
        const saved = await download(page, () => page.locator('#map-selection').getByText('Save CSV').click());
        assert.match(saved.bytes.toString(), /^row,name,PC1,PC2/);
        await page.locator('#map-selection').getByText('Copy as CSV').click();
        await page.locator('#map-selection').getByText('Copied').waitFor();
        assert.equal(await page.evaluate(() => navigator.clipboard.readText()), saved.bytes.toString());
        await page.locator('#map-selection').scrollIntoViewIfNeeded();
        await shoot(page, `${name}-box`);
        await page.locator('#map-selection').getByText('Clear').click();
        assert.ok(await page.locator('#map-selection').isHidden());
      }, { permissions: ['clipboard-read', 'clipboard-write'] });
    });

    test('walks through the rows with the keys, and selects by range', async (t) => {
      await visit(file, async (page) => {
        if (!(await page.locator('svg.live').count())) return t.skip('no map');
        await page.locator('.stage').focus();
        const seen = new Set();
        for (const key of ['ArrowRight', 'ArrowRight', 'ArrowUp', 'End', 'Home', 'ArrowLeft']) {
          await page.keyboard.press(key);
          seen.add(await status(page));
        }
        assert.ok(seen.size >= 3, [...seen].join('\n'));
        await page.keyboard.press('Enter');
        assert.match(await page.locator('#map-selection h3').innerText(), /^1 of /);
        await page.keyboard.press('Escape');
        assert.ok(await page.locator('#map-selection').isHidden());
        await page.getByText('Select by range').click();
        await page.fill('#map-x0', '0');
        await page.locator('#map-range button').click();
        assert.match(await status(page), /rows selected/);
      });
    });

    test('turns dark and light at a press, and remembers it in the address', async () => {
      await visit(file, async (page) => {
        await page.locator('#theme').click();
        assert.equal(await isDark(page), true);
        assert.match(page.url(), /theme=dark/);
        await page.reload();
        assert.equal(await isDark(page), true);
      });
    });
  });
}

/** Texts of a figure whose boxes share more than a pixel's width and height, or that leave the paper: runs in the page. */
function overlaps() {
  const found = [];
  for (const svg of document.querySelectorAll('figure svg:not(.over)')) {
    const name = svg.closest('figure').dataset.name;
    const paper = svg.getBoundingClientRect();
    if (paper.width === 0) continue;
    const texts = [...svg.querySelectorAll('text')].filter((text) => text.textContent.trim()).map((text) => {
      // The box in the text's own frame, less the air above and below letters, as it stands on the screen.
      const box = text.getBBox();
      const to = text.getScreenCTM();
      const air = 0.2 * box.height;
      const ends = [[box.x, box.y + air], [box.x + box.width, box.y + box.height - air]].map(([x, y]) => new DOMPoint(x, y).matrixTransform(to));
      const [xs, ys] = [ends.map((p) => p.x), ends.map((p) => p.y)];
      return { said: text.textContent, x0: Math.min(...xs), x1: Math.max(...xs), y0: Math.min(...ys), y1: Math.max(...ys) };
    });
    texts.forEach((a, i) => {
      if (a.x0 < paper.left - 1 || a.x1 > paper.right + 1 || a.y0 < paper.top - 1 || a.y1 > paper.bottom + 1) found.push(`${name}: "${a.said}" leaves the paper`);
      for (const b of texts.slice(0, i)) {
        const [w, h] = [Math.min(a.x1, b.x1) - Math.max(a.x0, b.x0), Math.min(a.y1, b.y1) - Math.max(a.y0, b.y0)];
        if (w > 1 && h > 1) found.push(`${name}: "${a.said}" lies on "${b.said}"`);
      }
    });
  }
  return found;
}

/** Whether a picture has more than one color: runs in the page. */
async function inked(packed) {
  const bytes = Uint8Array.from(atob(packed), (c) => c.charCodeAt(0));
  const bitmap = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
  const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
  const pen = canvas.getContext('2d');
  pen.drawImage(bitmap, 0, 0);
  const { data } = pen.getImageData(0, 0, bitmap.width, bitmap.height);
  return data.some((value, i) => value !== data[i % 4]);
}

test('the policy lets no other script run and nothing be fetched', async () => {
  await visit(files[0], async (page) => {
    const done = await page.evaluate(async () => {
      document.body.append(Object.assign(document.createElement('script'), { textContent: 'window.ran = true' }));
      document.body.insertAdjacentHTML('beforeend', '<img src="https://example.org/x.png" onerror="window.ran = true">');
      const fetched = await fetch('https://example.org/').then(() => true, () => false);
      return { ran: window.ran ?? false, fetched };
    });
    assert.deepEqual(done, { ran: false, fetched: false });
  }, { blocked: /Content Security Policy/ });
});

test('tables are sorted by their headings and unfold', { skip: !files.includes('hostile.html') }, async () => {
  await visit('hostile.html', async (page) => {
    const table = page.locator('#part-columns table');
    const means = () => table.locator('tbody tr:visible td:nth-child(4)').allInnerTexts();
    assert.equal((await means()).length, 10);
    const heading = table.locator('th').nth(3);
    await heading.getByRole('button').click();
    assert.equal(await heading.getAttribute('aria-sort'), 'ascending');
    assert.equal((await means())[0], '−11.25');
    await heading.getByRole('button').click();
    assert.equal((await means())[0], '−0.25');
    await page.getByRole('button', { name: 'Show all 12 rows' }).click();
    assert.equal((await means()).length, 12);
  });
});

test('names are shown as they are, never obeyed', { skip: !files.includes('hostile.html') }, async () => {
  await visit('hostile.html', async (page) => {
    assert.equal(await page.locator('h1').innerText(), '<script>alert(1)</script>');
    assert.equal(await page.locator('img').count(), 0);
    await page.locator('.stage').focus();
    const names = new Set();
    for (let i = 0; i < 60; i += 1) {
      await page.keyboard.press('ArrowRight');
      names.add(await page.locator('.tip strong').innerText());
    }
    assert.ok([...names].some((name) => name.includes('<img src=x onerror=alert(2)>')), [...names].join('\n'));
    await page.locator('.range summary').click();
    await page.locator('#map-range button').click();
    assert.equal(await page.locator('#map-selection img, #map-selection script').count(), 0);
  });
});

test('rows are named where they are few, and colored where they have groups', { skip: !files.includes('foods.html') }, async () => {
  await visit('foods.html', async (page) => {
    assert.deepEqual((await page.locator('svg.live text.label').allTextContents()).sort(), ['England', 'N Ireland', 'Scotland', 'Wales']);
    assert.equal(await page.inputValue('#map-color'), '');
    assert.match(await page.locator('main').innerText(), /N Ireland stands apart on PC1/);
  });
  await visit('iris.html', async (page) => {
    assert.equal(await page.locator('svg.live text.label').count(), 0);
    assert.equal(await page.locator('#map-color option:checked').innerText(), '\u2068species\u2069');
  });
});

test('numbers come back as they were', { skip: !files.includes('iris.html') }, async () => {
  await visit('iris.html', async (page) => {
    const csv = (await download(page, () => page.locator('#part-scores [data-map] [data-save=csv]').click())).bytes.toString();
    const [header, first] = csv.split('\n').map((line) => line.split(','));
    const cell = Object.fromEntries(header.map((key, i) => [key, first[i]]));
    // scikit-learn 1.7, PCA().fit_transform(load_iris().data)[0]; signs are those of this project's rule.
    assert.ok(Math.abs(Math.abs(Number(cell.PC1)) - 2.684125626) < 1e-6, cell.PC1);
    assert.ok(Math.abs(Math.abs(Number(cell.PC2)) - 0.319397247) < 1e-6, cell.PC2);
    assert.deepEqual([cell.species, cell.sepal_length, cell.petal_width], ['setosa', '5.1', '0.2']);
  });
});

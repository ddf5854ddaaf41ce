'use strict';
// What paper cannot do: another pair of axes, the row under the pointer, sorted tables, saved figures.
// Everything it shows is in the page; it fetches nothing. Names are only ever set as text.
const root = document.documentElement;
const byId = (id) => document.getElementById(id);
const all = (selector, from = document) => [...from.querySelectorAll(selector)];
const data = JSON.parse(byId('data').textContent);
root.classList.add('js');

/** An element with attributes and children; children that are strings become text. */
function el(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith('on')) node.addEventListener(key.slice(2), value);
    else node.setAttribute(key, value);
  }
  node.append(...children);
  return node;
}

/** Text without the characters that an SVG file cannot hold. */
const clean = (text) => String(text).replace(/[\u0000-\u001f\u007f-\u009f\ufffe\uffff]/g, '\ufffd');

/** The same in a drawing. */
function draw(tag, attributes = {}, ...children) {
  const node = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, clean(value));
  node.append(...children.map((child) => (typeof child === 'string' ? clean(child) : child)));
  return node;
}

const button = (text, onclick) => el('button', { type: 'button', onclick }, text);
const bdi = (text) => el('bdi', {}, text);
const round = (x) => Math.round(x * 10) / 10;

/** A number to four digits, and to no decimal that was not stored. */
function show(x, decimals = 9) {
  const unit = 10 ** -decimals;
  // Plus zero: there is no −0 for a reader.
  const value = (decimals < 9 ? Math.round(x / unit) * unit : x) + 0;
  const size = Math.abs(value);
  if (!Number.isFinite(value)) return '–';
  if (size !== 0 && (size < 1e-4 || size >= 1e7)) return value.toExponential(3).replaceAll('-', '−');
  const digits = size === 0 ? 0 : 3 - Math.floor(Math.log10(size));
  const places = Math.max(0, Math.min(digits, decimals, 9));
  const text = value.toLocaleString('en-US', { minimumFractionDigits: places, maximumFractionDigits: places, useGrouping: 'min2' });
  return text.replace('-', '−');
}

const csvCell = (cell) => (/[",\r\n]/.test(cell) ? `"${String(cell).replaceAll('"', '""')}"` : String(cell));
const toCsv = (rows) => rows.map((row) => row.map(csvCell).join(',') + '\n').join('');

/* ---- saving and copying ---- */

function save(blob, file) {
  const url = URL.createObjectURL(blob);
  const link = el('a', { href: url, download: file });
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

async function copy(text, from) {
  let done = true;
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = el('textarea', { 'aria-hidden': 'true', class: 'away' });
    area.value = text;
    document.body.append(area);
    area.select();
    done = document.execCommand('copy');
    area.remove();
  }
  const said = from.textContent;
  from.textContent = done ? 'Copied' : 'Not allowed';
  from.disabled = true;
  setTimeout(() => { from.textContent = said; from.disabled = false; from.focus(); }, 1200);
}

/** A drawing as a file of its own: with the style sheet it shares, or with its colors written out as on light paper. */
function svgText(svg) {
  const box = svg.viewBox.baseVal;
  const copied = svg.cloneNode(true);
  copied.setAttribute('width', box.width);
  copied.setAttribute('height', box.height);
  if (!svg.classList.contains('live')) {
    copied.classList.add('light');
    const style = draw('style');
    style.textContent = byId('figure-style')?.textContent ?? '';
    if (style.textContent) copied.prepend(style);
    return new XMLSerializer().serializeToString(copied);
  }
  const text = new XMLSerializer().serializeToString(copied);
  const theme = root.dataset.theme;
  root.dataset.theme = 'light';
  const style = getComputedStyle(root);
  const plain = text.replace(/var\((--[\w-]+)\)/g, (_, key) => style.getPropertyValue(key).trim());
  setTheme(theme);
  return plain;
}

async function savePng(svg, file) {
  const box = svg.viewBox.baseVal;
  const text = svgText(svg).replace(/\(prefers-color-scheme:\s*dark\)/g, ' not all');
  const url = URL.createObjectURL(new Blob([text], { type: 'image/svg+xml' }));
  const image = new Image();
  image.src = url;
  await image.decode();
  const canvas = el('canvas', { width: 2 * box.width, height: 2 * box.height });
  const pen = canvas.getContext('2d');
  pen.fillStyle = '#fff';
  pen.fillRect(0, 0, canvas.width, canvas.height);
  pen.drawImage(image, 0, 0, canvas.width, canvas.height);
  URL.revokeObjectURL(url);
  canvas.toBlob((blob) => save(blob, file));
}

function startSaving() {
  for (const one of all('[data-save]')) {
    one.addEventListener('click', () => {
      const figure = one.closest('figure');
      const kind = one.dataset.save;
      const file = `${figure.dataset.name}.${kind}`;
      const svg = figure.querySelector('svg.live') || figure.querySelector('.drawing svg');
      if (kind === 'png') savePng(svg, file);
      else if (kind === 'svg') save(new Blob([svgText(svg)], { type: 'image/svg+xml' }), file);
      else save(new Blob([data.csv[figure.dataset.name] ?? toCsv(pointRows())], { type: 'text/csv' }), file);
    });
  }
  for (const one of all('[data-copy]')) {
    one.addEventListener('click', () => copy(one.parentElement.querySelector('code').textContent, one));
  }
}

/* ---- light and dark, printing, where the reader is ---- */

function setTheme(theme) {
  if (theme) root.dataset.theme = theme; else delete root.dataset.theme;
}

function startTheme() {
  const wish = matchMedia('(prefers-color-scheme: dark)');
  const isDark = () => (root.dataset.theme ? root.dataset.theme === 'dark' : wish.matches);
  const label = () => {
    byId('theme').textContent = isDark() ? 'Light' : 'Dark';
    byId('theme').setAttribute('aria-label', `${isDark() ? 'Light' : 'Dark'} colors`);
  };
  if (/^(light|dark)$/.test(hash().get('theme'))) root.dataset.theme = hash().get('theme');
  byId('theme').addEventListener('click', () => {
    root.dataset.theme = isDark() ? 'light' : 'dark';
    label();
    remember(location.hash.split('?')[0], { theme: root.dataset.theme });
  });
  wish.addEventListener('change', label);
  label();
}

function startPrinting() {
  let closed = [];
  let theme;
  addEventListener('beforeprint', () => {
    closed = all('details.how:not([open])');
    for (const one of closed) one.open = true;
    ({ theme } = root.dataset);
    setTheme('light');
  });
  addEventListener('afterprint', () => {
    for (const one of closed) one.open = false;
    setTheme(theme);
  });
}

function startContents() {
  const seen = new Map();
  const watch = new IntersectionObserver((entries) => {
    for (const entry of entries) seen.set(entry.target.id, entry.isIntersecting);
    const here = all('main > section').find((section) => seen.get(section.id));
    for (const link of all('.contents a')) {
      if (here && link.hash === `#${here.id}`) link.setAttribute('aria-current', 'true');
      else link.removeAttribute('aria-current');
    }
  }, { rootMargin: '-10% 0px -60%' });
  for (const section of all('main > section')) watch.observe(section);
}

/** What the address says after the anchor: `#part-scores?x=0&y=1`. */
const hash = () => new URLSearchParams(location.hash.split('?')[1] ?? '');

function remember(anchor, changes) {
  const state = hash();
  for (const [key, value] of Object.entries(changes)) state.set(key, value);
  history.replaceState(null, '', `${anchor || '#'}?${state}`);
}

/* ---- tables ---- */

function sortBy(table, column, th) {
  const down = th.getAttribute('aria-sort') === 'ascending';
  for (const other of all('th', table)) other.removeAttribute('aria-sort');
  th.setAttribute('aria-sort', down ? 'descending' : 'ascending');
  const text = (row) => row.cells[column].textContent;
  const number = (row) => {
    const value = parseFloat(text(row).replaceAll('−', '-').replace(/[^0-9.eE+-]/g, ''));
    return Number.isNaN(value) ? -Infinity : value;
  };
  const compare = th.classList.contains('n')
    ? (a, b) => number(a) - number(b) || 0
    : (a, b) => text(a).localeCompare(text(b), undefined, { numeric: true });
  const rows = [...table.tBodies[0].rows].sort(compare);
  table.tBodies[0].append(...(down ? rows.reverse() : rows));
  table.dispatchEvent(new Event('sorted'));
}

function makeSortable(table) {
  [...table.tHead.rows[0].cells].forEach((th, column) => {
    const inside = button('', () => sortBy(table, column, th));
    inside.append(...th.childNodes);
    th.append(inside);
  });
}

function startTables() {
  for (const table of all('table[data-sortable]')) makeSortable(table);
  for (const table of all('table[data-shown]')) {
    const shown = Number(table.dataset.shown);
    const { rows } = table.tBodies[0];
    if (rows.length <= shown) continue;
    const fold = () => [...rows].forEach((row, i) => row.classList.toggle('folded', i >= shown));
    const more = button(`Show all ${rows.length} rows`, () => {
      table.removeEventListener('sorted', fold);
      for (const row of rows) row.classList.remove('folded');
      more.remove();
    });
    more.className = 'more';
    table.addEventListener('sorted', fold);
    table.parentElement.after(more);
    fold();
  }
}

startTheme();
startPrinting();
startContents();
startTables();
startSaving();

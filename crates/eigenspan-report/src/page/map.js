// The map of scores: any two axes, any color, the row under the pointer or the keys, the rows in a box.

function bytes(text) {
  return Uint8Array.from(atob(text), (c) => c.charCodeAt(0)).buffer;
}

/** Floats, or codes of 16 bits: min + step · code, where the last code is "none". */
function numbers({ min, step, u16, f32 }) {
  if (f32) return Float64Array.from(new Float32Array(bytes(f32)));
  return Float64Array.from(new Uint16Array(bytes(u16)), (code) => (code === 65535 ? NaN : min + step * code));
}

const points = data.points && unpack(data.points);

function unpack(packed) {
  const floats = (text) => text && new Float32Array(bytes(text));
  return {
    ...packed,
    rows: packed.rows && new Uint32Array(bytes(packed.rows)),
    axes: packed.axes.map((axis) => ({ ...axis, values: numbers(axis) })),
    colors: packed.colors.map((color) => (color.levels
      ? { ...color, codes: new Uint16Array(bytes(color.u16)) }
      : { ...color, values: numbers(color) })),
    t2: floats(packed.t2),
    q: floats(packed.q),
  };
}

const rowNumber = (i) => (points.rows ? points.rows[i] : i + 1);
const rowName = (i) => points.names?.[i] || `row ${rowNumber(i)}`;
const colorValue = (color, i) => (color.levels ? (color.levels[color.codes[i]] ?? '–') || '(empty)' : show(color.values[i], color.decimals));

/** What is known of a row, as pairs of label and value. */
function facts(i, axes, colors) {
  const pairs = axes.map((axis) => [axis.name, show(axis.values[i], axis.decimals)]);
  for (const color of colors) pairs.push([color.name, colorValue(color, i)]);
  if (points.t2) pairs.push(['T²', show(points.t2[i])]);
  if (points.q) pairs.push(['Q', show(points.q[i])]);
  return pairs;
}

/** Rows for a CSV file: plain digits, every axis, every color. */
function pointRows(rows = Array.from({ length: points.n }, (_, i) => i)) {
  const plain = (x, decimals) => (Number.isFinite(x) ? String(decimals >= 0 && decimals < 20 ? Number(x.toFixed(decimals)) : x) : '');
  const header = ['row', 'name', ...points.axes.map((a) => a.name), ...points.colors.map((c) => c.name)];
  const extra = [['T2', points.t2], ['Q', points.q]].filter(([, values]) => values);
  const line = (i) => [
    rowNumber(i), points.names?.[i] ?? '',
    ...points.axes.map((a) => plain(a.values[i], a.decimals)),
    ...points.colors.map((c) => (c.levels ? c.levels[c.codes[i]] ?? '' : plain(c.values[i], c.decimals))),
    ...extra.map(([, values]) => (Number.isFinite(values[i]) ? Number(values[i].toPrecision(7)) : '')),
  ];
  return [[...header, ...extra.map(([label]) => label)], ...rows.map(line)];
}

/* ---- the map ---- */

const CLASSES = 24;
const COLORS = 16;
/** Rows up to which they are named in the map. */
const LABELED = 60;
const STEPS = 16;
const SHAPES = [
  (x, y, r) => `M${round(x - r)} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0`,
  (x, y, r) => `M${x} ${round(y - 1.25 * r)}l${round(1.15 * r)} ${2 * r}h${round(-2.3 * r)}z`,
  (x, y, r) => `M${round(x - 0.9 * r)} ${round(y - 0.9 * r)}h${round(1.8 * r)}v${round(1.8 * r)}h${round(-1.8 * r)}z`,
  (x, y, r) => `M${x} ${round(y - 1.3 * r)}l${round(1.3 * r)} ${round(1.3 * r)}l${round(-1.3 * r)} ${round(1.3 * r)}l${round(-1.3 * r)} ${round(-1.3 * r)}z`,
  (x, y, r) => `M${x} ${round(y + 1.25 * r)}l${round(1.15 * r)} ${-2 * r}h${round(-2.3 * r)}z`,
];

/** How a class looks: one of sixteen colors, one of five shapes; beyond 24 classes, gray. */
const look = (k) => (k < CLASSES ? { fill: `var(--c${k % COLORS})`, shape: SHAPES[k % 5] } : { fill: 'var(--other)', shape: SHAPES[0] });

/** Ticks at 1, 2 or 5 times a power of ten. */
function ticks([low, high], wanted) {
  const raw = (high - low) / wanted;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = power * [1, 2, 5, 10].find((m) => m * power >= raw);
  const found = [];
  for (let k = Math.ceil(low / step); k * step <= high; k += 1) found.push(k * step);
  return { found, decimals: Math.max(0, -Math.floor(Math.log10(step) + 1e-9)) };
}

class ScoreMap {
  constructor(figure) {
    this.drawing = figure.querySelector('.drawing');
    this.drawing.classList.add('map');
    this.svg = draw('svg', { class: 'live', role: 'img' });
    this.over = draw('svg', { class: 'over', 'aria-hidden': 'true' });
    this.tip = el('div', { class: 'tip', 'aria-hidden': 'true', hidden: '' });
    const about = { tabindex: '0', role: 'application', 'aria-label': 'map of the rows', 'aria-describedby': 'map-keys' };
    this.stage = el('div', { class: 'stage', ...about }, this.svg, this.over, this.tip);
    this.drawing.append(this.stage);
    this.selected = [];
    this.chosen = [];
    this.row = null;
    this.read();
    this.listen();
    new ResizeObserver(() => { if (this.stage.clientWidth !== this.width) this.redraw(); }).observe(this.stage);
  }

  /** The axes and the color from the address, else those of the page. */
  read() {
    for (const key of ['x', 'y', 'color']) {
      const wish = hash().get(key);
      const select = byId(`map-${key}`);
      if (wish !== null && [...select.options].some((option) => option.value === wish)) select.value = wish;
      this[key] = select.value === '' ? null : Number(select.value);
    }
    this.redraw();
  }

  get axes() { return [points.axes[this.x], points.axes[this.y]]; }
  get colorColumn() { return this.color === null ? null : points.colors[this.color]; }

  listen() {
    for (const key of ['x', 'y', 'color']) {
      byId(`map-${key}`).addEventListener('change', (event) => {
        remember('#part-scores', { [key]: event.target.value });
        this.read();
        this.list(this.selected);
      });
    }
    addEventListener('hashchange', () => { if (location.hash.includes('?')) this.read(); });
    this.stage.addEventListener('keydown', (event) => this.onKey(event));
    this.stage.addEventListener('pointerdown', (event) => this.startBox(event));
    this.stage.addEventListener('pointermove', (event) => { if (!this.box) this.point(this.nearest(this.place(event), 14)); });
    this.stage.addEventListener('pointerleave', () => { if (!this.box) this.point(null); });
    this.stage.addEventListener('blur', () => this.point(null));
    byId('map-range').addEventListener('submit', (event) => {
      event.preventDefault();
      const at = (id, none) => { const x = byId(id).valueAsNumber; return Number.isNaN(x) ? none : x; };
      this.select(at('map-x0', -Infinity), at('map-x1', Infinity), at('map-y0', -Infinity), at('map-y1', Infinity));
    });
  }

  redraw() {
    const width = this.stage.clientWidth;
    if (width === 0) return;
    this.width = width;
    const legend = this.legend(width);
    const height = Math.round(Math.min(560, Math.max(300, 0.62 * width))) + legend.height;
    const frame = { right: width - 12, top: legend.height + 8, bottom: height - 52 };
    const [ax, ay] = this.axes;
    this.scaleY = scale(ay.values, frame.bottom, frame.top);
    // The title of the axis, its numbers, and air around them.
    const upward = this.ticksUp(frame);
    const pen = el('canvas').getContext('2d');
    pen.font = '12px system-ui, sans-serif';
    frame.left = Math.max(56, 34 + Math.max(...upward.found.map((t) => pen.measureText(show(t, upward.decimals)).width)));
    this.scaleX = scale(ax.values, frame.left, frame.right);
    this.px = ax.values.map(this.scaleX.at);
    this.py = ay.values.map(this.scaleY.at);
    const order = (values) => Array.from(values.keys()).filter((i) => !Number.isNaN(this.px[i] + this.py[i])).sort((a, b) => values[a] - values[b] || a - b);
    this.byX = order(ax.values);
    this.byY = order(ay.values);
    this.radius = this.byX.length <= 300 ? 5 : this.byX.length <= 2000 ? 4 : 3;
    for (const svg of [this.svg, this.over]) {
      svg.setAttribute('viewBox', `0 0 ${width} ${height}`);
      svg.setAttribute('width', width);
      svg.setAttribute('height', height);
    }
    this.svg.setAttribute('aria-label', clean(`${this.byX.length} rows by ${ax.name} and ${ay.name}`));
    this.svg.replaceChildren(...this.grid(frame, ax, ay), ...this.marks(), ...this.labels(frame), ...legend.nodes);
    this.choose();
  }

  /** Selected rows stay as they are, above the others, which fade. */
  choose() {
    const inside = new Set(this.selected);
    this.svg.classList.toggle('faded', inside.size > 0);
    this.chosen = inside.size > 0 ? this.marks((i) => inside.has(i)) : [];
    this.drawOver();
  }

  ticksUp({ top, bottom }) { return ticks(this.scaleY.range, (bottom - top) / 70); }

  grid(frame, ax, ay) {
    const nodes = [];
    const font = { 'font-family': 'system-ui, sans-serif', 'font-size': '12' };
    const text = (at, said) => nodes.push(draw('text', { fill: 'var(--muted)', ...font, ...at }, said));
    const line = (at, zero) => nodes.push(draw('path', { d: at, stroke: zero ? 'var(--axis)' : 'var(--grid)', fill: 'none' }));
    const { left, right, top, bottom } = frame;
    const tx = ticks(this.scaleX.range, Math.max(4, (right - left) / 110));
    for (const t of tx.found) {
      const x = round(this.scaleX.at(t));
      line(`M${x} ${top}V${bottom}`, t === 0);
      text({ x, y: bottom + 17, 'text-anchor': 'middle' }, show(t, tx.decimals));
    }
    const ty = this.ticksUp(frame);
    for (const t of ty.found) {
      const y = round(this.scaleY.at(t));
      line(`M${left} ${y}H${right}`, t === 0);
      text({ x: left - 8, y: y + 4, 'text-anchor': 'end' }, show(t, ty.decimals));
    }
    const bold = { fill: 'var(--text)', 'font-size': '13', 'font-weight': '600', 'text-anchor': 'middle' };
    text({ ...bold, x: (left + right) / 2, y: bottom + 40 }, title(ax, right - left));
    text({ ...bold, transform: `translate(13 ${(top + bottom) / 2}) rotate(-90)` }, title(ay, bottom - top));
    return nodes;
  }

  /** The class of each row and the looks of the classes; the last one is for rows without a value. */
  classes() {
    const color = this.colorColumn;
    const none = { fill: 'none', stroke: 'var(--axis)', shape: SHAPES[0] };
    if (!color) return { of: () => 0, looks: [look(0)] };
    if (color.levels) {
      const looks = color.levels.slice(0, CLASSES + 1).map((_, k) => look(k));
      return { of: (i) => (color.codes[i] === 65535 ? looks.length : Math.min(color.codes[i], CLASSES)), looks: [...looks, none] };
    }
    const [low, high] = extent(color.values);
    const step = (x) => Math.round(((x - low) / (high - low || 1)) * (STEPS - 1));
    const looks = Array.from({ length: STEPS }, (_, k) => ({ fill: `var(--q${k})`, shape: SHAPES[0] }));
    return { of: (i) => (Number.isNaN(color.values[i]) ? STEPS : step(color.values[i])), looks: [...looks, none] };
  }

  /** Points in batches, a path for each look in a batch: few nodes, and no class hides all others. */
  marks(wanted = () => true) {
    const { of, looks } = this.classes();
    const n = this.byX.length;
    const r = this.radius;
    const paths = new Map();
    const batch = Math.max(200, n / 20);
    let drawn = 0;
    for (let i = 0; i < points.n; i += 1) {
      if (Number.isNaN(this.px[i] + this.py[i]) || !wanted(i)) continue;
      const key = Math.floor(drawn / batch) * 64 + of(i);
      if (!paths.has(key)) paths.set(key, { ...looks[of(i)], d: [] });
      const path = paths.get(key);
      path.d.push(path.shape(round(this.px[i]), round(this.py[i]), r));
      drawn += 1;
    }
    const opacity = n <= 2000 ? 0.85 : 0.6;
    return [...paths.keys()].sort((a, b) => a - b).map((key) => {
      const { fill, stroke, d } = paths.get(key);
      return draw('path', { class: 'marks', d: d.join(''), fill, opacity, stroke: stroke ?? 'var(--ground)', 'stroke-width': n <= 2000 ? 0.8 : 0.3 });
    });
  }

  /** Names beside their points where rows are few: each at the first place that is free, else nowhere. */
  labels({ left, right, top, bottom }) {
    if (!points.names || this.byX.length > LABELED) return [];
    const pen = el('canvas').getContext('2d');
    const font = '12px system-ui, sans-serif';
    pen.font = font;
    const r = this.radius;
    const taken = this.byX.map((i) => [this.px[i] - r, this.py[i] - r, this.px[i] + r, this.py[i] + r]);
    const free = ([x0, y0, x1, y1]) => x0 >= left && x1 <= right && y0 >= top && y1 <= bottom
      && taken.every(([a0, b0, a1, b1]) => x1 < a0 || a1 < x0 || y1 < b0 || b1 < y0);
    const nodes = [];
    for (const i of this.byX) {
      const name = [...clean(points.names[i])];
      const said = name.length > 24 ? `${name.slice(0, 23).join('')}…` : name.join('');
      if (!said.trim()) continue;
      const wide = pen.measureText(said).width;
      const [x, y] = [this.px[i], this.py[i]];
      const places = [[x + r + 4, y - 7], [x - r - 4 - wide, y - 7], [x - wide / 2, y - r - 17], [x - wide / 2, y + r + 3]];
      const place = places.map(([x0, y0]) => [x0, y0, x0 + wide, y0 + 14]).find(free);
      if (!place) continue;
      taken.push(place);
      const at = { x: round(place[0] + wide / 2), y: round(place[1] + 11), 'text-anchor': 'middle', fill: 'var(--text)', style: `font: ${font}; unicode-bidi: plaintext` };
      const halo = { stroke: 'var(--ground)', 'stroke-width': 3, 'stroke-linejoin': 'round', 'paint-order': 'stroke' };
      nodes.push(draw('text', { class: 'label', ...halo, ...at }, said));
    }
    return nodes;
  }

  /** The classes by name, or the scale from low to high; wrapped to the width. */
  legend(width) {
    const color = this.colorColumn;
    if (!color) return { height: 0, nodes: [] };
    const pen = el('canvas').getContext('2d');
    const nodes = [];
    let [x, y] = [0, 14];
    const item = (said, mark, markWidth, bold) => {
      // Measured as it is drawn: what stands for a line break is wider than the canvas takes the break to be.
      const shown = [...clean(said)];
      const cut = shown.length > 32 ? `${shown.slice(0, 31).join('')}…` : shown.join('') || '(empty)';
      pen.font = `${bold ? 600 : 400} 12px system-ui, sans-serif`;
      const wide = markWidth + pen.measureText(cut).width + 18;
      if (x > 0 && x + wide > width) [x, y] = [0, y + 20];
      if (mark) nodes.push(...[mark(x, y - 4)].flat());
      const at = { x: x + markWidth, y, fill: bold ? 'var(--text)' : 'var(--muted)', style: `font: ${pen.font}; unicode-bidi: plaintext` };
      nodes.push(draw('text', at, cut));
      x += wide;
    };
    item(color.name, null, 0, true);
    const dot = ({ fill, stroke, shape }) => (at, up) => draw('path', { d: shape(round(at + 6), round(up), 5), fill, stroke: stroke ?? 'none' });
    const { of, looks } = this.classes();
    if (color.levels) {
      const named = color.levels.slice(0, CLASSES);
      named.forEach((level, k) => item(level, dot(looks[k]), 16));
      if (color.levels.length > CLASSES) item(`${color.levels.length - CLASSES} more`, dot(look(CLASSES)), 16);
    } else {
      const [low, high] = extent(color.values);
      item(show(low, color.decimals), null, 0);
      const bar = (at, up) => looks.slice(0, STEPS).map((one, k) => draw('rect', { x: round(at + 9 * k), y: up - 6, width: 9.2, height: 12, fill: one.fill }));
      item(show(high, color.decimals), bar, 9 * STEPS + 10);
    }
    if (points.axes[0].values.some((_, i) => of(i) === looks.length - 1)) item('no value', dot(looks.at(-1)), 16);
    return { height: y + 12, nodes };
  }

  /** What changes with the pointer, above the points: the row, the selected rows, the box. */
  drawOver() {
    const ring = (i, r) => SHAPES[0](round(this.px[i]), round(this.py[i]), r);
    const nodes = [...this.chosen];
    if (this.row !== null) nodes.push(draw('path', { class: 'here', d: ring(this.row, 9) }));
    if (this.box) {
      const { x0, x1, y0, y1 } = this.box;
      nodes.push(draw('rect', { class: 'box', x: Math.min(x0, x1), y: Math.min(y0, y1), width: Math.abs(x1 - x0), height: Math.abs(y1 - y0) }));
    }
    this.over.replaceChildren(...nodes);
  }

  place(event) {
    const frame = this.svg.getBoundingClientRect();
    return [event.clientX - frame.left, event.clientY - frame.top];
  }

  nearest([x, y], within) {
    let best = null;
    let least = within * within;
    for (const i of this.byX) {
      const distance = (this.px[i] - x) ** 2 + (this.py[i] - y) ** 2;
      if (distance < least) [best, least] = [i, distance];
    }
    return best;
  }

  /** Shows a row, in the drawing and in words; `null` shows none. */
  point(row) {
    if (row === this.row) return;
    this.row = row;
    this.drawOver();
    this.tip.hidden = row === null;
    if (row === null) return;
    const known = facts(row, this.axes, this.colorColumn ? [this.colorColumn] : []);
    byId('map-status').replaceChildren(bdi(rowName(row)), ': ', ...known.flatMap(([label, value], k) => [k ? ', ' : '', bdi(label), ' ', bdi(value)]));
    const list = el('dl', {}, ...known.flatMap(([label, value]) => [el('dt', {}, bdi(label)), el('dd', {}, bdi(value))]));
    this.tip.replaceChildren(el('strong', {}, bdi(rowName(row))), list);
    const [x, y] = [this.px[row], this.py[row]];
    const left = x + 16 + this.tip.offsetWidth > this.width ? x - 16 - this.tip.offsetWidth : x + 16;
    this.tip.style.left = `${Math.max(0, left)}px`;
    this.tip.style.top = `${Math.max(0, y - this.tip.offsetHeight / 2)}px`;
  }

  onKey(event) {
    const walk = (order, by) => {
      const at = order.indexOf(this.row);
      const next = at < 0 ? (by > 0 ? 0 : order.length - 1) : at + by;
      this.point(order[Math.min(order.length - 1, Math.max(0, next))] ?? null);
    };
    const far = Math.ceil(this.byX.length / 20);
    const keys = {
      ArrowRight: () => walk(this.byX, 1),
      ArrowLeft: () => walk(this.byX, -1),
      ArrowUp: () => walk(this.byY, 1),
      ArrowDown: () => walk(this.byY, -1),
      PageUp: () => walk(this.byX, far),
      PageDown: () => walk(this.byX, -far),
      Home: () => walk(this.byX, -Infinity),
      End: () => walk(this.byX, Infinity),
      Enter: () => this.toggle(),
      ' ': () => this.toggle(),
      Escape: () => { this.point(null); this.list([]); },
    };
    if (!keys[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    keys[event.key]();
  }

  toggle() {
    if (this.row === null) return;
    const rest = this.selected.filter((i) => i !== this.row);
    this.list(rest.length < this.selected.length ? rest : [...rest, this.row]);
  }

  /** A box drawn with the pointer; without a drag it is a click on a row. */
  startBox(event) {
    if (event.button !== 0) return;
    const [x0, y0] = this.place(event);
    const follow = (moved) => {
      const [x1, y1] = this.place(moved);
      if (!this.box && Math.hypot(x1 - x0, y1 - y0) < 5) return;
      this.point(null);
      this.box = { x0, y0, x1, y1 };
      this.drawOver();
    };
    const end = (last) => {
      for (const [kind, handler] of [['pointermove', follow], ['pointerup', end], ['pointercancel', end]]) removeEventListener(kind, handler);
      const { box } = this;
      this.box = null;
      if (box && last.type === 'pointerup') this.selectBox(box);
      else this.point(this.nearest([x0, y0], 14));
      this.drawOver();
    };
    for (const [kind, handler] of [['pointermove', follow], ['pointerup', end], ['pointercancel', end]]) addEventListener(kind, handler);
  }

  selectBox({ x0, x1, y0, y1 }) {
    const [xs, ys] = [[x0, x1].map(this.scaleX.back), [y0, y1].map(this.scaleY.back)];
    const range = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
    ['map-x0', 'map-x1', 'map-y0', 'map-y1'].forEach((id, k) => { byId(id).value = Number(range[k].toPrecision(4)); });
    this.select(...range);
  }

  select(x0, x1, y0, y1) {
    const [ax, ay] = this.axes;
    this.list(this.byX.filter((i) => ax.values[i] >= x0 && ax.values[i] <= x1 && ay.values[i] >= y0 && ay.values[i] <= y1));
  }

  /** Lists rows below the map. */
  list(rows) {
    const had = this.selected.length > 0;
    this.selected = rows;
    this.choose();
    const panel = byId('map-selection');
    panel.hidden = rows.length === 0;
    if (rows.length === 0) {
      if (had) byId('map-status').textContent = 'No row selected.';
      return panel.replaceChildren();
    }
    const said = `${rows.length.toLocaleString('en-US')} of ${this.byX.length.toLocaleString('en-US')} rows selected`;
    byId('map-status').replaceChildren(said, ...this.makeUp(rows), '.');
    const csv = () => toCsv(pointRows(rows));
    const copyButton = button('Copy as CSV', () => copy(csv(), copyButton));
    const tools = el('div', { class: 'saves' }, copyButton,
      button('Save CSV', () => save(new Blob([csv()], { type: 'text/csv' }), 'selected-rows.csv')),
      button('Clear', () => { this.list([]); this.stage.focus(); }));
    const frame = { class: 'scroll', role: 'region', tabindex: '0', 'aria-label': 'selected rows' };
    panel.replaceChildren(el('h3', {}, said), tools, el('div', frame, this.table(rows.slice(0, LISTED))));
    if (rows.length > LISTED) panel.append(el('p', { class: 'more' }, `The first ${LISTED}; the CSV has all.`));
    return panel;
  }

  /** The most frequent levels among rows: `: 63 % are 4, 30 % are 1`. */
  makeUp(rows) {
    const color = this.colorColumn;
    if (!color?.levels) return [];
    const count = new Map();
    for (const i of rows) count.set(color.codes[i], (count.get(color.codes[i]) ?? 0) + 1);
    const top = [...count].sort((a, b) => b[1] - a[1]).slice(0, 3);
    return top.flatMap(([code, c], k) => [k ? ', ' : ': ', `${Math.round((100 * c) / rows.length)} % `, bdi((color.levels[code] ?? 'no value') || '(empty)')]);
  }

  table(rows) {
    const color = this.colorColumn ? [this.colorColumn] : [];
    const labels = facts(rows[0], this.axes, color).map(([label]) => label);
    const isText = (k) => k === 2 && color[0]?.levels;
    const head = labels.map((label, k) => el('th', { scope: 'col', class: isText(k) ? '' : 'n' }, bdi(label)));
    const line = (i) => el('tr', {}, el('td', {}, bdi(rowName(i))),
      ...facts(i, this.axes, color).map(([, value], k) => el('td', { class: isText(k) ? '' : 'n' }, bdi(value))));
    const table = el('table', {}, el('thead', {}, el('tr', {}, el('th', { scope: 'col' }, 'row'), ...head)), el('tbody', {}, ...rows.map(line)));
    makeSortable(table);
    return table;
  }
}

/** Rows listed when selected. */
const LISTED = 200;

function extent(values) {
  let [low, high] = [Infinity, -Infinity];
  for (const x of values) {
    if (x < low) low = x;
    if (x > high) high = x;
  }
  return low <= high ? [low, high] : [0, 0];
}

/** Numbers to pixels from `from` to `to` and back, with a little air at both ends. */
function scale(values, from, to) {
  let [low, high] = extent(values);
  const air = (high - low) * 0.04 || Math.abs(high) * 0.1 || 1;
  [low, high] = [low - air, high + air];
  return {
    range: [low, high],
    at: (x) => from + ((x - low) / (high - low)) * (to - from),
    back: (p) => low + ((p - from) / (to - from)) * (high - low),
  };
}

/** An axis with its share, and what it means where there is room. */
function title(axis, room) {
  const share = axis.share === null ? '' : ` (${(100 * axis.share).toFixed(1)} %)`;
  const long = `${axis.name}${share}${axis.words ? `: ${axis.words}` : ''}`;
  const fits = Math.floor(room / 7.2);
  return [...long].length <= fits ? long : `${[...`${axis.name}${share}`].slice(0, fits).join('')}`;
}

if (points && document.querySelector('[data-map]')) {
  root.classList.add('has-map');
  new ScoreMap(document.querySelector('[data-map]'));
  // A reload stays where the reader was.
  const fresh = performance.getEntriesByType('navigation')[0]?.type === 'navigate';
  if (fresh && location.hash.startsWith('#part-scores?')) byId('part-scores').scrollIntoView({ behavior: 'instant' });
}

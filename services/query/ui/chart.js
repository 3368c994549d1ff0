// The series as stacked bars, drawn as SVG.
import { whole } from './page.js';

const width = 960, height = 240, left = 56, right = 8, top = 12, bottom = 28;
const kinds = ['positive', 'neutral', 'negative'];

function shape(name, attributes, text) {
  const made = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== undefined) made.textContent = text;
  return made;
}

// complete adds the buckets that the API leaves out because they are empty.
function complete(buckets, hours, step) {
  const found = new Map(buckets.map((b) => [Date.parse(b.start), b]));
  const now = Date.now(), all = [];
  for (let at = Math.floor((now - hours * 3_600_000) / step) * step; at <= now; at += step) {
    all.push({ positive: 0, neutral: 0, negative: 0, ...found.get(at), at });
  }
  return all;
}

// atLeast is the next 1, 2 or 5 with zeros, so that the scale has round numbers.
function atLeast(n) {
  const ten = 10 ** Math.floor(Math.log10(Math.max(n, 1)));
  return [1, 2, 5, 10].map((f) => f * ten).find((top) => top >= n);
}

const day = 86_400_000;

// named formats the start of a bucket; days are UTC.
export const named = (at, step) => new Date(at).toLocaleString(undefined,
  step >= day ? { dateStyle: 'medium', timeZone: 'UTC' } : { dateStyle: 'medium', timeStyle: 'short' });

// draw shows buckets of step ms over the last hours, and returns them completed.
export function draw(svg, buckets, hours, step) {
  const all = complete(buckets, hours, step);
  const size = (b) => b.positive + b.neutral + b.negative;
  const most = atLeast(Math.max(...all.map(size)));
  const label = new Intl.DateTimeFormat(undefined, step >= day ? { month: 'short', day: 'numeric', timeZone: 'UTC' } : { hour: '2-digit', minute: '2-digit' });
  const x = (i) => left + (i * (width - left - right)) / all.length;
  const y = (n) => height - bottom - (n * (height - top - bottom)) / most;
  const shapes = [];
  for (const n of [0, most / 2, most].filter(Number.isInteger)) {
    shapes.push(shape('line', { x1: left, x2: width - right, y1: y(n), y2: y(n) }));
    shapes.push(shape('text', { x: left - 8, y: y(n) + 4, 'text-anchor': 'end' }, whole(n)));
  }
  const every = Math.ceil(all.length / 8);
  const bar = Math.max(1, x(1) - x(0) - (all.length > 200 ? 0 : 2));
  all.forEach((bucket, i) => {
    const group = shape('g', {});
    let stacked = 0;
    for (const kind of kinds) {
      if (!bucket[kind]) continue;
      group.append(shape('rect', { class: kind, x: x(i), width: bar, y: y(stacked + bucket[kind]), height: y(stacked) - y(stacked + bucket[kind]) }));
      stacked += bucket[kind];
    }
    group.append(shape('title', {}, `${named(bucket.at, step)}: ${kinds.map((k) => `${whole(bucket[k])} ${k}`).join(', ')}`));
    shapes.push(group);
    // Its text needs the width of some bars.
    if (i % every === 0 && x(i) < width - 64) shapes.push(shape('text', { x: x(i), y: height - 8 }, label.format(bucket.at)));
  });
  svg.replaceChildren(...shapes);
  return all;
}

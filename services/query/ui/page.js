// How data gets onto the page. Text is set as text, never as markup.

export const byId = (id) => document.getElementById(id);

// element makes one with a class, a text and children.
export function element(name, { look, text, children = [], ...attributes } = {}) {
  const made = document.createElement(name);
  if (look) made.className = look;
  if (text !== undefined) made.textContent = text;
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

// fill brings the children of a list to the given things, by their keys. One
// whose version is unchanged is kept as it is, with the focus that it may have.
// The element named empty is shown when there is none.
export function fill(list, things, { key, version, make, empty }) {
  const old = new Map(Array.from(list.children, (child) => [child.dataset.key, child]));
  const next = things.map((thing) => {
    const id = String(key(thing)), is = String(version(thing));
    let child = old.get(id);
    if (child?.dataset.version !== is) child = make(thing);
    child.dataset.key = id;
    child.dataset.version = is;
    return child;
  });
  const stays = new Set(next);
  for (const child of Array.from(list.children)) if (!stays.has(child)) child.remove();
  next.forEach((child, i) => {
    if (list.children[i] !== child) list.insertBefore(child, list.children[i] ?? null);
  });
  if (empty) empty.hidden = things.length > 0;
}

// complain shows an error; no error removes it.
export function complain(place, message = '') {
  if (place.textContent !== message) place.textContent = message;
  place.hidden = message === '';
}

export const whole = (n) => n.toLocaleString();
export const percent = (part, all) => (all ? part / all : 0).toLocaleString(undefined, { style: 'percent', maximumFractionDigits: 1 });

// moment is a time as this browser's user writes it.
export function moment(iso) {
  const at = new Date(iso);
  return element('time', { datetime: iso, text: at.toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'medium' }) });
}

const soonest = 700; // ms: an outcome arrives before the totals include it
const pauses = [2000, 4000, 8000, 16_000]; // ms between reads after an event; the minimum between any two reads

// refresher reads at once; or soon after something happened, and a few times
// more, since the numbers follow later when their projection is being taken over
// by another process; and once a minute, since windows move on.
export function refresher(load) {
  let timer, due, last = 0, step = pauses.length, reading = 0;
  const plan = (after) => {
    const at = Date.now() + after;
    if (reading || (timer && due <= at)) return;
    clearTimeout(timer);
    due = at;
    timer = setTimeout(run, after);
  };
  const run = async () => {
    clearTimeout(timer);
    timer = undefined;
    last = Date.now();
    reading++;
    await load();
    reading--;
    if (step < pauses.length) plan(pauses[step++]);
  };
  setInterval(() => document.hidden || plan(0), 60_000);
  return {
    now: run,
    soon() {
      step = 0;
      plan(Math.max(soonest, last + pauses[0] - Date.now()));
    },
  };
}

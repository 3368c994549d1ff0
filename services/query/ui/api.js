// What the page asks of the HTTP API: every call, by method and path as
// /openapi.json has them.
const calls = {
  summary: ['GET', '/v1/feed/summary'],
  series: ['GET', '/v1/feed/series'],
  items: ['GET', '/v1/feed/items'],
  feedEvents: ['GET', '/v1/feed/events'],
  files: ['GET', '/v1/owners/{ownerId}/files'],
  file: ['GET', '/v1/files/{id}'],
  content: ['GET', '/v1/files/{id}/content'],
  fileEvents: ['GET', '/v1/events'],
  upload: ['POST', '/v1/files'],
};

// owner is an anonymous id that this browser keeps.
export const owner = (() => {
  const fresh = () => 'web-' + Array.from(crypto.getRandomValues(new Uint8Array(16)), (b) => b.toString(16).padStart(2, '0')).join('');
  try {
    let kept = localStorage.getItem('assay-owner');
    if (!kept) localStorage.setItem('assay-owner', kept = fresh());
    return kept;
  } catch {
    return fresh(); // a browser that keeps nothing
  }
})();

// setOwner makes another owner the one that this browser keeps, and reads the page again.
export function setOwner(id) {
  localStorage.setItem('assay-owner', id);
  location.reload();
}

// address is the path of a call, its {names} filled in, with the query's values
// that are not empty.
export function address(name, names = {}, query = {}) {
  const path = calls[name][1].replace(/\{(\w+)\}/g, (_, key) => encodeURIComponent(names[key]));
  const set = Object.entries(query).filter(([, value]) => value !== '');
  return set.length ? path + '?' + new URLSearchParams(set) : path;
}

// call returns the JSON of a response. It throws an Error with a message for the
// can do about it.
export async function call(name, { names, query, body } = {}) {
  let answer;
  try {
    answer = await fetch(address(name, names, query), { method: calls[name][0], body, headers: { 'X-Owner-Id': owner } });
  } catch {
    throw new Error('Assay does not answer.');
  }
  const said = await answer.json().catch(() => ({}));
  if (answer.ok) return said;
  if (name === 'upload' && (answer.status === 404 || answer.status === 405)) throw new Error('This address takes no uploads.');
  const fields = (said.errors ?? []).map((e) => `${e.field ?? ''} ${e.message ?? ''}`.trim());
  throw new Error([said.detail ?? said.title ?? `Assay answers ${answer.status}.`, ...fields].join(' '));
}

const comeBack = 5000; // ms, after a response that a browser does not try again

// follow calls changed with each event of a stream, and tell with whether the
// stream is open. The browser resumes a broken stream by itself, with the id of
// the last event. A hidden page holds no stream: when it becomes visible
// again, the stream's first event makes it read everything again.
export function follow(name, query, changed, tell) {
  let source, later;
  const close = () => {
    clearTimeout(later);
    source?.close();
    source = undefined;
  };
  const open = () => {
    close();
    source = new EventSource(address(name, {}, query));
    for (const kind of ['ready', 'resync', 'completed', 'failed']) source.addEventListener(kind, changed);
    source.onopen = () => {
      tell(true);
      changed(); // a resumed stream sends no event of its own
    };
    source.onerror = () => {
      tell(false);
      if (source.readyState === EventSource.CLOSED) later = setTimeout(open, comeBack);
    };
  };
  document.addEventListener('visibilitychange', () => (document.hidden ? close() : open()));
  if (!document.hidden) open();
}

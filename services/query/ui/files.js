// Text files: upload, and the results of this browser's owner.
import { address, call, follow, owner, setOwner } from './api.js';
import { byId, complain, element, fill, moment, refresher, whole } from './page.js';

const shownFiles = 10;
const says = { PENDING: 'waiting', IN_PROGRESS: 'being analyzed', COMPLETED: 'done', FAILED: 'failed' };

async function load() {
  try {
    const { files } = await call('files', { names: { ownerId: owner }, query: { limit: shownFiles } });
    fill(byId('files'), files, { key: (f) => f.fileId, version: (f) => f.status + f.updatedAt, make: row, empty: byId('files-none') });
    complain(byId('files-error'));
  } catch (error) {
    complain(byId('files-error'), error.message);
  }
}

function row(file) {
  const about = element('p', {
    children: [
      element('strong', { children: [element('bdi', { text: file.fileName })] }), ' ', element('span', { look: `badge ${file.status}`, text: says[file.status] ?? file.status }),
      ' ', moment(file.createdAt), ' ',
      element('a', { href: address('content', { id: file.fileId }), text: 'download', 'aria-label': `download ${file.fileName}` }),
    ],
  });
  const item = element('li', { children: [about] });
  if (file.errorMessage) item.append(element('p', { look: 'error', text: file.errorMessage }));
  if (file.status === 'COMPLETED') item.append(words(file));
  return item;
}

// words shows the result, which lists omit: it is read on demand.
function words(file) {
  const place = element('p', { text: 'Reading …' });
  const details = element('details', { children: [element('summary', { text: 'Words' }), place] });
  details.addEventListener('toggle', async () => {
    if (!details.open) return;
    try {
      const { result } = await call('file', { names: { id: file.fileId } });
      const top = result.top10Words.map((w) => `${w.word} (${whole(w.count)})`).join(', ');
      place.textContent = `${whole(result.totalWords)} words, ${whole(result.uniqueWords)} different, ` +
        `${result.avgWordLength} characters on average. ${top && 'Most frequent: ' + top}`;
    } catch (error) {
      place.textContent = error.message;
    }
  });
  return details;
}

const refresh = refresher(load);
byId('upload').addEventListener('submit', async (event) => {
  event.preventDefault();
  const form = event.target, state = byId('upload-state'), button = form.querySelector('button');
  const [file] = form.elements.file.files;
  if (!file) return;
  const body = new FormData();
  body.append('file', file);
  button.disabled = true;
  state.textContent = `Uploading ${file.name} …`;
  try {
    await call('upload', { body });
    state.textContent = `${file.name} is uploaded.`;
    form.reset();
  } catch (error) {
    state.textContent = `${file.name} is not uploaded: ${error.message}`;
  }
  button.disabled = false;
  refresh.soon();
});
byId('owner-id').value = owner;
byId('owner').addEventListener('submit', (event) => {
  event.preventDefault();
  setOwner(byId('owner-id').value.trim());
});
follow('fileEvents', { owner }, refresh.soon, () => {});
refresh.now();

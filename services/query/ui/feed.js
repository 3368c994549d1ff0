// The feed: numbers, series, tags and recent items, kept up to date by its live
// events.
import { call, follow } from './api.js';
import { draw, named } from './chart.js';
import { byId, complain, element, fill, moment, percent, refresher, whole } from './page.js';

const buckets = { 1: ['1m', 60_000], 24: ['1h', 3_600_000], 168: ['1d', 86_400_000] };
const shownTags = 30, shownItems = 15;

let tag = '', reading = 0;

async function load() {
  const mine = ++reading;
  const hours = byId('hours').value, [bucket, step] = buckets[hours];
  try {
    const [summary, series, list] = await Promise.all([
      call('summary', { query: { hours } }),
      call('series', { query: { hours, bucket, tag } }),
      call('items', { query: { hours, tag, sentiment: byId('sentiment').value, limit: shownItems } }),
    ]);
    if (mine !== reading) return; // another window or filter has been chosen
    showNumbers(summary);
    showSeries(series.buckets, Number(hours), step);
    showTags(summary.tags);
    showItems(list.items);
    complain(byId('feed-error'));
  } catch (error) {
    if (mine === reading) complain(byId('feed-error'), error.message);
  }
}

function showNumbers({ total, sentiment, rate }) {
  byId('total').textContent = whole(total);
  byId('last-hour').textContent = whole(rate.lastHour);
  byId('last-day').textContent = whole(rate.last24h);
  for (const kind of ['positive', 'neutral', 'negative']) {
    byId(kind).textContent = `${whole(sentiment[kind])} (${percent(sentiment[kind], total)})`;
    byId('distribution').querySelector('.' + kind).style.flexGrow = sentiment[kind];
  }
}

function showSeries(given, hours, step) {
  const all = draw(byId('series'), given, hours, step);
  byId('series-title').textContent = tag ? `Over time: ${tag}` : 'Over time';
  const most = all.reduce((a, b) => (b.positive + b.neutral + b.negative > a.positive + a.neutral + a.negative ? b : a));
  const items = most.positive + most.neutral + most.negative;
  byId('series-says').textContent = items ? `The most are ${whole(items)} items from ${named(most.at, step)}.` : 'There are no items in this window.';
  fill(byId('series-rows'), given.toReversed(), {
    key: (b) => b.start,
    version: (b) => step + JSON.stringify(b),
    make: (b) => element('tr', {
      children: [
        element('th', { scope: 'row', text: named(b.start, step) }),
        ...[b.positive, b.neutral, b.negative, b.averageCompound].map((n) => element('td', { text: whole(n) })),
      ],
    }),
  });
}

function showTags(counts) {
  const shown = counts.slice(0, shownTags);
  if (tag && !shown.some((c) => c.tag === tag)) shown.push(counts.find((c) => c.tag === tag) ?? { tag, count: 0 });
  fill(byId('tags'), shown, {
    key: (c) => c.tag,
    version: () => '', // its button is changed below, and keeps the focus
    make: (c) => {
      const button = element('button', { look: 'tag' });
      button.type = 'button';
      button.addEventListener('click', () => {
        tag = tag === c.tag ? '' : c.tag;
        refresh.now();
      });
      return element('li', { children: [button] });
    },
    empty: byId('tags-none'),
  });
  shown.forEach((c, i) => {
    const button = byId('tags').children[i].firstChild;
    button.replaceChildren(element('bdi', { text: c.tag }), ` (${whole(c.count)})`);
    button.setAttribute('aria-pressed', String(c.tag === tag));
  });
}

function showItems(items) {
  byId('items-title').textContent = tag ? `Recent items: ${tag}` : 'Recent items';
  fill(byId('items'), items, {
    key: (i) => i.sourceId,
    version: (i) => JSON.stringify(i),
    make: (i) => {
      const about = element('p', {
        look: 'soft',
        children: [
          element('span', { look: `badge ${i.sentiment}`, text: i.sentiment }),
          ` ${percent(i.score, 1)} · compound ${i.compound.toFixed(2)} · ${i.sourceType} · `, moment(i.ingestedAt),
          ...(!i.language || ['en', 'und'].includes(i.language) ? [] : [` · not rated: the language is ${i.language}`]),
        ],
      });
      // The API takes https only; a page must not rely on that.
      if (i.sourceUrl?.startsWith('https://')) {
        about.append(' · ', element('a', { href: i.sourceUrl, rel: 'noopener noreferrer nofollow', text: 'source', 'aria-label': `source of ${i.sourceId}` }));
      }
      return element('li', { children: [element('p', { children: [element('bdi', { text: i.textSnippet || i.sourceId })] }), about, element('p', { look: 'soft', children: i.matchedTags.flatMap((t, n) => [n ? ', ' : '', element('bdi', { text: t })]) })] });
    },
    empty: byId('items-none'),
  });
}

const refresh = refresher(load);
byId('hours').addEventListener('change', refresh.now);
byId('sentiment').addEventListener('change', refresh.now);
follow('feedEvents', {}, refresh.soon, (open) => {
  byId('state').textContent = open ? 'Live' : 'Connecting again …';
});
refresh.now();

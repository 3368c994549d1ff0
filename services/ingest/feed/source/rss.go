package source

import (
	"cmp"
	"context"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/assay-project/assay/pkg/feed"
	"github.com/assay-project/assay/services/ingest/feed/source/syndication"
)

// pollRSS reads the entries of a feed, unless the feed is unchanged. If the URL is that of a web page, it reads the feed
// that the page names.
func (p *Poller) pollRSS(ctx context.Context, c claimed) report {
	r := report{requests: 1}
	got, err := syndication.Read(ctx, p.client, cmp.Or(c.State.Location, c.Settings.URL), c.State.Validators)
	r.location = cmp.Or(got.Moved, c.State.Location)
	if page := got.Alternate; page != "" && r.requests < c.requests {
		r.requests++
		got, err = syndication.Read(ctx, p.client, page, syndication.Validators{})
		r.location = cmp.Or(got.Moved, page)
	}
	r.validators, r.unchanged, r.damaged, r.counted = got.Validators, got.Unchanged, got.Damaged, r.requests
	if got.Unchanged {
		r.counted--
	}
	if err != nil {
		r.err = err
		return r
	}
	var items []feed.Submission
	for _, entry := range got.Entries {
		if item, dropped, ok := rssItem(entry, c.Source, got.Title, p.now()); ok {
			items = append(items, item)
			r.taken.TagsDropped += dropped
		} else {
			r.taken.Skipped++
		}
	}
	r.err = p.take(ctx, c.Name, &r, items)
	return r
}

// rssItem returns the item for an entry, and the number of matching tags that were dropped. ok is
// false if the entry has no text or matches none of the tags.
func rssItem(e syndication.Entry, source Source, title string, now time.Time) (item feed.Submission, dropped int, ok bool) {
	s := source.Settings
	tags := s.Tags
	if s.Match != MatchAll {
		text := plain(e.Title) + "\n" + plain(e.Summary)
		tags = slices.DeleteFunc(slices.Clone(s.Tags), func(tag string) bool {
			return !feed.Mentions(text, tag) && !slices.ContainsFunc(e.Categories, func(c string) bool { return strings.EqualFold(c, tag) })
		})
	}
	if len(tags) == 0 {
		return feed.Submission{}, 0, false
	}
	item, ok = found{
		id: entryID(e, s.URL), kind: KindRSS, title: e.Title, summary: e.Summary, link: e.Link,
		author: e.Author, sourceName: title, published: e.Published, tags: tags,
	}.item(source.Added, now)
	return item, len(tags) - len(item.MatchedTags), ok
}

// entryID returns an id that is the same in all feeds that contain the entry. An id that is not a
// URL identifies the entry only within its feed.
func entryID(e syndication.Entry, feedURL string) string {
	id := syndication.Canonical(cmp.Or(e.ID, e.Link))
	if id == "" {
		id = e.Title + "\n" + e.Published.UTC().String()
	}
	if u, err := url.Parse(id); err == nil && u.Host != "" || strings.HasPrefix(id, "urn:uuid:") {
		return id
	}
	return syndication.Canonical(feedURL) + "\n" + id
}

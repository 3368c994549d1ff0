package source

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/assay-project/assay/pkg/feed"
	"github.com/assay-project/assay/services/ingest/feed/source/newsapi"
	"github.com/assay-project/assay/services/ingest/feed/source/syndication"
)

const (
	// newsLookback is the period that the first search for a tag covers. With free keys, articles
	// are available a day late.
	newsLookback = 48 * time.Hour
	// newsOverlap is the period before the newest known article that each search covers again, since
	// articles may not become available in the order of their publication.
	newsOverlap = time.Hour
)

// pollNewsAPI searches for each tag, beginning with the least recently searched one. If the quota is too
// low for all tags, it takes several polls to search them.
func (p *Poller) pollNewsAPI(ctx context.Context, c claimed) report {
	r := report{watched: map[string]Watched{}}
	secret := p.Key(c.Settings.Key)
	if secret == "" {
		r.err = errNoKey.Fill(c.Settings.Key)
		return r
	}
	tags := slices.Clone(c.Settings.Tags)
	slices.SortStableFunc(tags, func(a, b string) int {
		return c.State.Watched[a].Polled.Compare(c.State.Watched[b].Polled)
	})
	for _, tag := range tags {
		if r.requests == c.requests {
			break
		}
		watched, err := p.searchNews(ctx, c, secret, tag, &r)
		if err != nil {
			r.err = err
			break
		}
		r.watched[tag] = watched
	}
	r.counted = r.requests
	return r
}

// searchNews reads the articles for one tag since the last search, newest first. It skips articles
// beyond the last page that the settings and the plan allow.
func (p *Poller) searchNews(ctx context.Context, c claimed, secret, tag string, r *report) (Watched, error) {
	now := time.Now().UTC()
	seen := c.State.Watched[tag]
	from := now.Add(-newsLookback)
	if !seen.Newest.IsZero() {
		from = seen.Newest.Add(-newsOverlap)
	}
	read, total := 0, 0
	for page := 1; page <= c.Settings.Pages && r.requests < c.requests; page++ {
		r.requests++
		got, err := newsapi.Search{
			Endpoint: c.Settings.URL, Key: secret, Phrase: tag, Language: c.Settings.Language, From: from, Page: page,
		}.Do(ctx, p.client)
		if errors.Is(err, newsapi.ErrEnd) && page > 1 {
			break
		}
		if err != nil {
			return Watched{}, err
		}
		var items []feed.Submission
		for _, article := range got.Articles {
			if item, ok := newsItem(article, tag, c.Added, now); ok {
				items = append(items, item)
			} else {
				r.taken.Skipped++
			}
			if at := article.PublishedAt; at.After(seen.Newest) && at.Before(now) {
				seen.Newest = at.UTC()
			}
		}
		if err := p.take(ctx, c.Name, r, items); err != nil {
			return Watched{}, err
		}
		read, total = read+len(got.Articles), got.Total
		// A page can have fewer articles than its size, for example if some were withdrawn.
		if len(got.Articles) == 0 || page*newsapi.PageSize >= got.Total {
			break
		}
	}
	r.taken.Skipped += max(0, total-read)
	seen.Polled = now
	return seen, nil
}

// withdrawn is the API's placeholder for withdrawn articles, which all have
// the same URL.
const withdrawn = "[Removed]"

func newsItem(a newsapi.Article, tag string, added, now time.Time) (feed.Submission, bool) {
	id := syndication.Canonical(a.URL)
	if a.URL == "" {
		id = a.Title + "\n" + a.PublishedAt.UTC().Format(time.RFC3339)
	}
	if a.Title == withdrawn {
		return feed.Submission{}, false
	}
	return found{
		id: id, kind: KindNewsAPI, title: a.Title, summary: a.Description, link: a.URL,
		author: a.Author, sourceName: a.Source.Name, published: a.PublishedAt, tags: []string{tag},
	}.item(added, now)
}

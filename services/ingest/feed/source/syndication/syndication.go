// Package syndication reads the feeds of websites: RSS, Atom and JSON Feed.
package syndication

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/mmcdole/gofeed"

	"github.com/assay-project/assay/pkg/guard/fetch"
)

// Validators identify the version of a feed. With them, a server can respond that the feed has not
// changed.
type Validators struct {
	ETag     string `json:"etag,omitempty"`
	Modified string `json:"modified,omitempty"`
}

// Entry is an entry of a feed. Its texts may contain HTML.
type Entry struct {
	ID                           string // as in the feed; empty if it has none, or one that other entries share
	Link, Title, Summary, Author string
	Categories                   []string
	Published                    time.Time // zero if the feed does not state it
}

// Feed is the content of a feed. It has no entries if it is Unchanged.
type Feed struct {
	Title      string
	Entries    []Entry
	Validators Validators
	Unchanged  bool
	// Damaged means that the document is cut off or damaged. Entries then has only its whole entries, and
	// there are no Validators.
	Damaged bool
	// Moved is the new URL of the feed if the server redirects permanently, and otherwise empty.
	Moved string
	// Alternate is the URL of the feed if the document is a web page that names one.
	Alternate string
}

const accept = "application/atom+xml, application/rss+xml, application/feed+json, application/xml;q=0.9, text/xml;q=0.9, */*;q=0.5"

// Read fetches a feed, unless it is unchanged according to the validators. It returns the errors of
// package fetch; for a web page, that is fetch.ErrMalformed with the Alternate.
func Read(ctx context.Context, client fetch.Client, url string, seen Validators) (Feed, error) {
	header := http.Header{"Accept": {accept}}
	if seen.ETag != "" {
		header.Set("If-None-Match", seen.ETag)
	}
	if seen.Modified != "" {
		header.Set("If-Modified-Since", seen.Modified)
	}
	resp, err := client.Get(ctx, fetch.Request{URL: url, Header: header})
	if err == nil {
		err = resp.Err("")
	}
	switch {
	case err != nil:
		return Feed{}, err
	case resp.Status == http.StatusNotModified:
		return Feed{Unchanged: true, Validators: seen, Moved: resp.Moved}, nil
	}
	body, err := unpacked(resp.Body, client.MaxBody)
	if err != nil {
		return Feed{}, err
	}
	feed, err := parse(body, resp.Header.Get("Content-Type"), resp.URL)
	if err == nil && !feed.Damaged {
		feed.Validators = Validators{ETag: resp.Header.Get("ETag"), Modified: resp.Header.Get("Last-Modified")}
	}
	feed.Moved = resp.Moved
	return feed, err
}

// parse parses the document at a URL. It returns fetch.ErrMalformed if the document is not a feed, with the Alternate of
// a web page.
func parse(body []byte, contentType, at string) (Feed, error) {
	document := prepared(body, contentType)
	parser := gofeed.NewParser()
	parser.RSSTranslator = permalinks{}
	parsed, err := parser.Parse(bytes.NewReader(document))
	damaged := false
	if err != nil {
		if rest := salvaged(document); rest != nil {
			if saved, again := parser.Parse(bytes.NewReader(rest)); again == nil {
				parsed, err, damaged = saved, nil, true
			}
		}
	}
	if err != nil {
		return Feed{Alternate: alternate(document, at)}, fmt.Errorf("%w: the document is not a feed: %w", fetch.ErrMalformed, err)
	}
	feed := Feed{Title: parsed.Title, Damaged: damaged}
	base := linkBase(parsed, at)
	for _, item := range parsed.Items {
		if item != nil {
			feed.Entries = append(feed.Entries, entry(item, base))
		}
	}
	dropShared(feed.Entries)
	return feed, nil
}

func entry(item *gofeed.Item, base *url.URL) Entry {
	e := Entry{
		ID: item.GUID, Link: resolved(base, item.Link), Title: item.Title, Summary: item.Description, Categories: item.Categories,
	}
	if e.Summary == "" {
		e.Summary = item.Content
	}
	if len(item.Authors) > 0 && item.Authors[0] != nil {
		e.Author = item.Authors[0].Name
	}
	for _, at := range []struct {
		parsed *time.Time
		text   string
	}{{item.PublishedParsed, item.Published}, {item.UpdatedParsed, item.Updated}} {
		switch {
		case !e.Published.IsZero():
		case at.parsed != nil && at.parsed.Year() > 0:
			e.Published = *at.parsed
		default:
			e.Published = date(at.text)
		}
	}
	return e
}

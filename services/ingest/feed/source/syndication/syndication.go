// Package syndication reads the feeds of websites: RSS, Atom and JSON Feed.
package syndication

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
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
	ID                           string // as in the feed; may be empty
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
}

const accept = "application/atom+xml, application/rss+xml, application/feed+json, application/xml;q=0.9, text/xml;q=0.9, */*;q=0.5"

// Read fetches a feed, unless it is unchanged according to the validators. It returns the errors of
// package fetch.
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
		return Feed{Unchanged: true, Validators: seen}, nil
	}
	feed, err := parse(resp.Body, resp.Header.Get("Content-Type"))
	feed.Validators = Validators{ETag: resp.Header.Get("ETag"), Modified: resp.Header.Get("Last-Modified")}
	return feed, err
}

// parse parses a document. It returns fetch.ErrMalformed if the document is not a feed.
func parse(body []byte, contentType string) (Feed, error) {
	parsed, err := gofeed.NewParser().Parse(bytes.NewReader(inUTF8(body, contentType)))
	if err != nil {
		return Feed{}, fmt.Errorf("%w: the document is not a feed: %w", fetch.ErrMalformed, err)
	}
	feed := Feed{Title: parsed.Title}
	for _, item := range parsed.Items {
		if item != nil {
			feed.Entries = append(feed.Entries, entry(item))
		}
	}
	return feed, nil
}

func entry(item *gofeed.Item) Entry {
	e := Entry{ID: item.GUID, Link: item.Link, Title: item.Title, Summary: item.Description, Categories: item.Categories}
	if e.Summary == "" {
		e.Summary = item.Content
	}
	if len(item.Authors) > 0 && item.Authors[0] != nil {
		e.Author = item.Authors[0].Name
	}
	for _, at := range []*time.Time{item.PublishedParsed, item.UpdatedParsed} {
		if at != nil && e.Published.IsZero() {
			e.Published = *at
		}
	}
	return e
}

// Package syndication reads the feeds of websites: RSS, Atom and JSON Feed.
package syndication

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/assay-project/assay/pkg/guard/fetch"
)

// Validators identify the version of a feed. With them, a server can respond that the feed has not
// changed.
type Validators struct {
	ETag     string `json:"etag,omitempty"`
	Modified string `json:"modified,omitempty"`
}

// Entry is an entry of a feed. Its title and its summary are HTML.
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
	prolog, document := prepared(body, contentType)
	base, err := url.Parse(at)
	if err != nil {
		base = &url.URL{}
	}
	var feed Feed
	if isJSON(document) {
		feed, err = parseJSON(document)
	} else {
		feed, err = parseXML(prolog, document, base)
	}
	if err != nil {
		return Feed{Alternate: alternate(document, at)}, err
	}
	dropShared(feed.Entries)
	return feed, nil
}

// parseXML parses a document in RSS or Atom.
func parseXML(prolog, document []byte, at *url.URL) (Feed, error) {
	read := elements{tokens: newTokens(document, entities(prolog)), at: at}
	if !read.read() {
		return Feed{}, fmt.Errorf("%w: the document is not a feed", fetch.ErrMalformed)
	}
	if read.damaged && len(read.entries) == 0 {
		return Feed{}, fmt.Errorf("%w: the feed is cut off or damaged before its first entry", fetch.ErrMalformed)
	}
	feed := Feed{Title: read.channel.title, Damaged: read.damaged}
	base := at
	if read.root != "feed" {
		base = site(read.channel, at)
	}
	for _, f := range read.entries {
		feed.Entries = append(feed.Entries, f.result(base))
	}
	return feed, nil
}

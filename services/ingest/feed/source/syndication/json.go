package syndication

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"html"
	"strings"
	"time"

	"github.com/assay-project/assay/pkg/guard/fetch"
)

// jsonPerson is an author in JSON Feed.
type jsonPerson struct {
	Name string `json:"name"`
}

// jsonItem is an entry of JSON Feed.
type jsonItem struct {
	ID          json.RawMessage `json:"id"` // publishers also write numbers
	URL         string          `json:"url"`
	ExternalURL string          `json:"external_url"`
	Title       string          `json:"title"`
	Summary     string          `json:"summary"`
	HTML        string          `json:"content_html"`
	Text        string          `json:"content_text"`
	Published   string          `json:"date_published"`
	Modified    string          `json:"date_modified"`
	Tags        []string        `json:"tags"`
	Author      jsonPerson      `json:"author"` // of version 1
	Authors     []jsonPerson    `json:"authors"`
}

// parseJSON parses a JSON Feed. Its texts, except content_html, are not HTML.
func parseJSON(document []byte) (Feed, error) {
	var parsed struct {
		Title string      `json:"title"`
		Items []*jsonItem `json:"items"`
	}
	if err := json.Unmarshal(bytes.TrimPrefix(document, []byte("\ufeff")), &parsed); err != nil {
		return Feed{}, fmt.Errorf("%w: the document is not a JSON Feed: %w", fetch.ErrMalformed, err)
	}
	feed := Feed{Title: html.EscapeString(parsed.Title)}
	for _, item := range parsed.Items {
		if item != nil {
			feed.Entries = append(feed.Entries, item.entry())
		}
	}
	return feed, nil
}

func (i *jsonItem) entry() Entry {
	e := Entry{
		ID: identifier(i.ID), Link: cmp.Or(i.URL, i.ExternalURL), Title: html.EscapeString(i.Title), Categories: i.Tags, Author: i.Author.Name,
		Summary: cmp.Or(html.EscapeString(i.Summary), i.HTML, html.EscapeString(i.Text)),
	}
	if len(i.Authors) > 0 {
		e.Author = i.Authors[0].Name
	}
	e.Published = firstDate(i.Published, i.Modified)
	return e
}

// identifier returns a string, or the digits of a number.
func identifier(raw json.RawMessage) string {
	var text string
	if err := json.Unmarshal(raw, &text); err == nil {
		return text
	}
	return strings.TrimSpace(string(raw))
}

// firstDate returns the time of the first text that is a date.
func firstDate(texts ...string) time.Time {
	for _, text := range texts {
		if at := date(text); !at.IsZero() {
			return at
		}
	}
	return time.Time{}
}

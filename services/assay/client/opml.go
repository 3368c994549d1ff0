package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
)

// opmlType is the media type of OPML.
const opmlType = "text/x-opml"

// ImportedFeed is an outline of an OPML file.
type ImportedFeed struct {
	Name    string   `json:"name,omitempty"` // of the source
	Title   string   `json:"title,omitempty"`
	URL     string   `json:"url"`
	Reasons []string `json:"reasons,omitempty"` // why it was refused
}

// FeedImport is the result of an import.
type FeedImport struct {
	Created  []ImportedFeed `json:"created"`
	Existing []ImportedFeed `json:"existing"`
	Refused  []ImportedFeed `json:"refused"`
}

// FeedImportSettings are settings of the sources that an import adds. Empty ones have the server's defaults.
type FeedImportSettings struct {
	Tags            []string
	Match, Interval string
}

// ImportFeeds adds a source for each feed of an OPML file.
func (c *Client) ImportFeeds(ctx context.Context, document []byte, s FeedImportSettings) (FeedImport, error) {
	query := url.Values{}
	for _, tag := range s.Tags {
		query.Add("tags", tag)
	}
	for name, value := range map[string]string{"match": s.Match, "interval": s.Interval} {
		if value != "" {
			query.Set(name, value)
		}
	}
	var imported FeedImport
	err := c.do(ctx, call{
		method: http.MethodPost, path: join("feed", "opml"), query: query, header: http.Header{"Content-Type": {opmlType}}, raw: document,
	}, &imported)
	return imported, err
}

// ExportFeeds returns an OPML file with all sources of kind rss.
func (c *Client) ExportFeeds(ctx context.Context) ([]byte, error) {
	resp, err := c.open(ctx, call{method: http.MethodGet, path: join("feed", "opml"), header: http.Header{"Accept": {opmlType}}})
	if err != nil {
		return nil, err
	}
	document, err := io.ReadAll(resp.Body)
	if err := errors.Join(err, resp.Body.Close()); err != nil {
		return nil, fmt.Errorf("read the response: %w", err)
	}
	return document, nil
}

package client

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// Reanalysis selects items of the feed that an older model analyzed. The zero value selects all.
type Reanalysis struct {
	Since  time.Time `json:"since,omitzero"`   // ingested at or after this time
	DryRun bool      `json:"dryRun,omitempty"` // only count the items
	Cursor string    `json:"cursor,omitempty"` // NextCursor of the previous page
}

// ReanalysisPage is the result for one page of items.
type ReanalysisPage struct {
	ModelVersion string          `json:"modelVersion"` // version of the model that will analyze the outdated items
	Outdated     []OutdatedItems `json:"outdated"`
	Current      int             `json:"current"` // items analyzed by ModelVersion
	Waiting      int             `json:"waiting"` // items already waiting for analysis before the call
	Unreadable   int             `json:"unreadable"`
	NextCursor   string          `json:"nextCursor,omitempty"` // empty on the last page
}

// OutdatedItems is the number of items that an older model analyzed.
type OutdatedItems struct {
	ModelVersion string `json:"modelVersion"`
	Items        int    `json:"items"`
}

// Reanalyze marks one page of outdated items of the feed for analysis by the current model. It is
// idempotent. The call is available only at a server's operator address.
func (c *Client) Reanalyze(ctx context.Context, r Reanalysis) (ReanalysisPage, error) {
	var page ReanalysisPage
	err := c.do(ctx, call{method: http.MethodPost, path: join("feed", "reanalyze"), body: r}, &page)
	return page, err
}

// FeedItem is an item of the feed.
type FeedItem struct {
	SourceID     string         `json:"sourceId"`
	SourceType   string         `json:"sourceType"`
	IngestedAt   time.Time      `json:"ingestedAt"`
	PublishedAt  time.Time      `json:"publishedAt,omitzero"`
	SourceURL    string         `json:"sourceUrl,omitempty"`
	TextSnippet  string         `json:"textSnippet"`
	MatchedTags  []string       `json:"matchedTags"`
	Metadata     map[string]any `json:"metadata,omitempty"`    // not in lists
	Status       string         `json:"status"`                // pending or analyzed
	Language     string         `json:"language,omitempty"`    // ISO 639-1; und if the language could not be detected reliably
	Unsupported  bool           `json:"unsupported,omitempty"` // the sentiment of the language is not rated
	Sentiment    string         `json:"sentiment"`
	Score        float64        `json:"score"`
	Compound     float64        `json:"compound"`
	ModelVersion string         `json:"modelVersion"`
	ErrorMessage string         `json:"errorMessage,omitempty"`
}

// Rated reports whether the sentiment was computed from the text. Only English text is rated.
func (i FeedItem) Rated() bool { return !i.Unsupported }

// FeedListing selects analyzed items that were ingested in the last Hours. Empty strings select all.
type FeedListing struct {
	Hours                      int
	SourceType, Sentiment, Tag string
	Limit                      int // at most 1000
}

// FeedItems returns the first items of a listing: newest first or, with a sentiment, highest score first.
// It reports whether there are more.
func (c *Client) FeedItems(ctx context.Context, l FeedListing) (items []FeedItem, more bool, err error) {
	query := url.Values{"hours": {strconv.Itoa(l.Hours)}, "limit": {strconv.Itoa(l.Limit)}}
	for name, value := range map[string]string{"sourceType": l.SourceType, "sentiment": l.Sentiment, "tag": l.Tag} {
		if value != "" {
			query.Set(name, value)
		}
	}
	var page struct {
		Items      []FeedItem `json:"items"`
		NextCursor string     `json:"nextCursor"`
	}
	err = c.do(ctx, call{method: http.MethodGet, path: join("feed", "items"), query: query}, &page)
	return page.Items, page.NextCursor != "", err
}

// FeedItem returns one item.
func (c *Client) FeedItem(ctx context.Context, sourceID string) (FeedItem, error) {
	var item FeedItem
	err := c.do(ctx, call{method: http.MethodGet, path: join("feed", "items", sourceID)}, &item)
	return item, err
}

package client

import (
	"context"
	"net/http"
	"time"
)

// Reanalysis selects items of the feed that an older model analyzed. Its zero value selects all.
type Reanalysis struct {
	Since  time.Time `json:"since,omitzero"`   // ingested then or later
	DryRun bool      `json:"dryRun,omitempty"` // only count them
	Cursor string    `json:"cursor,omitempty"` // NextCursor of the page before
}

// ReanalysisPage is the result of a part of the items.
type ReanalysisPage struct {
	ModelVersion string          `json:"modelVersion"` // which analyzes the outdated items
	Outdated     []OutdatedItems `json:"outdated"`
	Current      int             `json:"current"` // of ModelVersion
	Waiting      int             `json:"waiting"` // for an analysis, before the call
	Unreadable   int             `json:"unreadable"`
	NextCursor   string          `json:"nextCursor,omitempty"` // empty on the last page
}

// OutdatedItems are items that an older model analyzed.
type OutdatedItems struct {
	ModelVersion string `json:"modelVersion"`
	Items        int    `json:"items"`
}

// Reanalyze makes a part of the outdated items of the feed wait for the current model. Repeating a call
// is safe. The call exists only at a server's operator address.
func (c *Client) Reanalyze(ctx context.Context, r Reanalysis) (ReanalysisPage, error) {
	var page ReanalysisPage
	err := c.do(ctx, call{method: http.MethodPost, path: join("feed", "reanalyze"), body: r}, &page)
	return page, err
}

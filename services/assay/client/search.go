package client

import (
	"context"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// AreaSearch selects items of all areas by the words that they contain.
type AreaSearch struct {
	Query  string   // as in Search, with fields and filters such as type:pdf
	Areas  []string // empty for all
	Limit  int      // page size; 0 means the server's default
	Boxes  bool     // asks for the boxes of snippets
	Cursor string   // NextCursor of the previous page
	After  string   // area/id of an item: waits until the search index has its current state
}

// FoundPage is a page of hits in all areas, best first.
type FoundPage struct {
	Hits       []FoundItem          `json:"hits"`
	Areas      map[string]FoundArea `json:"areas"`
	NextCursor string               `json:"nextCursor,omitempty"`
}

// FoundArea counts the hits of an area on all pages.
type FoundArea struct {
	Total          int  `json:"total"`
	TotalIsMinimum bool `json:"totalIsMinimum,omitempty"`
}

// FoundItem is a matching item.
type FoundItem struct {
	Area      string          `json:"area"`
	ID        string          `json:"id"`
	Name      string          `json:"name"` // of a feed item: the beginning of its text
	URL       string          `json:"url"`  // of the item in the API, from the root
	Status    string          `json:"status"`
	CreatedAt time.Time       `json:"createdAt"`
	Score     float64         `json:"score"`
	Snippets  []SearchSnippet `json:"snippets"`
	TextCut   string          `json:"textCut,omitempty"` // why only a part of the text is searched
}

// Search returns one page of items of all areas that match a query and that the owner may read.
func (c *Client) Search(ctx context.Context, s AreaSearch) (FoundPage, error) {
	query := url.Values{}
	for name, value := range map[string]string{"q": s.Query, "area": strings.Join(s.Areas, ","), "cursor": s.Cursor, "after": s.After} {
		if value != "" {
			query.Set(name, value)
		}
	}
	if s.Boxes {
		query.Set("boxes", "true")
	}
	if s.Limit > 0 {
		query.Set("limit", strconv.Itoa(s.Limit))
	}
	var page FoundPage
	err := c.do(ctx, call{method: "GET", path: join("search"), query: query}, &page)
	return page, err
}

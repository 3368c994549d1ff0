package client

import (
	"context"
	"iter"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// Item is an item of any area.
type Item struct {
	ID          string    `json:"id"` // in the area
	Area        string    `json:"area"`
	Name        string    `json:"name"`
	Size        *int64    `json:"size,omitempty"` // of the content in bytes; nil if unknown
	ContentType string    `json:"contentType,omitempty"`
	Status      string    `json:"status"`     // one of ItemStatuses
	AreaStatus  string    `json:"areaStatus"` // such as COMPLETED
	CreatedAt   time.Time `json:"createdAt"`
	UpdatedAt   time.Time `json:"updatedAt,omitzero"`
	Error       string    `json:"error,omitempty"` // why it failed, or what is missing from it
	Tags        []string  `json:"tags,omitempty"`  // that the client's owner gave to the item
	Links       ItemLinks `json:"links"`
}

// ItemLinks are paths at the server.
type ItemLinks struct {
	Self    string `json:"self"`
	Details string `json:"details"`           // the item as its area shows it
	Content string `json:"content,omitempty"` // redirects to the content; empty if there is none yet
	Page    string `json:"page"`              // of the web app
}

// ItemStatuses returns the statuses of items, from the first to the final ones.
func ItemStatuses() []string { return []string{"waiting", "processing", "done", "partial", "failed"} }

// ItemAreas returns the areas whose items have owners.
func ItemAreas() []string { return []string{"textfile", "photojob", "library"} }

// ItemListing selects the client's items, newest first.
type ItemListing struct {
	Area   string   // one of ItemAreas; empty for all
	Status string   // one of ItemStatuses; empty for all
	Tags   []string // only items of all areas and owners with all of these tags, those tagged last first; empty for all
	Limit  int      // maximum items per page; 0 means the server's default
	Cursor string   // NextCursor of the previous page; empty for the first page
}

// ItemPage is one page of a list. NextCursor is empty on the last page.
type ItemPage struct {
	Items      []Item `json:"items"`
	NextCursor string `json:"nextCursor,omitempty"`
}

// ItemPage returns one page. It may contain fewer items than the limit, or none, without being the last.
func (c *Client) ItemPage(ctx context.Context, l ItemListing) (ItemPage, error) {
	query := url.Values{}
	for name, value := range map[string]string{"area": l.Area, "status": l.Status, "cursor": l.Cursor} {
		if value != "" {
			query.Set(name, value)
		}
	}
	for _, tag := range l.Tags {
		query.Add("tag", tag)
	}
	if l.Limit > 0 {
		query.Set("limit", strconv.Itoa(l.Limit))
	}
	var page ItemPage
	return page, c.do(ctx, call{method: http.MethodGet, path: join("items"), query: query}, &page)
}

// Items iterates over all items from l.Cursor, reading pages as needed. It stops after the first error.
func (c *Client) Items(ctx context.Context, l ItemListing) iter.Seq2[Item, error] {
	return func(yield func(Item, error) bool) {
		for {
			page, err := c.ItemPage(ctx, l)
			if err != nil {
				yield(Item{}, err)
				return
			}
			for _, i := range page.Items {
				if !yield(i, nil) {
					return
				}
			}
			if l.Cursor = page.NextCursor; l.Cursor == "" {
				return
			}
		}
	}
}

// Item returns an item of an area.
func (c *Client) Item(ctx context.Context, area, id string) (Item, error) {
	var i Item
	return i, c.do(ctx, call{method: http.MethodGet, path: join("items", area, id)}, &i)
}

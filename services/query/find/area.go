// Package find serves one search over the items of all areas.
package find

import (
	"context"
	"time"

	"github.com/assay-project/assay/pkg/web"
	"github.com/assay-project/assay/services/query/search"
)

// Area is an area whose items are found.
type Area interface {
	// Find returns a page of the items that match and that the caller may see now, best first. It returns search.ErrNotReady and
	// search.ErrCursor.
	Find(ctx context.Context, q search.Query, c web.Caller) (Page, error)
	// Indexed waits until the search index has the current state of an item, for at most a few seconds. It does not wait for an
	// item that is still being processed, that does not exist, or that the caller may not see. It returns search.ErrNotReady.
	Indexed(ctx context.Context, id string, c web.Caller) error
}

// Page is a page of hits of one area.
type Page struct {
	Hits  []Hit
	Next  string // cursor of the next page; empty on the last
	Total int    // hits on all pages according to the index
	More  bool   // there may be more hits than Total
}

// PageOf returns a page without its hits.
func PageOf(r search.Result) Page { return Page{Next: r.Next, Total: r.Total, More: r.More} }

// Hit is an item that was found, as read from the tables.
type Hit struct {
	search.Hit
	Name    string
	URL     string // of the item in the API, from the root
	Status  string // state of the area
	Created time.Time
}

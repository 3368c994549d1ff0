// Package item shows the items of all areas in one shape: a list of the caller's items, and single items. It contains what
// the areas have in common, with one vocabulary for states; the calls of the areas show more.
package item

import (
	"context"
	"net/http"
	"time"

	"github.com/assay-project/assay/pkg/saved"
	"github.com/assay-project/assay/pkg/web"
)

// Status is a state in the vocabulary of all areas.
type Status string

// Statuses of an item.
const (
	Waiting    Status = "waiting"    // for its upload or for a worker
	Processing Status = "processing" // workers process it
	Done       Status = "done"
	Partial    Status = "partial" // processed, except for a part that failed
	Failed     Status = "failed"
)

// Area is an area whose items can be shown.
type Area interface {
	// Item returns an item that the reader may see, by the rules of the area's own call. It returns lifecycle.ErrNotFound
	// for all others. Another error can be a problem for the reader.
	Item(ctx context.Context, id string, r Reader) (Item, error)
}

// Owned is an area whose items have owners.
type Owned interface {
	Area
	// Items reads a page of an owner's items, newest first. It returns at most p.Limit items, or none, and the cursor of the
	// next page, which is empty on the last one. It returns table.ErrCursor for a cursor of another list.
	Items(ctx context.Context, p Page) (items []Listed, next string, err error)
}

// Open is an area with items that everyone may see, even without a credential.
type Open interface {
	Area
	// ForEveryone returns a problem unless everyone may see the item with the id in the path of a request.
	ForEveryone(r *http.Request) error
}

// Reader is the reader of an item.
type Reader struct {
	web.Caller
	Link string // token of a share link; empty for none
}

// Page selects a page of an owner's items.
type Page struct {
	Owner  string
	Limit  int32  // maximum number of items, above 0
	Cursor string // cursor of the page; empty for the first
}

// Item is an item of an area. Zero values stand for what is unknown, and for what the item does not have.
type Item struct {
	ID               string
	Name             string // for people
	Size             *int64 // of the content in bytes
	ContentType      string // of the content
	Status           Status
	State            string // in the area
	Created, Updated time.Time
	Error            string // why it failed, or what is missing from it

	Details string // path of the area's own call for the item
	Content string // path of the call that redirects to the content
	Page    string // path of the page of the web app that shows the item
}

// Listed is an item in a list.
type Listed struct {
	Item
	// At is the time by which the list is sorted. No item has a later At than the one before it.
	At time.Time
	// After is the cursor of the page that begins after the item. It stays valid when the item is deleted.
	After string
}

// named is an area of the service.
type named struct {
	Area
	name string
}

// Service shows the items of areas, with the tags of their readers. It is safe for concurrent use.
type Service struct {
	areas []named
	tags  *saved.Tags
}

// New returns a service without areas.
func New(tags *saved.Tags) *Service { return &Service{tags: tags} }

// Add adds an area. It must be called before routes are registered.
func (s *Service) Add(name string, area Area) { s.areas = append(s.areas, named{area, name}) }

// Package search finds items of an area by their names, properties and texts, and lists them sorted.
//
// Each process of query has its own Index with all items of an area. It follows the events of the area, loads the texts and
// properties of the items that they name, and is built from the tables when it is new or damaged, or when the stream has
// dropped events that it has not applied. Its results are hints: every item of a response is read from the
// tables, which determine whether the caller may see it.
package search

import (
	"context"
	"errors"
	"iter"
	"time"

	"github.com/assay-project/assay/pkg/extract/lookalike"
)

var (
	// ErrDamaged means that an index is unusable. Close it and open an empty one.
	ErrDamaged = errors.New("the search index is damaged")
	// ErrCursor means that a cursor belongs to another query.
	ErrCursor = errors.New("the cursor belongs to another query")
	// ErrNotReady means that the index does not yet have all nodes, or does not yet have the version that a request
	// waits for.
	ErrNotReady = errors.New("the search index is not ready")
)

// Index is a search engine. Package searchtest specifies and tests its behavior. Methods that write must be
// called from one goroutine at a time; methods that read may be called concurrently with all others.
type Index interface {
	// Position returns the sequence of the last event applied, and whether the index was built. An index is not
	// built while it is empty or Build is in progress.
	Position(ctx context.Context) (sequence uint64, built bool, err error)
	// Build replaces the content of the index with exactly these items, as of an event. It keeps the texts of items
	// that are already indexed.
	Build(ctx context.Context, items iter.Seq2[Item, error], sequence uint64) error
	// Apply applies events up to a sequence and records the sequence in the same transaction. It ignores events
	// with an older version of an item than the index has.
	Apply(ctx context.Context, changes []Item, sequence uint64) error
	// Pending returns files whose processing has finished and whose text is not indexed.
	Pending(ctx context.Context, limit int) ([]Pending, error)
	// SetTexts stores the texts and properties of files that Pending returned. It ignores a file that has started another
	// run since.
	SetTexts(ctx context.Context, texts []Text) error

	// Has reports whether the index has at least this version of a node and, for a file, its text and properties.
	Has(ctx context.Context, id string, version int64) (bool, error)
	// Search returns one page of matching nodes that the caller may see according to the index, best match
	// first. Nodes with a word of the query in their name or properties precede those that have all of them only in the
	// text; any number of occurrences in a text counts less than one in a name. A query without terms finds all nodes with its tags, or
	// nothing if it has none.
	// Search returns ErrCursor for the cursor of another query.
	Search(ctx context.Context, q Query) (Result, error)
	// List returns a page of a sorted list. It does not check who may see the nodes. It returns ErrCursor for
	// the cursor of another list.
	List(ctx context.Context, l Listing) (Page, error)
	// Similar returns the pictures of the owner of a file that look the same as it, the nearest first, at most limit. It does
	// not check who may see them. It returns none if the file is not a picture that is indexed. It compares at most
	// MaxPictures; more reports whether the owner has more.
	Similar(ctx context.Context, id string, limit int) (near []Near, more bool, err error)
	// Expire removes at most limit items that exceed limits at a time, and returns their number.
	Expire(ctx context.Context, limits Limits, now time.Time, limit int) (int, error)
	// Close closes the index. Its content persists.
	Close() error
}

// SharedIndex is an Index that several processes have open, of which one writes. Its methods that read return ErrNotReady until the
// index has all items and texts. Methods that write, and Pending, must be called only after Lead has returned.
type SharedIndex interface {
	Index
	// Lead waits until this process is the one that writes, which it remains until Close. If it is not any more, for example because the connection
	// was lost, methods that write return an error.
	Lead(ctx context.Context) error
	// Forget removes items, like Apply, whichever process writes.
	Forget(ctx context.Context, gone []Item) error
}

// MaxText is the number of bytes of a text that are indexed: as many as the analyzer stores.
const MaxText = 100 << 20

// Pending is a run of a file whose text is not indexed yet.
type Pending struct {
	ID  string
	Run int64
}

// Text is what is indexed of a file besides its name.
type Text struct {
	Pending
	Properties []Property
	Picture    *lookalike.Hash // nil if the file is not a picture
	Text       string          // in UTF-8, at most MaxText bytes; empty if the file has none
	PageType   string          // of the pages that form feeds in the text separate: PageSlide, PageSheet, or "" for PagePlain
	Cut        string          // why the stored text is incomplete, for display; empty if it is complete
}

// MaxPictures limits the cost of finding similar pictures.
const MaxPictures = 100_000

// Near is a picture that looks the same as another.
type Near struct {
	ID       string
	Distance int // of the hashes, 0 to lookalike.Near
}

// Query describes a search.
type Query struct {
	Caller Caller
	Terms  Terms
	Filter
	// Tags are the tags that hits have and do not have. An index knows no tags: Tagged are the ids of the items that have all of
	// Tags.With, which has no effect if that is empty, and Untagged those that have one of Tags.Without.
	Tags             Tags
	Tagged, Untagged []string
	// Boxes asks for Snippet.Boxes, which an index does not know: who reads the hits from the tables adds them.
	Boxes bool
	// Only restricts a search by a Searcher to the item with this id. Similar words do not match then, because it is unknown whether
	// few other items match. An index uses Tagged.
	Only   string
	Limit  int    // maximum number of hits
	Cursor string // Next of the previous page; empty for the first
}

// MaxMatches limits the cost of a query: at most this many matching nodes are ranked, the caller's own first.
const MaxMatches = 10_000

// Result is a page of hits, with totals for all pages.
type Result struct {
	Hits   []Hit
	Next   string // cursor of the next page, empty on the last
	Total  int    // hits on all pages
	More   bool   // there may be more hits than Total, because MaxMatches was reached
	Facets Facets
	// Sequence identifies the last event that the index had applied.
	Sequence uint64
}

// IDs returns the ids of the hits, best first.
func (r Result) IDs() []string {
	ids := make([]string, len(r.Hits))
	for i, h := range r.Hits {
		ids[i] = h.ID
	}
	return ids
}

// Hit is an item that was found.
type Hit struct {
	ID       string
	Next     string  // cursor of the page that begins after the hit
	Score    float64 // higher is better; comparable within one response
	Snippets []Snippet
	Cut      string // as in Text
}

// Facets count the hits on all pages by property.
type Facets struct {
	Type   []Count `json:"type" nullable:"false"`
	Format []Count `json:"format" nullable:"false" doc:"the 20 most frequent"`
	Year   []Count `json:"year" nullable:"false" doc:"year of creation, in UTC"`
}

// Count is the number of hits with a value.
type Count struct {
	Value string `json:"value" example:"pdf"`
	Count int    `json:"count"`
}

// Listing is a sorted list: the content of a folder, an owner's nodes of one kind, or shared nodes.
type Listing struct {
	Parent string  // id of a folder, to list its content
	Owner  string  // with Kind, to list the owner's nodes of that kind
	Shared *Shared // to list the nodes shared with these principals
	Kind   string  // restricts the list to this kind; empty for all
	Status string
	Sort   []Key // default: newest first
	Limit  int
	Cursor string
}

// Shared names principals that nodes are shared with: an owner and groups, or everyone.
type Shared struct {
	Owner  string
	Groups []string
	Public bool
}

// Page is a page of a list.
type Page struct {
	IDs      []string
	Next     string
	Sequence uint64
}

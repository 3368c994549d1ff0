// Package search finds nodes of libraries by their names and texts, and lists them sorted.
//
// Each process of query has an Index of its own, with all nodes. It follows the NodeChanged events, loads the
// texts of the files that they name, and is built from the nodes table when it is new, is damaged, or when the
// stream has dropped events that it did not see. What it finds is a hint: every node of a response is read from
// the tables, which decide whether the caller may see it.
package search

import (
	"context"
	"errors"
	"iter"
	"time"

	"github.com/assay-project/assay/pkg/event"
	"github.com/assay-project/assay/pkg/library"
	"github.com/assay-project/assay/pkg/lifecycle"
)

var (
	// ErrDamaged means that an index cannot be used any more. Close it and open an empty one.
	ErrDamaged = errors.New("the search index is damaged")
	// ErrCursor means that a cursor is not one of the same query.
	ErrCursor = errors.New("the cursor belongs to another query")
	// ErrNotReady means that the index does not have all nodes yet, or not the version that a request waits for.
	ErrNotReady = errors.New("the search index is not ready")
)

// Index is an engine. Package searchtest says what an engine must do, and tests it. One goroutine at a time
// calls the methods that write; those that read may be called concurrently with all.
type Index interface {
	// Position returns the sequence of the last event that the index has, and whether it was built. It is not while
	// it is empty and while Build has not returned.
	Position(ctx context.Context) (sequence uint64, built bool, err error)
	// Build makes the index have exactly these nodes, as of an event, and keeps the texts of those it has.
	Build(ctx context.Context, nodes iter.Seq2[*event.NodeChanged, error], sequence uint64) error
	// Apply applies events up to a sequence, which it records with them. It ignores events of an older version of a
	// node than it has.
	Apply(ctx context.Context, changes []*event.NodeChanged, sequence uint64) error
	// Pending returns files whose processing has ended and whose text it does not have.
	Pending(ctx context.Context, limit int) ([]Pending, error)
	// SetTexts stores the texts of files of Pending. It ignores a file that has begun another run since.
	SetTexts(ctx context.Context, texts []Text) error

	// Has reports whether it has a version of a node or a later one, and of a file also the text.
	Has(ctx context.Context, id string, version int64) (bool, error)
	// Search returns a page of the nodes that match a query and that the caller may see, as far as the index knows:
	// the best first. It returns ErrCursor.
	Search(ctx context.Context, q Query) (Result, error)
	// List returns a page of a sorted list. It does not check who may see the nodes. It returns ErrCursor.
	List(ctx context.Context, l Listing) (Page, error)
	// Close closes the index, which keeps what it has.
	Close() error
}

// MaxText is how much of a text is indexed, in bytes.
const MaxText = 1 << 20

// Pending is a run of a file whose text is to be indexed.
type Pending struct {
	ID  string
	Run int64
}

// Text is the text of a file, in UTF-8, at most MaxText bytes; empty if the file has none.
type Text struct {
	Pending
	Text string
}

// Query is a search.
type Query struct {
	Caller library.Caller
	Terms  Terms
	Filter
	Limit  int    // at most so many hits
	Cursor string // that of the page before; empty for the first
}

// Filter leaves out nodes. Zero values leave out none.
type Filter struct {
	Kind   library.Kind
	Format string // of files
	Status lifecycle.State
	Below  string    // the id of a folder
	From   time.Time // created then or later
	To     time.Time // created before
}

// MaxMatches bounds the cost of a query: at most so many nodes with its words are ranked, those of the caller
// first.
const MaxMatches = 10_000

// Result is a page of hits, with totals over all hits.
type Result struct {
	Hits   []Hit
	Next   string // cursor of the next page, empty on the last
	Total  int    // hits on all pages
	More   bool   // there may be more than Total: MaxMatches was reached
	Facets Facets
	// Sequence is that of the last event that the index had.
	Sequence uint64
}

// Hit is a node that was found.
type Hit struct {
	ID       string
	Score    float64 // higher is better; comparable within one response
	Snippets []Snippet
}

// Facets count the hits on all pages by their properties.
type Facets struct {
	Type   []Count `json:"type" nullable:"false"`
	Format []Count `json:"format" nullable:"false" doc:"the 20 most frequent"`
	Year   []Count `json:"year" nullable:"false" doc:"of the creation, in UTC"`
}

// Count is how many hits have a value.
type Count struct {
	Value string `json:"value" example:"pdf"`
	Count int    `json:"count"`
}

// Listing is a sorted list: of a folder, of an owner's nodes of one kind, or of what is shared.
type Listing struct {
	Parent string       // the id of a folder; its nodes
	Owner  string       // with Kind: the owner's nodes of that kind
	Shared *Shared      // the nodes that are shared with these
	Kind   library.Kind // leaves out others; empty for all
	Status lifecycle.State
	Sort   []Key // the default is newest first
	Limit  int
	Cursor string
}

// Shared are whom nodes are shared with: an owner and groups, or everyone.
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

package search

import (
	"context"
	"iter"
	"time"

	"github.com/assay-project/assay/pkg/bus"
)

// Source is an area whose items are indexed.
type Source interface {
	// Stream returns the name of the stream with the events of the area.
	Stream() string
	// Items iterates over all items that exist, including every item whose event was in the stream before the call.
	Items(ctx context.Context) iter.Seq2[Item, error]
	// Decode returns the item of an event, as it is after the event. ok is false if the event is about something else.
	Decode(d bus.Delivery) (item Item, ok bool, err error)
	// Texts returns how to read the texts and properties of runs, in the same order. The results have the Pending of
	// their run, even if the item has started another run or no longer exists. Errors mean that a backend is unavailable.
	Texts(ctx context.Context, runs []Pending) ([]Reading, error)
	// Limits returns which items the index keeps. All are kept without limits.
	Limits() Limits
}

// Reading is a text that can be read.
type Reading struct {
	Size int64 // bytes of the text, or 0 if that is unknown
	Read func(ctx context.Context) (Text, error)
}

// Limits removes old items of one owner and kind from an index.
type Limits struct {
	Owner, Kind string
	Age         time.Duration // since an item was created; 0 for no limit
	Items       int           // the newest that are kept; 0 for no limit
}

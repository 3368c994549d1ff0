package search

import (
	"fmt"
	"time"

	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/event"
)

// Ended is the end of the processing of an item, as its outcome event reports it.
type Ended struct {
	ID, Owner, Name string
	At              time.Time
	Failed          bool
	Completed       *event.AnalysisCompleted // nil if Failed
}

// ReadEnded decodes an event of the stream of outcomes. ok is false if the event is about another area.
func ReadEnded(d bus.Delivery, area string) (e Ended, ok bool, err error) {
	end, of, _, found := event.ParseOutcome(d.Subject)
	if !found || of != area {
		return Ended{}, false, nil
	}
	switch end {
	case "completed":
		var c event.AnalysisCompleted
		if err := event.Unmarshal(d.Data, &c); err != nil {
			return Ended{}, false, err
		}
		e = Ended{ID: c.Id, Owner: c.OwnerId, Name: c.Name, At: c.CompletedAt.AsTime(), Completed: &c}
	case "failed":
		var f event.AnalysisFailed
		if err := event.Unmarshal(d.Data, &f); err != nil {
			return Ended{}, false, err
		}
		e = Ended{ID: f.Id, Owner: f.OwnerId, Name: f.Name, At: f.FailedAt.AsTime(), Failed: true}
	default:
		return Ended{}, false, fmt.Errorf("unknown subject %s", d.Subject)
	}
	return e, e.ID != "", nil
}

// Item returns the item of an area without folders. Its version is the time of the end, as is its creation time, because the
// event has no other.
func (e Ended) Item(kind string) Item {
	at := e.At.UnixMilli()
	return Item{ID: e.ID, Owner: e.Owner, Kind: kind, Name: e.Name, Version: at, Run: at, Finished: true, Created: e.At, Changed: e.At}
}

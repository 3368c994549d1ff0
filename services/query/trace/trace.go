// Package trace shows operators the path of one item: what the tables, the streams, the log of attempts, the webhooks and the
// sweeps contain about it, with times. It needs no collector of traces.
package trace

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/sweep"
	"github.com/assay-project/assay/services/query/webhook"
)

// Area is an area whose items can be traced.
type Area interface {
	// Trace returns what the tables contain about an item. It returns lifecycle.ErrNotFound if there is no such item.
	Trace(ctx context.Context, id string) (Item, error)
	// WorkSubjects returns a filter for the subjects of the work events of an item.
	WorkSubjects(id string) string
}

// Item is what the tables of an area contain about an item.
type Item struct {
	Name  string // for people
	Owner string // empty if items of the area have no owner
	State string
	Error string // why the item failed, or why its last attempt failed
	// RequestID and TraceID are those of the request that created the item. They are empty if the tables do not contain them.
	RequestID, TraceID string
	Moments            []Moment // in any order
	Parts              []Part
}

// Moment is something that happened to an item.
type Moment struct {
	At   time.Time `json:"at"`
	What string    `json:"what" example:"became COMPLETED" doc:"in words"`
}

// Add adds a moment, unless its time is zero.
func (i *Item) Add(at time.Time, what string) {
	if !at.IsZero() {
		i.Moments = append(i.Moments, Moment{at.UTC(), what})
	}
}

// Part is a part of the work on an item: a step of a workflow, a call to a provider, or a photo of a batch.
type Part struct {
	Name     string    `json:"name" example:"thumbnails"`
	State    string    `json:"state" example:"done"`
	At       time.Time `json:"at,omitzero" doc:"when it began; absent if the tables do not contain it"`
	Attempts int       `json:"attempts,omitempty"`
	Millis   int64     `json:"millis,omitempty" doc:"duration of the last attempt"`
	Detail   string    `json:"detail,omitempty" doc:"why it failed, or what executed it"`
}

// Service reads the paths of items. It is safe for concurrent use.
type Service struct {
	bus     *bus.Bus
	hooks   *webhook.Service
	reports *sweep.Reports
	areas   []traced
}

// traced is an area of the service.
type traced struct {
	Area
	name string
	work bus.Work
}

// New returns a service without areas.
func New(b *bus.Bus, hooks *webhook.Service, reports *sweep.Reports) *Service {
	return &Service{bus: b, hooks: hooks, reports: reports}
}

// Add adds an area. It must be called before routes are registered.
func (s *Service) Add(name string, work bus.Work, area Area) {
	s.areas = append(s.areas, traced{area, name, work})
}

// find reads the path of an item in the first of the areas whose tables contain it, otherwise in the first in which a stream
// contains a message about it. It returns lifecycle.ErrNotFound if there is none, or the error if a table could not be read.
func (s *Service) find(ctx context.Context, areas []traced, id string) (traceView, error) {
	var failed error
	for _, area := range areas {
		item, err := area.Trace(ctx, id)
		if errors.Is(err, lifecycle.ErrNotFound) {
			continue
		}
		if err != nil {
			failed = errors.Join(failed, err)
			continue
		}
		return s.read(ctx, area, id, &item), nil
	}
	for _, area := range areas {
		view := s.read(ctx, area, id, nil)
		if len(view.Messages)+len(view.Outcomes)+len(view.DeadLetters) == 0 {
			continue
		}
		if failed != nil {
			view.Problems = append(view.Problems, fmt.Sprintf("tables: %v", failed))
		}
		return view, nil
	}
	if failed == nil {
		failed = lifecycle.ErrNotFound
	}
	return traceView{}, failed
}

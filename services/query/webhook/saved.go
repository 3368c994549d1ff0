package webhook

import (
	"context"
	"fmt"

	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/event"
	"github.com/assay-project/assay/pkg/saved"
	"github.com/assay-project/assay/pkg/webhook"
)

// SavedConsumer is the name of the consumer of the events about tags, saved searches and rules.
const SavedConsumer = "query-webhook-saved"

// savedData is the data of the payload for such an event.
type savedData struct {
	EventID  string   `json:"eventId"` // ce-id of the event on NATS
	Area     string   `json:"area"`
	ID       string   `json:"id"`
	OwnerID  string   `json:"ownerId"`
	Name     string   `json:"name,omitempty"`
	Searches []string `json:"searches,omitempty"`
	Added    []string `json:"added,omitempty"`
	Removed  []string `json:"removed,omitempty"`
	Rule     string   `json:"rule,omitempty"`
	Message  string   `json:"message,omitempty"`
	URL      string   `json:"url,omitempty"`
}

func (s *Service) savedConsumer() bus.Consumer {
	c := s.consumer()
	c.Name, c.Stream = SavedConsumer, bus.StreamSaved
	c.Handle = func(ctx context.Context, d bus.Delivery) error {
		e, ok, err := s.savedEventOf(d)
		if err != nil {
			return bus.Permanent(err)
		}
		if !ok {
			return nil
		}
		return s.Emit(ctx, e)
	}
	return c
}

// savedEventOf returns the event for a message. ok is false for a match of rules alone, which is not delivered.
func (s *Service) savedEventOf(d bus.Delivery) (e webhook.Event, ok bool, err error) {
	about := savedData{EventID: d.ID, ID: d.Item, OwnerID: d.Owner}
	read, err := saved.ReadEvent(d.Type, d.Data)
	if err != nil {
		return e, false, err
	}
	kind := ""
	switch of := read.(type) {
	case *event.TagsChanged:
		kind, about.Area, about.Added, about.Removed = "tagged", of.Area, of.Added, of.Removed
	case *event.SearchMatched:
		kind, about.Area, about.Name, about.Searches = "matched", of.Area, of.Name, of.Searches
		if len(of.Searches) == 0 {
			return e, false, nil
		}
	case *event.RuleNotified:
		kind, about.Area, about.Name, about.Rule, about.Message = "notified", of.Area, of.Name, of.Rule, of.Message
	default:
		return e, false, fmt.Errorf("%w: %s is not an event about tags, searches or rules", d.Unsupported(), d.Type)
	}
	e = webhook.Event{ID: d.ID, Type: about.Area + "." + kind, Area: about.Area, Item: d.Item, Owner: d.Owner, At: d.Time}
	if area := s.areas[about.Area]; area != nil {
		item := area.Describe(Outcome{ID: d.Item, Owner: d.Owner})
		about.URL, e.Below = item.URL, item.Below
	}
	e.Data = about
	return e, true, nil
}

package webhook

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/event"
	"github.com/assay-project/assay/pkg/webhook"
)

// Consumer is the name of the consumer of the outcomes.
const Consumer = "query-webhook"

// Area is an area that describes its items to receivers.
type Area interface {
	// Describe describes the item of an outcome.
	Describe(o Outcome) Item
}

// Outcome is an outcome of an item. One of the events is nil.
type Outcome struct {
	Completed *event.AnalysisCompleted
	Failed    *event.AnalysisFailed
	ID, Owner string
}

// Item is what an area states about an item.
type Item struct {
	Kind string   // follows the area in the type of the event, such as "batch" in photojob.batch.completed; usually empty
	URL  string   // path of the call that reads the item
	Tags []string // for filters
	// Below reports whether the item is in a folder or below it. It is nil if the items of the area have no folders.
	Below func(ctx context.Context, folder string) (bool, error)
	// Result returns the result in JSON. It is nil if the event contains the result.
	Result func(context.Context) (json.RawMessage, error)
}

// Describe uses the descriptions of an area. It must be called before Work.
func (s *Service) Describe(name string, area Area) { s.areas[name] = area }

// data is the data of the payload for an outcome.
type data struct {
	EventID      string `json:"eventId"` // ce-id of the event on NATS
	Area         string `json:"area"`
	ID           string `json:"id"`
	OwnerID      string `json:"ownerId,omitempty"`
	Status       string `json:"status"` // completed or failed
	ErrorCode    string `json:"errorCode,omitempty"`
	ErrorMessage string `json:"errorMessage,omitempty"`
	URL          string `json:"url,omitempty"`
}

// parallel is the number of outcomes that a process handles concurrently. Most of their time is the wait of the registry.
const parallel = 16

const (
	// attemptTime is the timeout of an attempt to store the deliveries of an outcome.
	attemptTime = 30 * time.Second
	// attempts covers an outage of the table of more than a day: the pauses grow to 5 minutes.
	attempts = 500
)

func (s *Service) consumer() bus.Consumer {
	return bus.Consumer{
		Name: Consumer, Area: webhook.Area, Stream: bus.StreamOutcomes, Parallel: parallel, Drain: s.drain, Attempts: attempts,
		Bounds: func(*bus.Delivery) bus.Bounds { return bus.Bounds{Time: attemptTime} },
		Handle: func(ctx context.Context, d bus.Delivery) error {
			e, err := s.eventOf(d)
			if err != nil {
				return bus.Permanent(err)
			}
			return s.Emit(ctx, e)
		},
	}
}

// eventOf returns the event for an outcome.
func (s *Service) eventOf(d bus.Delivery) (webhook.Event, error) {
	o := Outcome{ID: d.Item, Owner: d.Owner}
	about := data{EventID: d.ID, ID: d.Item, OwnerID: d.Owner, Status: "completed"}
	switch d.Type {
	case "assay.v1.AnalysisCompleted":
		o.Completed = &event.AnalysisCompleted{}
		if err := event.Unmarshal(d.Data, o.Completed); err != nil {
			return webhook.Event{}, err
		}
		about.Area = o.Completed.Area
	case "assay.v1.AnalysisFailed":
		o.Failed = &event.AnalysisFailed{}
		if err := event.Unmarshal(d.Data, o.Failed); err != nil {
			return webhook.Event{}, err
		}
		about.Area, about.Status = o.Failed.Area, "failed"
		about.ErrorCode, about.ErrorMessage = o.Failed.ErrorCode, o.Failed.ErrorMessage
	default:
		return webhook.Event{}, fmt.Errorf("%w: %s is not an outcome", d.Unsupported(), d.Type)
	}
	e := webhook.Event{
		ID: d.ID, Type: about.Area + "." + about.Status, Area: about.Area, Item: d.Item, Owner: d.Owner, At: d.Time,
		Result: func(context.Context) (json.RawMessage, error) { return resultOf(d.Data) },
	}
	if area := s.areas[about.Area]; area != nil {
		item := area.Describe(o)
		about.URL, e.Tags, e.Below = item.URL, item.Tags, item.Below
		if item.Result != nil {
			e.Result = item.Result
		}
		if item.Kind != "" {
			e.Type = about.Area + "." + item.Kind + "." + about.Status
		}
	}
	e.Data = about
	return e, nil
}

// resultOf returns the result in the JSON of an outcome, or nil if it has none.
func resultOf(outcome []byte) (json.RawMessage, error) {
	var all struct {
		TextStatistics, TextSentiment, PhotoEdit, PhotoBatch json.RawMessage
	}
	if err := json.Unmarshal(outcome, &all); err != nil {
		return nil, err
	}
	for _, one := range []json.RawMessage{all.TextStatistics, all.TextSentiment, all.PhotoEdit, all.PhotoBatch} {
		if len(one) > 0 && string(one) != "null" {
			return one, nil
		}
	}
	return nil, nil
}

package status

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/event"
	"github.com/assay-project/assay/pkg/web"
)

// Limits of the list of items.
const (
	oldestItems  = 3  // of an area
	oldestRead   = 12 // messages that are read to find them: an item can have several
	recentErrors = 8
	errorsRead   = 24 // sequences of dead letters that are read to find them: dropped ones are missing
)

func (s *Service) itemRoutes(r *web.Router) {
	web.Register(r, huma.Operation{
		OperationID: "get-status-items", Method: http.MethodGet, Path: "/v1/status/items", Tags: []string{"status"},
		Summary: "Show the oldest unfinished items and the last errors",
		Description: "Lists at most 3 items of each area whose work was queued first, and at most 8 of the newest dead letters and failures. " +
			"Failures include what users caused, such as damaged files.",
	}, s.getItems)
}

type itemsOutput struct{ Body statusItems }

// statusItems is the response body of the call.
type statusItems struct {
	Areas    []areaItems   `json:"areas" nullable:"false"`
	Errors   []statusError `json:"errors" nullable:"false" doc:"newest first"`
	Problems []string      `json:"problems" nullable:"false" doc:"parts that could not be read and are empty"`
}

type areaItems struct {
	Name        string       `json:"name" example:"textfile"`
	InFlight    int          `json:"inFlight" doc:"work events that a worker has, or that wait for another attempt"`
	Retrying    int          `json:"retrying" doc:"those of them that were delivered more than once"`
	DeadLetters uint64       `json:"deadLetters" doc:"dead letters of the consumers of the area's work"`
	Oldest      []statusItem `json:"oldest" nullable:"false" doc:"oldest first"`
}

type statusItem struct {
	ID       string    `json:"id"`
	Subject  string    `json:"subject" doc:"of the work event"`
	QueuedAt time.Time `json:"queuedAt"`
	State    string    `json:"state" enum:"queued,delivered" doc:"delivered: a worker has the event, or it waits for another attempt"`
	Attempt  int       `json:"attempt" doc:"number of the present or next attempt, as far as attempts are logged"`
}

type statusError struct {
	At       time.Time `json:"at"`
	Kind     string    `json:"kind" enum:"failed,dead" doc:"failed: an item failed; dead: a dead letter was stored"`
	Area     string    `json:"area,omitempty" doc:"absent for a dead letter of a consumer that belongs to no area"`
	ID       string    `json:"id" doc:"id of the item; empty if the message was not an event"`
	Consumer string    `json:"consumer,omitempty" doc:"of a dead letter"`
	Sequence uint64    `json:"sequence,omitempty" doc:"of a dead letter"`
	Class    string    `json:"class,omitempty" doc:"of a dead letter" example:"unavailable"`
	Text     string    `json:"text" doc:"the reason"`
}

func (s *Service) getItems(ctx context.Context, _ *struct{}) (*itemsOutput, error) {
	r := statusItems{Areas: make([]areaItems, len(s.areas)), Errors: s.failures.list(), Problems: []string{}}
	var mu sync.Mutex
	var reading sync.WaitGroup
	part := func(name string, read func() error) {
		reading.Go(func() {
			if err := read(); err != nil {
				mu.Lock()
				defer mu.Unlock()
				r.Problems = append(r.Problems, fmt.Sprintf("%s: %v", name, err))
			}
		})
	}
	consumers := make([][]string, len(s.areas))
	for i, a := range s.areas {
		r.Areas[i] = areaItems{Name: a.Name, Oldest: []statusItem{}}
		part(a.Name, func() (err error) { consumers[i], err = s.readItems(ctx, a.Work, &r.Areas[i]); return err })
	}
	var letters []bus.DeadLetter
	var counts map[string]uint64
	part("dead letters", func() (err error) { letters, err = s.newestLetters(ctx); return err })
	part("dead letters", func() (err error) { counts, err = s.bus.DeadCounts(ctx); return err })
	reading.Wait()
	// A failure with a dead letter is listed once.
	r.Errors = slices.DeleteFunc(r.Errors, func(e statusError) bool {
		return slices.ContainsFunc(letters, func(l bus.DeadLetter) bool { return l.Item == e.ID })
	})
	for _, l := range letters {
		e := statusError{At: l.Last.UTC(), Kind: "dead", ID: l.Item, Consumer: l.Consumer, Sequence: l.Sequence, Class: string(l.Class), Text: l.Reason}
		if i := slices.IndexFunc(s.areas, func(a observed) bool { return a.Work.Stores(l.Subject) }); i >= 0 {
			e.Area = s.areas[i].Name
		}
		r.Errors = append(r.Errors, e)
	}
	slices.SortStableFunc(r.Errors, func(a, b statusError) int { return b.At.Compare(a.At) })
	r.Errors = r.Errors[:min(len(r.Errors), recentErrors)]
	for i := range r.Areas {
		for _, name := range consumers[i] {
			r.Areas[i].DeadLetters += counts[name]
		}
	}
	slices.Sort(r.Problems)
	r.Problems = slices.Compact(r.Problems)
	return &itemsOutput{r}, ctx.Err()
}

// readItems reads the items of a work stream and the names of its consumers.
func (s *Service) readItems(ctx context.Context, of bus.Work, into *areaItems) (consumers []string, err error) {
	stream, err := s.bus.JS.Stream(ctx, of.Stream)
	if err != nil {
		return nil, err
	}
	durables, err := stream.Consumers(ctx)
	if err != nil {
		return nil, err
	}
	for _, d := range durables {
		into.InFlight += d.NumAckPending
		into.Retrying += d.NumRedelivered
		if name := bus.ConsumerOf(d); !slices.Contains(consumers, name) {
			consumers = append(consumers, name)
		}
	}
	if stream.CachedInfo().State.Msgs == 0 {
		return consumers, nil
	}
	messages, err := stream.Messages(ctx, of.Stored(), oldestRead)
	if err != nil {
		return consumers, err
	}
	for _, m := range messages {
		if len(into.Oldest) == oldestItems {
			break
		}
		item, err := s.itemOf(ctx, durables, m)
		if err != nil {
			return consumers, err
		}
		if !slices.ContainsFunc(into.Oldest, func(known statusItem) bool { return known.ID == item.ID }) {
			into.Oldest = append(into.Oldest, item)
		}
	}
	return consumers, nil
}

// itemOf returns the item of a work message.
func (s *Service) itemOf(ctx context.Context, durables []*jetstream.ConsumerInfo, m *jetstream.RawStreamMsg) (statusItem, error) {
	_, subject, _ := bus.ParseStored(m.Subject)
	envelope, _ := event.ParseEnvelope(m.Header) // what is unreadable stays empty
	item := statusItem{ID: envelope.Item, Subject: subject, QueuedAt: m.Time.UTC(), State: "queued", Attempt: 1}
	durable := bus.Delivering(durables, m.Subject)
	if durable == nil || m.Sequence > durable.Delivered.Stream {
		return item, nil
	}
	item.State = "delivered"
	record, err := s.bus.AttemptsAt(ctx, bus.ConsumerOf(durable), m.Sequence, envelope.Item, m.Time)
	item.Attempt = max(1, record.Begun)
	return item, err
}

// newestLetters reads the newest dead letters, newest first.
func (s *Service) newestLetters(ctx context.Context) ([]bus.DeadLetter, error) {
	stream, err := s.bus.JS.Stream(ctx, bus.StreamDead)
	if err != nil {
		return nil, err
	}
	state := stream.CachedInfo().State
	var all []bus.DeadLetter
	for i := range uint64(errorsRead) {
		if len(all) == recentErrors || len(all) == int(state.Msgs) || state.LastSeq <= i {
			break
		}
		l, err := s.bus.DeadLetter(ctx, state.LastSeq-i)
		if errors.Is(err, bus.ErrNoDeadLetter) {
			continue
		}
		if err != nil {
			return all, err
		}
		all = append(all, l)
	}
	return all, nil
}

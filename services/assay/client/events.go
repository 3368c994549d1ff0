package client

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"io"
	"iter"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// The types of events.
const (
	// Ready begins each connection. Its ID is the position that the stream
	// starts from.
	Ready = "ready"
	// CompletedEvent and FailedEvent say that an item reached its end. Data is
	// an Outcome.
	CompletedEvent = "completed"
	FailedEvent    = "failed"
	// Resync says that events were missed, because the position asked for is
	// too old. Read what you follow anew; the stream goes on.
	Resync = "resync"
)

// silence is how long a stream may say nothing, heartbeats included, before it
// counts as broken.
const silence = 60 * time.Second

// longestLine bounds a line of the stream, in bytes.
const longestLine = 1 << 20

// Event is one live event.
type Event struct {
	ID   string // position in the stream, for Following.After
	Type string
	Data json.RawMessage
}

// Outcome is the data of a CompletedEvent or FailedEvent.
type Outcome struct {
	Area         string     `json:"area"` // textfile, feed
	ID           string     `json:"id"`   // of the item: the file's id, the source id
	OwnerID      string     `json:"ownerId"`
	Name         string     `json:"name"` // the file's name
	CompletedAt  time.Time  `json:"completedAt"`
	FailedAt     time.Time  `json:"failedAt"`
	ErrorMessage string     `json:"errorMessage"`
	Result       *Result    `json:"textStatistics"` // of a file
	Sentiment    *Sentiment `json:"textSentiment"`  // of an item of the feed
}

// Sentiment is the result of an item of the feed.
type Sentiment struct {
	Sentiment string  `json:"sentiment"` // positive, neutral, negative
	Score     float64 `json:"score"`     // the confidence in it, 0 to 1
	Compound  float64 `json:"compound"`  // -1 to 1
}

// Following asks for live events.
type Following struct {
	OwnerID string // empty is the client's own
	// AllOwners follows every owner. Only the operator address of query allows
	// that.
	AllOwners bool
	// Feed follows the items of the feed only, those of one Sentiment where it is
	// not empty. They have no owner.
	Feed      bool
	Sentiment string
	// After is the ID of the last event seen; the stream goes on behind it
	// with no gap. Empty begins with what happens from now on.
	After string
}

// Events follows the live events. When a connection breaks it connects again,
// however long that takes, and goes on behind the last event. It ends with an
// error when ctx ends, when the server refuses, or when there was none to
// begin with.
func (c *Client) Events(ctx context.Context, f Following) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		var last error
		for try := 0; ; try++ {
			if err := pause(ctx, min(try, tries), last); err != nil {
				yield(Event{}, err)
				return
			}
			more := true
			last = c.follow(ctx, f, func(e Event) bool {
				try = 0
				if e.ID != "" {
					f.After = e.ID
				}
				more = len(e.Data) == 0 && e.Type == "" || yield(e, nil)
				return more
			})
			if !more {
				return
			}
			if ctx.Err() == nil && last != nil && !c.again(last, false) {
				yield(Event{}, last)
				return
			}
		}
	}
}

// follow reads one connection to its end, which is no error, or until deliver
// returns false.
func (c *Client) follow(ctx context.Context, f Following, deliver func(Event) bool) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	op := call{
		method: http.MethodGet, path: join("events"), query: url.Values{}, id: newKey(),
		header: http.Header{"Accept": {"text/event-stream"}},
	}
	if f.Feed {
		op.path = join("feed", "events")
	}
	if f.Sentiment != "" {
		op.query.Set("sentiment", f.Sentiment)
	}
	if !f.Feed && !f.AllOwners {
		op.query.Set("owner", cmp.Or(f.OwnerID, c.ownerID))
	}
	if f.After != "" {
		op.header.Set("Last-Event-ID", f.After)
	}
	req, err := c.request(ctx, op)
	if err != nil {
		return err
	}
	resp, err := c.send(req)
	if err != nil {
		return err
	}
	// Whatever closing says, the stream is resumed or left.
	defer func() { _ = resp.Body.Close() }()
	quiet := time.AfterFunc(silence, cancel)
	defer quiet.Stop()
	readEvents(resp.Body, func(e Event) bool {
		quiet.Reset(silence)
		return deliver(e)
	})
	return nil
}

// readEvents reads a text/event-stream (HTML standard, section 9.2.6) until it
// ends or breaks, or deliver returns false. Heartbeats, and ids without data,
// are delivered with neither Type nor Data. An unfinished event is dropped.
func readEvents(stream io.Reader, deliver func(Event) bool) {
	lines := bufio.NewScanner(stream)
	lines.Buffer(nil, longestLine)
	var event Event
	var data []string
	for lines.Scan() {
		field, value, _ := strings.Cut(lines.Text(), ":")
		value = strings.TrimPrefix(value, " ")
		switch {
		case lines.Text() == "":
			if len(data) > 0 {
				event.Data = json.RawMessage(strings.Join(data, "\n"))
				event.Type = cmp.Or(event.Type, "message")
			}
			if !deliver(event) {
				return
			}
			event, data = Event{}, nil
		case field == "":
			if !deliver(Event{}) {
				return
			}
		case field == "id":
			event.ID = value
		case field == "event":
			event.Type = value
		case field == "data":
			data = append(data, value)
		}
	}
}

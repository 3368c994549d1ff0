package client

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"io"
	"iter"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Types of events.
const (
	// Ready is the first event of a connection. Its ID is the position at which the stream starts.
	Ready = "ready"
	// CompletedEvent and FailedEvent report that an item reached a final state. Data is an Outcome.
	CompletedEvent = "completed"
	FailedEvent    = "failed"
	// NodeEvent and ProgressEvent report changes in the library. Data is a ChangedNode or a
	// FileProgress. A ProgressEvent has no ID.
	NodeEvent     = "node"
	ProgressEvent = "progress"
	// TagsEvent, MatchEvent and NoticeEvent report changed tags, new matches of saved searches, and notices of rules. Data is an
	// ItemEvent.
	TagsEvent   = "tags"
	MatchEvent  = "match"
	NoticeEvent = "notice"
	// Resync reports that events were missed, because the requested position is too old. The caller
	// must reread the items that it follows. The stream continues.
	Resync = "resync"
)

// silence is how long a stream may be silent, without heartbeats, before it is considered broken.
const silence = 60 * time.Second

// longestLine is the maximum length of a line of the stream, in bytes.
const longestLine = 1 << 20

// Event is one live event.
type Event struct {
	ID   string // position in the stream, for use as Following.After
	Type string
	Data json.RawMessage
}

// Outcome is the data of a CompletedEvent or FailedEvent.
type Outcome struct {
	Area         string     `json:"area"`
	ID           string     `json:"id"` // id of the item: a file id or a source id
	OwnerID      string     `json:"ownerId"`
	Name         string     `json:"name"` // name of the file
	CompletedAt  time.Time  `json:"completedAt"`
	FailedAt     time.Time  `json:"failedAt"`
	ErrorMessage string     `json:"errorMessage"`
	Result       *Result    `json:"textStatistics"` // result of a file
	Sentiment    *Sentiment `json:"textSentiment"`  // result of an item of the feed
}

// Sentiment is the sentiment of an item of the feed.
type Sentiment struct {
	Sentiment string  `json:"sentiment"` // positive, neutral, negative
	Score     float64 `json:"score"`     // confidence in Sentiment, 0 to 1
	Compound  float64 `json:"compound"`  // -1 to 1
}

// ChangedNode is the data of a NodeEvent.
type ChangedNode struct {
	NodeID    string    `json:"nodeId"`
	Change    string    `json:"change"` // created, updated or deleted
	Type      string    `json:"type,omitempty"`
	Name      string    `json:"name,omitempty"`
	ParentID  string    `json:"parentId,omitempty"` // empty in the trash
	Status    string    `json:"status,omitempty"`
	Trashed   bool      `json:"trashed"`
	IsPublic  bool      `json:"isPublic"`
	Version   int64     `json:"version"` // an event is outdated if a higher version was seen before
	ChangedAt time.Time `json:"changedAt"`
}

// ItemEvent is the data of a TagsEvent, a MatchEvent or a NoticeEvent.
type ItemEvent struct {
	Area     string    `json:"area"`
	ID       string    `json:"id"`
	Name     string    `json:"name,omitempty"`     // of the item
	Added    []string  `json:"added,omitempty"`    // tags
	Removed  []string  `json:"removed,omitempty"`  // tags
	Searches []string  `json:"searches,omitempty"` // that the item has begun to match
	Rule     string    `json:"rule,omitempty"`
	Message  string    `json:"message,omitempty"`
	At       time.Time `json:"at"`
}

// FileProgress is the data of a ProgressEvent: the number of processing steps of a file by state.
type FileProgress struct {
	FileID  string `json:"fileId"`
	Status  string `json:"status"`
	Open    int    `json:"open"`
	Done    int    `json:"done"`
	Failed  int    `json:"failed"`
	Skipped int    `json:"skipped"`
}

// Following selects live events.
type Following struct {
	OwnerID string // empty means the client's owner
	// AllOwners follows every owner. Only the operator address of query allows it.
	AllOwners bool
	// Area follows the items of an area whose items have no owner, using the area's own call, such as
	// /v1/feed/events for feed. Filter is the query of that call and may be nil.
	Area   string
	Filter url.Values
	// Node follows a node of the library and everything below it, with the access of Reading. The stream contains
	// no outcomes.
	Node    string
	Reading Reading
	// Search follows the new matches of a saved search of the client's owner.
	Search string
	// After is the ID of the last event received. The stream resumes after it without a gap. If it
	// is empty, the stream starts with new events.
	After string
}

// Events follows the live events. When a connection breaks, it reconnects, with no limit on the number
// of attempts, and resumes after the last event. It returns an error when ctx is done, when the server
// rejects the request, or when the first connection fails.
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

// follow reads one connection until it ends, which is not an error, or until deliver returns false.
func (c *Client) follow(ctx context.Context, f Following, deliver func(Event) bool) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	op := call{
		method: http.MethodGet, path: join("events"), query: url.Values{}, id: newKey(),
		header: http.Header{"Accept": {"text/event-stream"}},
	}
	switch {
	case f.Node != "":
		op.path, op.query = join("library", "nodes", f.Node, "events"), f.Reading.query()
	case f.Search != "":
		op.path = join("searches", f.Search, "events")
	case f.Area != "":
		op.path = join(f.Area, "events")
		maps.Copy(op.query, f.Filter)
	case !f.AllOwners:
		owner, err := c.owner(ctx, f.OwnerID)
		if err != nil {
			return err
		}
		op.query.Set("owner", owner)
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
	// The error of Close does not matter: the stream is resumed or abandoned.
	defer func() { _ = resp.Body.Close() }()
	quiet := time.AfterFunc(silence, cancel)
	defer quiet.Stop()
	readEvents(resp.Body, func(e Event) bool {
		quiet.Reset(silence)
		return deliver(e)
	})
	return nil
}

// readEvents reads a text/event-stream (HTML standard, section 9.2.6) until it ends or breaks, or
// deliver returns false. Heartbeats, and ids without data, are delivered without Type and Data. An
// incomplete event is discarded.
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

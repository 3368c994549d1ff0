package query

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/event"
	"github.com/assay-project/assay/pkg/feed"
	"github.com/assay-project/assay/pkg/web"
)

// live sends outcomes to browsers and other clients as they come.
type live struct {
	bus    *bus.Bus
	places chan struct{} // one for each open stream
}

func newLive(cfg Config, events *bus.Bus) *live {
	return &live{bus: events, places: make(chan struct{}, cfg.LiveReaders)}
}

// about says how streams of live events work, to people.
const about = "Server-sent events. `id` is the position in the event stream: a client that sends it back as " +
	"Last-Event-ID goes on there, with no gap and no repeat. The first event, `ready`, gives the position the stream " +
	"starts from. `completed` and `failed` carry the JSON of AnalysisCompleted and AnalysisFailed. `resync` says that " +
	"the position is too old to go on from: read the list, then go on from the id it carries."

func (l *live) routes(r *web.Router) {
	text := &huma.Schema{Type: "string"}
	handle := func(op huma.Operation, by *huma.Param, choose func(*http.Request) (chosen, error)) {
		op.Method, op.Description = http.MethodGet, about
		op.Parameters = []*huma.Param{by, {Name: "Last-Event-ID", In: "header", Schema: text, Description: "the id of the last event received"}}
		op.Responses = map[string]*huma.Response{"200": {
			Description: "the stream", Content: map[string]*huma.MediaType{"text/event-stream": {Schema: text}},
		}}
		r.Handle(op, func(w http.ResponseWriter, r *http.Request) { l.serve(w, r, choose) })
	}
	handle(huma.Operation{
		OperationID: "live-events", Path: "/v1/events", Tags: []string{"events"}, Summary: "Live outcomes",
	}, &huma.Param{Name: "owner", In: "query", Schema: text, Description: "only the outcomes of this owner's items"}, ofOwner)
	handle(huma.Operation{
		OperationID: "live-feed-events", Path: "/v1/feed/events", Tags: []string{"feed"}, Summary: "Live outcomes of the feed",
	}, &huma.Param{
		Name: "sentiment", In: "query", Description: "only items of this sentiment, and none that failed",
		Schema: &huma.Schema{Type: "string", Enum: []any{feed.Positive, feed.Neutral, feed.Negative}},
	}, ofFeed)
}

// chosen says whether an outcome belongs into a stream.
type chosen func(bus.Delivery) bool

// ofOwner chooses the outcomes of the request's owner, or all.
func ofOwner(r *http.Request) (chosen, error) {
	owner := r.URL.Query().Get("owner")
	if owner != "" && !web.ValidOwner(owner) {
		return nil, web.Invalid(web.FieldError{Field: "query.owner", Message: "is not an owner's id"})
	}
	return func(d bus.Delivery) bool { return owner == "" || d.Owner == owner }, nil
}

// ofFeed chooses the outcomes of the feed, of the request's sentiment where it
// has one.
func ofFeed(r *http.Request) (chosen, error) {
	sentiment := r.URL.Query().Get("sentiment")
	switch sentiment {
	case "", feed.Positive, feed.Neutral, feed.Negative:
	default:
		return nil, web.Invalid(web.FieldError{Field: "query.sentiment", Message: "expected positive, neutral or negative"})
	}
	return func(d bus.Delivery) bool {
		if token(d.Subject, areaToken) != event.AreaFeed {
			return false
		}
		var completed event.AnalysisCompleted
		return sentiment == "" ||
			event.Unmarshal(d.Data, &completed) == nil && completed.GetTextSentiment().GetSentiment() == sentiment
	}, nil
}

func (l *live) serve(w http.ResponseWriter, r *http.Request, choose func(*http.Request) (chosen, error)) {
	select {
	case l.places <- struct{}{}:
		defer func() { <-l.places }()
	default:
		web.WriteError(w, r, web.Unavailable("All places for live events are taken.", retryLive))
		return
	}
	wanted, err := choose(r)
	if err != nil {
		web.WriteError(w, r, err)
		return
	}
	first, after, err := l.start(r.Context(), r.Header.Get("Last-Event-ID"))
	if err != nil {
		web.WriteError(w, r, err)
		return
	}
	stream, err := web.OpenSSE(w, r)
	if err != nil {
		return // the client is gone
	}
	l.send(r.Context(), stream, wanted, first, after)
}

const retryLive = 5 * time.Second

// start decides after which position to go on. first is to be sent before,
// where it has a name.
func (l *live) start(ctx context.Context, lastEventID string) (first web.Event, after uint64, err error) {
	if lastEventID != "" {
		after, err = strconv.ParseUint(lastEventID, 10, 64)
		if err != nil {
			return web.Event{}, 0, web.Invalid(web.FieldError{Field: "header.Last-Event-ID", Message: "is not the id of an event of this stream"})
		}
		return web.Event{}, after, nil
	}
	if after, err = l.bus.LastOutcome(ctx); err != nil {
		return web.Event{}, 0, err
	}
	return position("ready", after), after, nil
}

// send passes outcomes on until the client is gone, the server drains or the
// event stream breaks; the client then comes back with its last id.
func (l *live) send(ctx context.Context, stream *web.SSE, wanted chosen, first web.Event, after uint64) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	events := make(chan web.Event)
	go func() {
		defer close(events)
		if first.Name != "" && emit(ctx, events, first) != nil {
			return
		}
		err := l.tail(ctx, after, wanted, events)
		if !errors.Is(err, bus.ErrGone) {
			return
		}
		last, err := l.bus.LastOutcome(ctx)
		if err == nil && emit(ctx, events, position("resync", last)) == nil {
			_ = l.tail(ctx, last, wanted, events) // its end ends the stream, whatever the reason
		}
	}()
	_ = stream.Pump(events) // fails only when the client is gone
}

func (l *live) tail(ctx context.Context, after uint64, wanted chosen, events chan<- web.Event) error {
	return l.bus.Tail(ctx, after, func(d bus.Delivery) error {
		if !wanted(d) {
			return nil
		}
		return emit(ctx, events, web.Event{ID: strconv.FormatUint(d.Sequence, 10), Name: token(d.Subject, endToken), Data: d.Data})
	})
}

func emit(ctx context.Context, events chan<- web.Event, e web.Event) error {
	select {
	case events <- e:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// position is an event that only tells the client where the stream goes on.
func position(name string, at uint64) web.Event {
	id := strconv.FormatUint(at, 10)
	return web.Event{ID: id, Name: name, Data: []byte(`{"lastEventId":"` + id + `"}`)}
}

// Tokens of assay.analysis.<end>.<area>.<id>.
const (
	endToken  = 2 // "completed" or "failed"
	areaToken = 3
)

// token reads one of a subject's tokens, the last where there are fewer.
func token(subject string, at int) string {
	tokens := strings.Split(subject, ".")
	return tokens[min(at, len(tokens)-1)]
}

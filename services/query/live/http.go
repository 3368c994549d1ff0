package live

import (
	"fmt"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/assay-project/assay/pkg/event"
	"github.com/assay-project/assay/pkg/feed"
	"github.com/assay-project/assay/pkg/web"
)

// description tells people how the streams work.
const description = "Server-sent events. `id` is the position in the event stream: a client that sends it back as " +
	"Last-Event-ID resumes there, with no gap and no repeat. The first event is `ready`, with the position that the stream " +
	"starts from. `completed` and `failed` carry the JSON of AnalysisCompleted and AnalysisFailed. `resync` says that " +
	"the position is too old to resume from: read the list again; the stream continues from the id of the event. " +
	"A heartbeat every 15 seconds carries the current position as an id without data."

// retryAfter is when a client that was refused may try again.
const retryAfter = 5 * time.Second

// choose reads the filter of a request.
type choose func(*http.Request) (filter, error)

// Routes registers the streams for clients.
func (l *Events) Routes(r *web.Router) {
	l.handle(r, huma.Operation{
		OperationID: "live-events", Path: "/v1/events", Tags: []string{"events"}, Summary: "Live outcomes of an owner",
	}, &huma.Param{Name: "owner", In: "query", Required: true, Schema: text(), Description: "the owner whose outcomes are sent"}, ofOwner)
	l.handle(r, huma.Operation{
		OperationID: "live-feed-events", Path: "/v1/feed/events", Tags: []string{"feed"}, Summary: "Live outcomes of the feed",
	}, &huma.Param{
		Name: "sentiment", In: "query", Description: "only items of this sentiment, and none that failed",
		Schema: &huma.Schema{Type: "string", Enum: []any{feed.Positive, feed.Neutral, feed.Negative}},
	}, ofFeed)
}

// OperatorRoutes registers the stream of all owners. It shows their ids, with
// which anybody may act for them.
func (l *Events) OperatorRoutes(r *web.Router) {
	l.handle(r, huma.Operation{
		OperationID: "live-events", Path: "/v1/events", Tags: []string{"events"}, Summary: "Live outcomes of all owners",
	}, &huma.Param{Name: "owner", In: "query", Schema: text(), Description: "only the outcomes of this owner"}, ofAnyOwner)
}

func text() *huma.Schema { return &huma.Schema{Type: "string"} }

func (l *Events) handle(r *web.Router, op huma.Operation, by *huma.Param, choose choose) {
	op.Method, op.Description = http.MethodGet, description
	op.Parameters = []*huma.Param{by, {Name: "Last-Event-ID", In: "header", Schema: text(), Description: "the id of the last event received"}}
	op.Responses = map[string]*huma.Response{"200": {
		Description: "the stream", Content: map[string]*huma.MediaType{"text/event-stream": {Schema: text()}},
	}}
	r.Handle(op, func(w http.ResponseWriter, r *http.Request) { l.serve(w, r, choose) })
}

// ofOwner chooses the outcomes of the request's owner.
func ofOwner(r *http.Request) (filter, error) {
	if r.URL.Query().Get("owner") == "" {
		return filter{}, web.NewProblem(http.StatusBadRequest, "owner-required",
			"This stream is of one owner. Send its id as the query parameter owner: /v1/events?owner=...")
	}
	return ofAnyOwner(r)
}

func ofAnyOwner(r *http.Request) (filter, error) {
	owner := r.URL.Query().Get("owner")
	if owner != "" && !web.ValidOwner(owner) {
		return filter{}, web.Invalid(web.FieldError{Field: "query.owner", Message: "is not an owner's id"})
	}
	return filter{owner: owner}, nil
}

// ofFeed chooses the outcomes of the feed, of the request's sentiment where it
// has one.
func ofFeed(r *http.Request) (filter, error) {
	sentiment := r.URL.Query().Get("sentiment")
	switch sentiment {
	case "", feed.Positive, feed.Neutral, feed.Negative:
		return filter{area: event.AreaFeed, sentiment: sentiment}, nil
	}
	return filter{}, web.Invalid(web.FieldError{Field: "query.sentiment", Message: "expected positive, neutral or negative"})
}

func (l *Events) serve(w http.ResponseWriter, r *http.Request, choose choose) {
	wanted, err := choose(r)
	if err != nil {
		web.WriteError(w, r, err)
		return
	}
	lastEventID, after := r.Header.Get("Last-Event-ID"), uint64(0)
	if lastEventID != "" {
		if after, err = strconv.ParseUint(lastEventID, 10, 64); err != nil {
			web.WriteError(w, r, web.Invalid(web.FieldError{Field: "header.Last-Event-ID", Message: "is not the id of an event of this stream"}))
			return
		}
	}
	client, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		client = r.RemoteAddr
	}
	if err := l.places.take(client); err != nil {
		web.WriteError(w, r, err)
		return
	}
	defer l.places.free(client)
	l.metrics.readers.Inc()
	defer l.metrics.readers.Dec()
	reader, first, err := l.begin(r.Context(), wanted, lastEventID != "", after)
	if err != nil {
		web.WriteError(w, r, err)
		return
	}
	defer l.ring.leave(reader)
	frame, err := first.Frame()
	if err != nil {
		web.WriteError(w, r, err)
		return
	}
	stream, err := web.OpenSSE(w, r)
	if err != nil {
		return // the client is gone, or asked for the header only
	}
	begun := false
	_ = stream.Pump(reader.wake, func() (web.Batch, error) {
		if !begun {
			begun = true
			return web.Batch{Frames: [][]byte{frame}, More: true, Position: first.ID}, nil
		}
		return l.next(r.Context(), reader), nil
	}) // fails only for a client that is gone or takes nothing
}

// places counts the open streams.
type places struct {
	most, perClient int

	mu      sync.Mutex
	open    int
	clients map[string]int
}

// take returns the problem of a client that may not open another stream. After
// success the caller calls free.
func (p *places) take(client string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.clients[client] >= p.perClient {
		return web.Unavailable(fmt.Sprintf("This client has %d live event streams open, the most that one may have. Close one of them.", p.perClient), retryAfter)
	}
	if p.open >= p.most {
		return web.Unavailable(fmt.Sprintf("All %d live event streams of this server are in use. Try again later.", p.most), retryAfter)
	}
	p.open++
	p.clients[client]++
	return nil
}

func (p *places) free(client string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.open--
	if p.clients[client]--; p.clients[client] == 0 {
		delete(p.clients, client)
	}
}

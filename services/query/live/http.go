package live

import (
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/assay-project/assay/pkg/web"
)

// description documents the streams.
const description = "Server-sent events. `id` is the position in the event streams: a client that sends it in " +
	"Last-Event-ID resumes there, without gaps or duplicates. The first event is `ready`, with the position at which the stream " +
	"starts. `completed` and `failed` contain the JSON of AnalysisCompleted and AnalysisFailed. `resync` means that " +
	"the position is too old: read the list again; the stream continues from the id of the event. " +
	"A heartbeat every 15 seconds carries the current position as an id without data."

// retryAfter is the value of Retry-After for rejected clients.
const retryAfter = 5 * time.Second

// Routes registers the stream of an owner.
func (h *Hub) Routes(r *web.Router) {
	h.Handle(r, huma.Operation{
		OperationID: "live-events", Path: "/v1/events", Tags: []string{"events"}, Summary: "Stream live events of an owner", Description: h.description,
		Parameters: []*huma.Param{{Name: "owner", In: "query", Required: true, Schema: text(), Description: "the owner whose events are sent"}},
	}, ofOwner)
}

// OperatorRoutes registers the stream of all owners. It contains their ids, which
// act as credentials.
func (h *Hub) OperatorRoutes(r *web.Router) {
	h.Handle(r, huma.Operation{
		OperationID: "live-events", Path: "/v1/events", Tags: []string{"events"}, Summary: "Stream live events of all owners", Description: h.description,
		Parameters: []*huma.Param{{Name: "owner", In: "query", Schema: text(), Description: "only the events of this owner"}},
	}, ofOwner)
}

func text() *huma.Schema { return &huma.Schema{Type: "string"} }

// Handle registers a stream of the events selected by the filter that choose returns. op must have
// an id, a path, tags, a summary and the parameters that choose reads. If choose returns an error,
// the error is the response.
func (h *Hub) Handle(r *web.Router, op huma.Operation, choose func(*http.Request) (Filter, error)) {
	op.Method = http.MethodGet
	if op.Description == "" {
		op.Description = description
	}
	op.Parameters = append(op.Parameters,
		&huma.Param{Name: "Last-Event-ID", In: "header", Schema: text(), Description: "the id of the last event received"})
	op.Responses = map[string]*huma.Response{"200": {
		Description: "the stream", Content: map[string]*huma.MediaType{"text/event-stream": {Schema: text()}},
		Headers: map[string]*huma.Param{"Cache-Control": {Schema: text()}, "X-Accel-Buffering": {Schema: text()}},
	}}
	r.Handle(op, func(w http.ResponseWriter, r *http.Request) { h.serve(w, r, choose) },
		web.Refusals{http.StatusBadRequest: {"owner-required"}, http.StatusNotFound: {"not-found"}, http.StatusTooManyRequests: {"quota-exceeded", "too-many-at-once"}})
}

// ofOwner selects the outcomes of the owner that the request names. Operators may
// omit it to select all.
func ofOwner(r *http.Request) (Filter, error) {
	caller, owner := web.CallerOf(r.Context()), r.URL.Query().Get("owner")
	switch {
	case owner != "":
		return Filter{Owner: owner}, caller.ActFor(owner, "query.owner")
	case caller.Has(web.Operator):
		return Filter{}, nil
	}
	return Filter{}, web.NewProblem(http.StatusBadRequest, "owner-required",
		"This stream serves one owner. Send its id as the query parameter owner: /v1/events?owner=...")
}

func (h *Hub) serve(w http.ResponseWriter, r *http.Request, choose func(*http.Request) (Filter, error)) {
	wanted, err := choose(r)
	if err != nil {
		web.WriteError(w, r, err)
		return
	}
	var positions []uint64
	if lastEventID := r.Header.Get("Last-Event-ID"); lastEventID != "" {
		if positions, err = parse(lastEventID); err != nil {
			web.WriteError(w, r, web.Invalid(web.FieldError{Field: "header.Last-Event-ID", Message: "is not the id of an event of this stream"}))
			return
		}
	}
	caller := web.CallerOf(r.Context())
	if caller.Owner == "" {
		caller.Owner = wanted.Owner // a stream of an owner's events is held by the owner
	}
	leave, err := caller.Enter(h.limiter, "open live event streams")
	if err != nil {
		web.WriteError(w, r, err)
		return
	}
	defer leave()
	end, err := web.EnterStream(r.Context())
	if err != nil {
		web.WriteError(w, r, err)
		return
	}
	defer end()
	h.metrics.readers.Inc()
	defer h.metrics.readers.Dec()
	reader, first, err := h.begin(r.Context(), wanted, positions)
	if err != nil {
		web.WriteError(w, r, err)
		return
	}
	defer reader.leave()
	frame, err := first.Frame()
	if err != nil {
		web.WriteError(w, r, err)
		return
	}
	stream, err := web.OpenSSE(w, r)
	if err != nil {
		return // the client disconnected, or requested only the header
	}
	begun := false
	_ = stream.Pump(reader.wake, func() (web.Batch, error) {
		if !begun {
			begun = true
			return web.Batch{Frames: [][]byte{frame}, More: true, Position: first.ID}, nil
		}
		return h.next(r.Context(), reader)
	}) // fails only if the client has disconnected, is too slow, or has lost its permission
}

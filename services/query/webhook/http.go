package webhook

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/assay-project/assay/pkg/platform"
	"github.com/assay-project/assay/pkg/table"
	"github.com/assay-project/assay/pkg/web"
	"github.com/assay-project/assay/pkg/webhook"
)

// calls are the calls at one address.
type calls struct {
	*Service
	webhook.Address
}

// Routes registers the calls for the endpoints of the caller.
func (s *Service) Routes(r *web.Router) {
	calls{s, webhook.Address{Endpoints: s.endpoints}}.register(r)
}

// OperatorRoutes registers the calls for the endpoints of the operators.
func (s *Service) OperatorRoutes(r *web.Router) {
	calls{s, webhook.Address{Endpoints: s.endpoints, Operators: true}}.register(r)
}

func (c calls) register(r *web.Router) {
	const tag, path = "webhooks", "/v1/webhooks"
	required := c.Refused()
	missing := web.Refusals{http.StatusNotFound: {"not-found"}}
	disabled := web.Refusals{http.StatusConflict: {"webhook-disabled"}}
	web.Register(r, huma.Operation{
		OperationID: "list-webhooks", Method: http.MethodGet, Path: path, Tags: []string{tag}, Summary: "List the webhook endpoints",
	}, c.list, required)
	web.Register(r, huma.Operation{
		OperationID: "get-webhook", Method: http.MethodGet, Path: path + "/{id}", Tags: []string{tag}, Summary: "Get a webhook endpoint",
	}, c.get, required, missing)
	web.Register(r, huma.Operation{
		OperationID: "list-deliveries", Method: http.MethodGet, Path: path + "/{id}/deliveries", Tags: []string{tag},
		Summary: "List the deliveries to a webhook endpoint", Description: "Those of the newest events first, for 30 days. A page with a status can contain fewer deliveries than its limit.",
	}, c.deliveriesOf, required, missing)
	web.Register(r, huma.Operation{
		OperationID: "test-webhook", Method: http.MethodPost, Path: path + "/{id}/test", Tags: []string{tag}, Summary: "Send a test event to a webhook endpoint",
		Description: "Sends an event of type `webhook.test`, whatever the endpoint selects, and returns the delivery after the first request, or after 25 seconds.",
	}, c.test, required, missing, disabled, web.Refusals{http.StatusTooManyRequests: {"too-many-at-once"}})
	web.Register(r, huma.Operation{
		OperationID: "replay-webhook", Method: http.MethodPost, Path: path + "/{id}/replay", Tags: []string{tag}, Summary: "Send deliveries again",
		Description: "Sends one event again, or all events from a time or after an event, each once more with its previous id and in the order of the events. " +
			"A call replays at most 1,000 deliveries: while the response contains `next`, repeat it with `after` set to that.",
	}, c.replay, required, missing, disabled)
}

type callerInput struct{ web.CallerParam }

type listOutput struct{ Body webhookList }

type webhookList struct {
	Webhooks []webhook.EndpointView `json:"webhooks" nullable:"false"`
}

func (c calls) list(ctx context.Context, in *callerInput) (*listOutput, error) {
	owner, err := c.Owner(in.Caller)
	if err != nil {
		return nil, err
	}
	all, err := c.endpoints.List(ctx, owner)
	if err != nil {
		return nil, err
	}
	healths, err := c.endpoints.Healths(ctx, owner)
	views := web.Views(all, func(e webhook.Endpoint) webhook.EndpointView { return e.View(healths[e.ID], time.Now()) })
	return &listOutput{webhookList{slices.Clip(views)}}, err
}

// find reads an endpoint of the caller and its health.
func (c calls) find(ctx context.Context, t webhook.Target) (webhook.Endpoint, webhook.Health, error) {
	e, _, err := c.Find(ctx, t)
	if err != nil {
		return e, webhook.Health{}, err
	}
	h, _, err := c.endpoints.Health(ctx, e)
	return e, h, err
}

type endpointOutput struct{ Body webhook.EndpointView }

func (c calls) get(ctx context.Context, in *webhook.Target) (*endpointOutput, error) {
	e, h, err := c.find(ctx, *in)
	return &endpointOutput{e.View(h, time.Now())}, err
}

type deliveriesInput struct {
	webhook.Target
	Status string `query:"status" enum:"pending,delivered,dead" doc:"only deliveries with this status"`
	Limit  int32  `query:"limit" default:"50" minimum:"1" maximum:"200"`
	Cursor string `query:"cursor" maxLength:"2048" doc:"nextCursor of the previous page"`
}

type deliveriesOutput struct{ Body deliveryList }

type deliveryList struct {
	Deliveries []deliveryView `json:"deliveries" nullable:"false"`
	NextCursor string         `json:"nextCursor,omitempty"`
}

func (c calls) deliveriesOf(ctx context.Context, in *deliveriesInput) (*deliveriesOutput, error) {
	e, _, err := c.find(ctx, in.Target)
	if err != nil {
		return nil, err
	}
	all, next, err := c.deliveries.List(ctx, e.ID, webhook.Status(in.Status), in.Limit, in.Cursor)
	if errors.Is(err, table.ErrCursor) {
		return nil, web.InvalidCursor()
	}
	return &deliveriesOutput{deliveryList{slices.Clip(web.Views(all, view)), next}}, err
}

type deliveryOutput struct{ Body deliveryView }

// errDisabled is the response to calls that send to a disabled endpoint.
func errDisabled() error {
	return web.NewProblem(http.StatusConflict, "webhook-disabled", "The endpoint is disabled. Enable it first.")
}

// The test call waits for its delivery.
const (
	testWait          = 25 * time.Second
	testPoll          = 50 * time.Millisecond
	maxTests          = 200 // concurrent calls
	maxTestsPerClient = 10
)

func (c calls) test(ctx context.Context, in *webhook.Target) (*deliveryOutput, error) {
	e, h, err := c.find(ctx, *in)
	if err == nil && e.State(h) == webhook.Disabled {
		err = errDisabled()
	}
	if err != nil {
		return nil, err
	}
	leave, err := in.Caller.Enter(c.tests, "tests of webhook endpoints in progress")
	if err != nil {
		return nil, err
	}
	defer leave()
	event := testEvent(e, time.Now())
	if err := c.add(ctx, event, registered{e, h}); err != nil {
		return nil, err
	}
	deadline := time.After(testWait)
	poll := time.NewTicker(testPoll)
	defer poll.Stop()
	for {
		d, err := c.deliveries.Get(ctx, e.ID, event.At.UnixMilli(), event.ID)
		if err != nil || len(d.Attempts) > 0 {
			return &deliveryOutput{view(d)}, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-deadline:
			return &deliveryOutput{view(d)}, nil
		case <-poll.C:
		}
	}
}

type replayInput struct {
	webhook.Target
	Body struct {
		EventID string         `json:"eventId,omitempty" maxLength:"512" doc:"send this event again: its id on NATS, or the webhook-id of its delivery"`
		After   string         `json:"after,omitempty" maxLength:"512" doc:"send all events again after the one with this id"`
		Since   time.Time      `json:"since,omitzero" doc:"send all events again from this time on"`
		Until   time.Time      `json:"until,omitzero" doc:"and before this time; default: the time of the request"`
		Status  webhook.Status `json:"status,omitempty" enum:"delivered,dead" doc:"only deliveries with this status; default: all that are not pending"`
	}
}

type replayOutput struct{ Body replayView }

type replayView struct {
	Replayed int    `json:"replayed" doc:"deliveries that are sent again"`
	Pending  int    `json:"pending" doc:"deliveries that were pending already"`
	Next     string `json:"next,omitempty" doc:"id of the last event, if there are others: repeat the call with it as after"`
}

// replayed is the maximum number of deliveries that a call reads.
const replayed = 1000

func (c calls) replay(ctx context.Context, in *replayInput) (*replayOutput, error) {
	e, h, err := c.find(ctx, in.Target)
	if err == nil && e.State(h) == webhook.Disabled {
		err = errDisabled()
	}
	if err != nil {
		return nil, err
	}
	body := in.Body
	given := 0
	for _, is := range []bool{body.EventID != "", body.After != "", !body.Since.IsZero()} {
		if is {
			given++
		}
	}
	if given != 1 {
		return nil, web.Invalid(web.FieldError{Field: "body", Message: "must contain one of eventId, after and since"})
	}
	if body.Until.IsZero() {
		body.Until = time.Now()
	}
	out := &replayOutput{}
	if id := strings.TrimSpace(body.EventID + body.After); id != "" {
		d, err := c.deliveries.Find(ctx, e.ID, id)
		if errors.Is(err, platform.ErrNotFound) {
			return nil, web.NotFound("There is no delivery of this event to the endpoint.")
		}
		if err != nil {
			return nil, err
		}
		if body.EventID != "" {
			return out, c.again(ctx, &out.Body, d)
		}
		return out, c.rest(ctx, &out.Body, e, webhook.From(time.Time{}, body.Until).AfterEvent(d), body.Status)
	}
	return out, c.rest(ctx, &out.Body, e, webhook.From(body.Since, body.Until), body.Status)
}

// rest sends the deliveries of a part of the log again.
func (c calls) rest(ctx context.Context, out *replayView, e webhook.Endpoint, part webhook.Part, status webhook.Status) error {
	all, more, err := c.deliveries.Since(ctx, e.ID, part, replayed)
	if err != nil {
		return err
	}
	for _, d := range all {
		switch {
		case d.Status == webhook.StatusPending:
			out.Pending++
		case status == "" || d.Status == status:
			if err := c.again(ctx, out, d); err != nil {
				return err
			}
		}
	}
	if more {
		out.Next = all[len(all)-1].EventID
	}
	return nil
}

// again sends a delivery again.
func (c calls) again(ctx context.Context, out *replayView, d webhook.Delivery) error {
	err := c.deliveries.Again(ctx, d)
	if errors.Is(err, webhook.ErrMoved) { // another call, or an attempt
		out.Pending++
		return nil
	}
	if err == nil {
		out.Replayed++
		c.signal(d.EndpointID)
	}
	return err
}

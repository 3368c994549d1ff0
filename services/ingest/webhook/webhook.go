// Package webhook serves the calls that register, change and delete webhook endpoints. Package webhook of query delivers.
package webhook

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"github.com/assay-project/assay/pkg/platform"
	"github.com/assay-project/assay/pkg/web"
	"github.com/assay-project/assay/pkg/webhook"
)

// Service registers endpoints. It is safe for concurrent use.
type Service struct {
	cfg       webhook.Config
	endpoints *webhook.Endpoints
	areas     []string
	now       func() time.Time
}

// New returns the service. areas are the names of the areas of the product.
func New(cfg webhook.Config, documents *platform.Store, areas []string) *Service {
	return &Service{cfg, webhook.NewEndpoints(documents), areas, time.Now}
}

// calls are the calls at one address.
type calls struct {
	*Service
	webhook.Address
}

// Routes registers the calls for the endpoints of the caller.
func (s *Service) Routes(r *web.Router) {
	calls{s, webhook.Address{Endpoints: s.endpoints}}.register(r)
}

// OperatorRoutes registers the calls for the endpoints of the operators, which receive the events of all owners and of the feed.
func (s *Service) OperatorRoutes(r *web.Router) {
	calls{s, webhook.Address{Endpoints: s.endpoints, Operators: true}}.register(r)
}

func (c calls) register(r *web.Router) {
	const tag, path = "webhooks", "/v1/webhooks"
	required := c.Refused()
	refused := web.Refusals{http.StatusUnprocessableEntity: {"url-not-allowed"}}
	changed := web.Refusals{http.StatusNotFound: {"not-found"}, http.StatusConflict: {"changed-meanwhile"}}
	web.Register(r, huma.Operation{
		OperationID: "create-webhook", Method: http.MethodPost, Path: path, Tags: []string{tag}, Summary: "Register a webhook endpoint",
		Description: "Events that the endpoint selects are sent to its URL as Standard Webhooks 1.0.0 defines: https://www.standardwebhooks.com. " +
			"Only this response contains the secret that verifies signatures. Repeating the call registers another endpoint.",
		DefaultStatus: http.StatusCreated,
	}, c.create, required, refused, web.Refusals{http.StatusConflict: {"too-many-webhooks", "name-used"}})
	web.Register(r, huma.Operation{
		OperationID: "change-webhook", Method: http.MethodPatch, Path: path + "/{id}", Tags: []string{tag}, Summary: "Change a webhook endpoint",
		Description: "Changes what the body contains. `enabled` enables an endpoint that was disabled; the deliveries that it has missed can be replayed.",
	}, c.change, required, refused, changed, web.Refusals{http.StatusConflict: {"name-used"}})
	web.Register(r, huma.Operation{
		OperationID: "rotate-webhook", Method: http.MethodPost, Path: path + "/{id}/rotate", Tags: []string{tag}, Summary: "Replace the secret of a webhook endpoint",
		Description: "For 24 hours, deliveries are signed with the previous secret too.",
	}, c.rotate, required, changed)
	web.Register(r, huma.Operation{
		OperationID: "delete-webhook", Method: http.MethodDelete, Path: path + "/{id}", Tags: []string{tag}, Summary: "Delete a webhook endpoint",
		Description: "Pending deliveries are not sent. Succeeds if there is none.", DefaultStatus: http.StatusNoContent,
	}, c.delete, required)
}

type secretOutput struct {
	CacheControl string `header:"Cache-Control"`
	Body         webhookSecretView
}

type webhookSecretView struct {
	webhook.EndpointView
	Secret string `json:"secret" doc:"verifies signatures, with ed25519 the public key; it is not shown again"`
}

func (c calls) create(ctx context.Context, in *createInput) (*secretOutput, error) {
	owner, err := c.Owner(in.Caller)
	if err != nil {
		return nil, err
	}
	existing, err := c.endpoints.List(ctx, owner)
	if err != nil {
		return nil, err
	}
	if len(existing) >= webhook.MaxEndpoints {
		return nil, web.NewProblem(http.StatusConflict, "too-many-webhooks", "An owner can have at most 10 endpoints. Delete one first.")
	}
	now := c.now().UTC().Truncate(time.Millisecond)
	e := webhook.Endpoint{ID: uuid.Must(uuid.NewV7()).String(), Owner: owner, CreatedAt: now, EnabledAt: now}
	if err := c.apply(&e, &in.Body.URL, in.Body.WebhookTerms, existing); err != nil {
		return nil, err
	}
	return c.renew(ctx, e, 0, in.Body.Signature == "ed25519")
}

// renew stores an endpoint with a new secret.
func (c calls) renew(ctx context.Context, e webhook.Endpoint, version int64, asymmetric bool) (*secretOutput, error) {
	secret := webhook.NewSecret(asymmetric)
	sealed, err := c.endpoints.Seal(ctx, e.ID, secret)
	if err != nil {
		return nil, err
	}
	shown, err := webhook.Public(secret)
	if err != nil {
		return nil, err
	}
	e, e.PublicKey = e.Rotated(sealed, c.now()), ""
	if asymmetric {
		e.PublicKey = shown
	}
	out := &secretOutput{CacheControl: "no-store"}
	out.Body.EndpointView, err = c.store(ctx, e, version)
	out.Body.Secret = shown
	return out, err
}

// store writes an endpoint.
func (c calls) store(ctx context.Context, e webhook.Endpoint, version int64) (webhook.EndpointView, error) {
	err := c.endpoints.Put(ctx, e, version)
	if errors.Is(err, platform.ErrChanged) {
		return webhook.EndpointView{}, web.NewProblem(http.StatusConflict, "changed-meanwhile", "The endpoint was changed concurrently. Read it and try again.")
	}
	if err != nil {
		return webhook.EndpointView{}, err
	}
	health, _, err := c.endpoints.Health(ctx, e)
	return e.View(health, c.now()), err
}

type endpointOutput struct{ Body webhook.EndpointView }

func (c calls) change(ctx context.Context, in *changeInput) (*endpointOutput, error) {
	e, version, err := c.Find(ctx, in.Target)
	if err != nil {
		return nil, err
	}
	others, err := c.endpoints.List(ctx, e.Owner)
	if err != nil {
		return nil, err
	}
	others = slices.DeleteFunc(others, func(o webhook.Endpoint) bool { return o.ID == e.ID })
	if err := c.apply(&e, in.Body.URL, in.Body.WebhookTerms, others); err != nil {
		return nil, err
	}
	view, err := c.store(ctx, e, version)
	return &endpointOutput{view}, err
}

type rotateInput struct{ webhook.Target }

func (c calls) rotate(ctx context.Context, in *rotateInput) (*secretOutput, error) {
	e, version, err := c.Find(ctx, in.Target)
	if err != nil {
		return nil, err
	}
	return c.renew(ctx, e, version, e.PublicKey != "")
}

type deleteInput struct{ webhook.Target }

func (c calls) delete(ctx context.Context, in *deleteInput) (*struct{}, error) {
	owner, err := c.Owner(in.Caller)
	if err != nil {
		return nil, err
	}
	return nil, c.endpoints.Delete(ctx, owner, in.ID)
}

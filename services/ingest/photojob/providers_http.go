package photojob

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/assay-project/assay/pkg/photojob"
	"github.com/assay-project/assay/pkg/photojob/policy"
	"github.com/assay-project/assay/pkg/platform"
	"github.com/assay-project/assay/pkg/web"
)

// OperatorRoutes registers the operations for paid providers.
func (a *Area) OperatorRoutes(r *web.Router) {
	web.Register(r, huma.Operation{
		OperationID: "list-photo-providers", Method: http.MethodGet, Path: "/v1/photo-providers", Tags: []string{"photo providers"},
		Summary: "List the paid providers with their state and costs",
	}, a.listProviders)
	web.Register(r, huma.Operation{
		OperationID: "get-photo-provider", Method: http.MethodGet, Path: "/v1/photo-providers/{name}", Tags: []string{"photo providers"},
		Summary: "Get a paid provider",
	}, a.getProvider)
	web.Register(r, huma.Operation{
		OperationID: "put-photo-provider", Method: http.MethodPut, Path: "/v1/photo-providers/{name}", Tags: []string{"photo providers"},
		Summary: "Change the settings of a paid provider",
		Description: "The settings apply to all further calls, including those for waiting jobs; calls in progress are not affected. A suspended provider is tried again. " +
			"Send the ETag as If-Match, which prevents lost updates, or * to change any version.",
	}, a.putProvider, web.Refusals{http.StatusPreconditionFailed: {"precondition-failed"}, http.StatusPreconditionRequired: {"precondition-required"}})
	web.Register(r, huma.Operation{
		OperationID: "put-default-photo-provider", Method: http.MethodPut, Path: "/v1/photo-providers", Tags: []string{"photo providers"},
		Summary: "Change the default provider",
		Description: "Applies to new jobs that specify no provider. While the default and its fallbacks are disabled, the local provider is used. " +
			"Send the ETag of the list as If-Match, or * to change any version.",
	}, a.putDefaultProvider, web.Refusals{http.StatusPreconditionFailed: {"precondition-failed"}, http.StatusPreconditionRequired: {"precondition-required"}})
	web.Register(r, huma.Operation{
		OperationID: "list-photo-costs", Method: http.MethodGet, Path: "/v1/photos/costs", Tags: []string{"photo providers"},
		Summary:     "List the calls and costs of paid providers by day",
		Description: "Before a call is made, its maximum cost is counted, until the provider reports the actual cost. Costs are therefore never lower than the billed amounts. Each day is retained for 62 days.",
	}, a.listCosts)
}

// providerView is a provider as the operator API shows it.
type providerView struct {
	Name string `json:"name"`
	policy.Settings
	State providerState `json:"state"`
}

type providerState struct {
	HeldUntil      time.Time    `json:"heldUntil,omitzero" doc:"the provider requested no calls before this time"`
	OpenUntil      time.Time    `json:"openUntil,omitzero" doc:"no calls before this time because of failures; then one call is tried"`
	Failures       int          `json:"failures" doc:"consecutive failed calls"`
	Suspended      string       `json:"suspended,omitempty" doc:"why the provider denies access; no calls are made until the settings or the key change"`
	SuspendedAt    time.Time    `json:"suspendedAt,omitzero"`
	Running        int          `json:"running" doc:"calls in progress"`
	Days           []policy.Day `json:"days" doc:"calls and costs by day (UTC), newest last"`
	CallsToday     int          `json:"callsToday"`
	CostTodayMicro int64        `json:"costTodayMicros" doc:"in millionths of a US dollar"`
}

func (a *Area) viewProvider(ctx context.Context, p policy.Provider) (providerView, error) {
	s, err := a.policies.State(ctx, p.Name)
	if err != nil {
		return providerView{}, err
	}
	now := time.Now()
	for i, name := range p.Settings.Fallback {
		p.Settings.Fallback[i] = photojob.ShownProvider(name)
	}
	v := providerView{Name: p.Name, Settings: p.Settings, State: providerState{Failures: s.Failures, Days: []policy.Day{}}}
	if at := time.UnixMilli(s.HeldUntil).UTC(); at.After(now) {
		v.State.HeldUntil = at
	}
	if at := time.UnixMilli(s.OpenUntil).UTC(); at.After(now) {
		v.State.OpenUntil = at
	}
	if s.Suspended != nil && s.Suspended.Revision == p.Revision {
		v.State.Suspended, v.State.SuspendedAt = s.Suspended.Reason, time.UnixMilli(s.Suspended.At).UTC()
	}
	for _, r := range s.Running {
		if r.Until > now.UnixMilli() {
			v.State.Running++
		}
	}
	v.State.Days = append(v.State.Days, s.Days...)
	if n := len(s.Days); n > 0 && s.Days[n-1].Day == now.UTC().Format(time.DateOnly) {
		v.State.CallsToday, v.State.CostTodayMicro = s.Days[n-1].Calls, s.Days[n-1].CostMicros
	}
	return v, nil
}

type providerOutput struct {
	ETag string `header:"ETag" doc:"ETag of the settings; state changes do not affect it"`
	Body providerView
}

func (a *Area) outputProvider(ctx context.Context, p policy.Provider, err error) (*providerOutput, error) {
	if err != nil {
		return nil, providerProblem(err)
	}
	view, err := a.viewProvider(ctx, p)
	return &providerOutput{platform.ETag(p.Revision), view}, err
}

type providerListOutput struct {
	ETag string `header:"ETag" doc:"ETag of the default provider"`
	Body struct {
		Default   string         `json:"default" doc:"the provider of jobs that specify none: a paid one, or local, which needs no operator"`
		Providers []providerView `json:"providers"`
	}
}

func (a *Area) listProviders(ctx context.Context, _ *struct{}) (*providerListOutput, error) {
	d, err := a.policies.Default(ctx)
	return a.outputProviders(ctx, d, err)
}

func (a *Area) outputProviders(ctx context.Context, d policy.Default, err error) (*providerListOutput, error) {
	if err != nil {
		return nil, providerProblem(err)
	}
	out := &providerListOutput{ETag: platform.ETag(d.Revision)}
	out.Body.Default = photojob.ShownProvider(d.Provider)
	out.Body.Providers = []providerView{}
	for _, name := range policy.Paid() {
		p, err := a.policies.Get(ctx, name)
		if err != nil {
			return nil, err
		}
		view, err := a.viewProvider(ctx, p)
		if err != nil {
			return nil, err
		}
		out.Body.Providers = append(out.Body.Providers, view)
	}
	return out, nil
}

type providerInput struct {
	Name string `path:"name" maxLength:"40"`
}

func (a *Area) getProvider(ctx context.Context, in *providerInput) (*providerOutput, error) {
	p, err := a.policies.Get(ctx, in.Name)
	return a.outputProvider(ctx, p, err)
}

type providerPutInput struct {
	Name    string `path:"name" maxLength:"40"`
	IfMatch string `header:"If-Match" doc:"the current ETag of the settings, or *"`
	Body    struct{ policy.Settings }
}

func (a *Area) putProvider(ctx context.Context, in *providerPutInput) (*providerOutput, error) {
	for i, name := range in.Body.Fallback {
		in.Body.Fallback[i] = photojob.StoredProvider(name)
	}
	if found := in.Body.Settings.Check(in.Name); len(found) > 0 {
		var wrong []web.FieldError
		for _, v := range found {
			wrong = append(wrong, web.FieldError{Field: "body." + v.Field, Message: v.Message})
		}
		return nil, web.Invalid(wrong...)
	}
	p, err := a.policies.Put(ctx, in.Name, in.Body.Settings, platform.MatchOf(in.IfMatch, 0))
	return a.outputProvider(ctx, p, err)
}

type defaultPutInput struct {
	IfMatch string `header:"If-Match" doc:"the current ETag of the list, or *"`
	Body    struct {
		Default string `json:"default" enum:"local,gemini,seedream,stub" doc:"stub is another name of local"`
	}
}

func (a *Area) putDefaultProvider(ctx context.Context, in *defaultPutInput) (*providerListOutput, error) {
	d, err := a.policies.PutDefault(ctx, photojob.StoredProvider(in.Body.Default), platform.MatchOf(in.IfMatch, 0))
	return a.outputProviders(ctx, d, err)
}

func providerProblem(err error) error {
	switch {
	case errors.Is(err, policy.ErrUnknown):
		return web.NotFound("There is no paid provider with this name.")
	case errors.Is(err, platform.ErrUnconditional):
		return web.NewProblem(http.StatusPreconditionRequired, "precondition-required", "The provider has settings. Read it, and send its ETag as If-Match.")
	case errors.Is(err, platform.ErrOtherRevision):
		return web.NewProblem(http.StatusPreconditionFailed, "precondition-failed", "The settings have changed since they were read. Read them and try again.")
	}
	return err
}

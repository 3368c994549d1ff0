// Package me tells callers who they are to this server.
package me

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/assay-project/assay/pkg/quota"
	"github.com/assay-project/assay/pkg/web"
)

// Routes registers the call.
func Routes(r *web.Router, q *quota.Quotas) {
	web.Register(r, huma.Operation{
		OperationID: "get-me", Method: http.MethodGet, Path: "/v1/me", Tags: []string{"session"},
		Summary: "Who the caller is, and what it may use",
	}, func(ctx context.Context, in *input) (*output, error) {
		out := me(in)
		if out.Body.Quotas = q.Of(in.Caller.Owner); in.Caller.Owner == "" || !out.Body.Quotas.Counted() {
			return out, nil
		}
		var err error
		out.Body.Use, err = q.Use(ctx, in.Caller.Owner)
		return out, err
	})
}

type input struct{ web.CallerParam }

type output struct {
	CacheControl string `header:"Cache-Control"`
	Body         view
}

type view struct {
	Owner     string      `json:"owner,omitempty" doc:"the owner of what the caller creates; absent for an anonymous caller without X-Owner-Id"`
	Proven    bool        `json:"proven" doc:"whether a credential proves the owner"`
	Kind      string      `json:"kind,omitempty" enum:"key,oidc" doc:"of the credential"`
	KeyID     string      `json:"keyId,omitempty" doc:"of the API key"`
	Scopes    []web.Scope `json:"scopes,omitempty" enum:"read,write"`
	Operator  bool        `json:"operator" doc:"whether the caller may use the calls for operators, on their own address"`
	Groups    []string    `json:"groups,omitempty" doc:"with which others may share nodes of the library"`
	User      *web.User   `json:"user,omitempty" doc:"what the identity provider says of the caller"`
	ExpiresAt time.Time   `json:"expiresAt,omitzero" doc:"when the credential ends, unless it is renewed"`

	Quotas quota.Limits `json:"quotas" doc:"of the owner; 0 is no limit"`
	Use    quota.Use    `json:"use" doc:"what is counted; all 0 for an owner to whom no quota of bytes, items or uploads applies"`
}

func me(in *input) *output {
	out := &output{CacheControl: "no-store", Body: view{Owner: in.Caller.Owner}}
	if c := in.Caller.Credential; c != nil {
		out.Body.Proven, out.Body.Kind, out.Body.KeyID, out.Body.Scopes, out.Body.ExpiresAt = true, c.Kind, c.ID, c.Scopes, c.Expires
		out.Body.Groups, out.Body.Operator = c.Groups, slices.Contains(c.Roles, web.Operator)
		if c.User != (web.User{}) {
			out.Body.User = &c.User
		}
	}
	return out
}

// Package me serves the identity and the quotas of the caller.
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

// Routes registers the call that returns the caller's identity and quotas.
func Routes(r *web.Router, q *quota.Quotas) {
	web.Register(r, huma.Operation{
		OperationID: "get-me", Method: http.MethodGet, Path: "/v1/me", Tags: []string{"session"},
		Summary: "Get the caller's identity and quotas",
	}, func(ctx context.Context, in *input) (*output, error) {
		out := me(in)
		out.Body.Quotas = q.Of(in.Caller.Owner)
		var err error
		out.Body.Usage, err = q.Usage(ctx, in.Caller.Owner, out.Body.Quotas)
		return out, err
	})
}

type input struct{ web.CallerParam }

type output struct {
	CacheControl string `header:"Cache-Control"`
	Body         view
}

type view struct {
	Owner     string      `json:"owner,omitempty" doc:"owner of the items that the caller creates; absent for an anonymous caller without X-Owner-Id"`
	Proven    bool        `json:"proven" doc:"whether a credential proves the owner"`
	Kind      string      `json:"kind,omitempty" enum:"key,oidc" doc:"type of the credential"`
	KeyID     string      `json:"keyId,omitempty" doc:"id of the API key"`
	Scopes    []web.Scope `json:"scopes,omitempty" enum:"read,write"`
	Operator  bool        `json:"operator" doc:"whether the caller may use the operator calls at the operator address"`
	Groups    []string    `json:"groups,omitempty" doc:"groups of the caller; other users can share library nodes with them"`
	User      *web.User   `json:"user,omitempty" doc:"the caller according to the identity provider"`
	ExpiresAt time.Time   `json:"expiresAt,omitzero" doc:"when the credential expires, unless it is renewed"`

	Quotas quota.Limits `json:"quotas" doc:"quotas of the owner; 0 means no limit"`
	quota.Usage
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

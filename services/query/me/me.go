// Package me tells callers who they are to this server.
package me

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/assay-project/assay/pkg/web"
)

// Routes registers the call.
func Routes(r *web.Router) {
	web.Register(r, huma.Operation{
		OperationID: "get-me", Method: http.MethodGet, Path: "/v1/me", Tags: []string{"session"},
		Summary: "Who the caller is",
	}, me)
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
}

func me(_ context.Context, in *input) (*output, error) {
	out := &output{CacheControl: "no-store", Body: view{Owner: in.Caller.Owner}}
	if c := in.Caller.Credential; c != nil {
		out.Body.Proven, out.Body.Kind, out.Body.KeyID, out.Body.Scopes, out.Body.ExpiresAt = true, c.Kind, c.ID, c.Scopes, c.Expires
		out.Body.Groups, out.Body.Operator = c.Groups, slices.Contains(c.Roles, web.Operator)
		if c.User != (web.User{}) {
			out.Body.User = &c.User
		}
	}
	return out, nil
}

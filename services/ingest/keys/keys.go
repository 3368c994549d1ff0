// Package keys serves the operator calls that manage API keys.
package keys

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/assay-project/assay/pkg/identity"
	"github.com/assay-project/assay/pkg/platform"
	"github.com/assay-project/assay/pkg/web"
)

// Service manages API keys.
type Service struct{ keys *identity.Keys }

// New returns the service.
func New(keys *identity.Keys) *Service { return &Service{keys} }

const tag = "keys"

// Routes registers the calls, which only operators may use.
func (s *Service) Routes(r *web.Router) {
	notFound := web.Refusals{http.StatusNotFound: {"not-found"}}
	web.Register(r, huma.Operation{
		OperationID: "create-key", Method: http.MethodPost, Path: "/v1/keys", Tags: []string{tag},
		Summary:       "Create an API key",
		Description:   "Only this response contains the token: the server stores its hash. Repeating the call creates another key.",
		DefaultStatus: http.StatusCreated,
	}, s.create)
	web.Register(r, huma.Operation{
		OperationID: "list-keys", Method: http.MethodGet, Path: "/v1/keys", Tags: []string{tag},
		Summary: "List the API keys, newest first", Description: "Includes revoked and expired keys.",
	}, s.list)
	web.Register(r, huma.Operation{
		OperationID: "rotate-key", Method: http.MethodPost, Path: "/v1/keys/{id}/rotate", Tags: []string{tag},
		Summary: "Replace the secret of an API key", Description: "The previous token is accepted for the grace period.",
	}, s.rotate, notFound, web.Refusals{http.StatusConflict: {"key-ended"}})
	web.Register(r, huma.Operation{
		OperationID: "revoke-key", Method: http.MethodDelete, Path: "/v1/keys/{id}", Tags: []string{tag},
		Summary: "Revoke an API key", Description: "After 5 seconds no process accepts it. This cannot be undone.", DefaultStatus: http.StatusNoContent,
	}, s.revoke, notFound)
}

// KeyView is an API key as the API shows it.
type KeyView struct {
	ID         string      `json:"id"`
	Owner      string      `json:"owner" doc:"the owner of items created with the key"`
	Name       string      `json:"name,omitempty"`
	Scopes     []web.Scope `json:"scopes" enum:"read,write"`
	Operator   bool        `json:"operator" doc:"whether the key has the operator role"`
	Status     string      `json:"status" enum:"active,expired,revoked"`
	CreatedAt  time.Time   `json:"createdAt"`
	ExpiresAt  time.Time   `json:"expiresAt,omitzero"`
	RotatedAt  time.Time   `json:"rotatedAt,omitzero"`
	RevokedAt  time.Time   `json:"revokedAt,omitzero"`
	LastUsedAt time.Time   `json:"lastUsedAt,omitzero" doc:"accurate to about a minute; only in lists"`
}

func view(k identity.Key) KeyView {
	status := "active"
	switch {
	case !k.RevokedAt.IsZero():
		status = "revoked"
	case !k.Valid(time.Now()):
		status = "expired"
	}
	return KeyView{k.ID, k.Owner, k.Name, k.Scopes, k.Operator, status, k.CreatedAt, k.ExpiresAt, k.RotatedAt, k.RevokedAt, k.LastUsedAt}
}

type tokenOutput struct {
	CacheControl string `header:"Cache-Control"`
	Body         tokenView
}

type tokenView struct {
	KeyView
	Token string `json:"token" doc:"the API key; it is not shown again"`
}

func token(k identity.Key, text string) *tokenOutput {
	return &tokenOutput{CacheControl: "no-store", Body: tokenView{view(k), text}}
}

type createInput struct {
	Body struct {
		Owner     string      `json:"owner" pattern:"^[A-Za-z0-9._~@:+=-]{1,128}$"`
		Name      string      `json:"name,omitempty" maxLength:"100" doc:"purpose of the key"`
		Scopes    []web.Scope `json:"scopes,omitempty" enum:"read,write" maxItems:"2" doc:"default: both"`
		Operator  bool        `json:"operator,omitempty" doc:"grants the operator role"`
		ExpiresIn string      `json:"expiresIn,omitempty" example:"2160h" doc:"lifetime of the key, from 1m to 87600h; default: until it is revoked"`
	}
}

const (
	minExpires = time.Minute
	maxExpires = 87600 * time.Hour
)

func (s *Service) create(ctx context.Context, in *createInput) (*tokenOutput, error) {
	terms := identity.Terms{Owner: in.Body.Owner, Name: in.Body.Name, Scopes: in.Body.Scopes, Operator: in.Body.Operator}
	if len(terms.Scopes) == 0 {
		terms.Scopes = []web.Scope{web.ReadScope, web.WriteScope}
	}
	if err := web.CheckOwner(terms.Owner); err != nil {
		return nil, web.Invalid(web.FieldError{Field: "body.owner", Message: err.Error()})
	}
	if in.Body.ExpiresIn != "" {
		var err error
		if terms.Expires, err = time.ParseDuration(in.Body.ExpiresIn); err != nil || terms.Expires < minExpires || terms.Expires > maxExpires {
			return nil, web.Invalid(web.FieldError{Field: "body.expiresIn", Message: "must be a duration from 1m to 87600h, such as 2160h"})
		}
	}
	key, text, err := s.keys.Create(ctx, terms)
	if err != nil {
		return nil, err
	}
	return token(key, text), nil
}

type listInput struct {
	Owner string `query:"owner" maxLength:"128" doc:"only the keys of this owner"`
}

type listOutput struct {
	CacheControl string `header:"Cache-Control"`
	Body         keyList
}

type keyList struct {
	Keys []KeyView `json:"keys" nullable:"false"`
}

func (s *Service) list(ctx context.Context, in *listInput) (*listOutput, error) {
	found, err := s.keys.List(ctx, in.Owner)
	if err != nil {
		return nil, err
	}
	return &listOutput{CacheControl: "no-store", Body: keyList{slices.Clip(web.Views(found, view))}}, nil
}

type rotateInput struct {
	ID   string `path:"id" maxLength:"16"`
	Body *struct {
		Grace string `json:"grace,omitempty" example:"1h" doc:"time for which the previous token remains valid, at most 24h; default: 0s"`
	} `required:"false"`
}

func (s *Service) rotate(ctx context.Context, in *rotateInput) (*tokenOutput, error) {
	grace := time.Duration(0)
	if in.Body != nil && in.Body.Grace != "" {
		var err error
		if grace, err = time.ParseDuration(in.Body.Grace); err != nil || grace < 0 || grace > identity.MaxGrace {
			return nil, web.Invalid(web.FieldError{Field: "body.grace", Message: "must be a duration of at most 24h, such as 1h"})
		}
	}
	key, text, err := s.keys.Rotate(ctx, in.ID, grace)
	if err != nil {
		return nil, problem(err)
	}
	return token(key, text), nil
}

type keyInput struct {
	ID string `path:"id" maxLength:"16"`
}

func (s *Service) revoke(ctx context.Context, in *keyInput) (*struct{}, error) {
	_, err := s.keys.Revoke(ctx, in.ID)
	return nil, problem(err)
}

func problem(err error) error {
	switch {
	case errors.Is(err, platform.ErrNotFound):
		return web.NotFound("There is no API key with this id.")
	case errors.Is(err, identity.ErrKeyEnded):
		return web.NewProblem(http.StatusConflict, "key-ended", "The API key is revoked or has expired. Create another.")
	}
	return err
}

package library

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/assay-project/assay/pkg/library"
	"github.com/assay-project/assay/pkg/web"
	"github.com/assay-project/assay/services/ingest/accept"
)

func (a *Area) shareRoutes(r *web.Router) {
	accept.Register(r, a.Problem, huma.Operation{
		OperationID: "put-library-permissions", Method: http.MethodPut, Path: "/v1/library/nodes/{id}/permissions", Tags: []string{tag},
		Summary: "Set who, besides its owner, may read a node and everything below it", Description: "Users are owner ids, and groups those of the identity provider. Both require authentication: without ASSAY_AUTH=token they must be empty. Links remain valid.",
	}, a.putPermissions, changes)
	accept.Register(r, a.Problem, huma.Operation{
		OperationID: "create-library-link", Method: http.MethodPost, Path: "/v1/library/nodes/{id}/links", Tags: []string{tag},
		Summary: "Create a link that grants everyone read access to a node and everything below it", DefaultStatus: http.StatusCreated,
		Description: "Pass its token in the query parameter link.",
	}, a.postLink, changes)
	accept.Register(r, a.Problem, huma.Operation{
		OperationID: "revoke-library-links", Method: http.MethodDelete, Path: "/v1/library/nodes/{id}/links", Tags: []string{tag},
		Summary: "Revoke all links to a node", DefaultStatus: http.StatusNoContent,
	}, a.deleteLinks, changes)
}

type permissionsInput struct {
	web.IDParam
	web.CallerParam
	MatchParam
	Body struct {
		IsPublic bool     `json:"isPublic"`
		Users    []string `json:"users,omitempty" maxItems:"200"`
		Groups   []string `json:"groups,omitempty" maxItems:"200" maxLength:"256"`
	}
}

type permissionsOutput struct {
	ETag string `header:"ETag"`
	Body library.PermissionsView
}

func (a *Area) putPermissions(ctx context.Context, in *permissionsInput) (*permissionsOutput, error) {
	c := caller(in.Caller)
	if _, err := a.store.Writable(ctx, in.ID, c); err != nil {
		return nil, err
	}
	if len(in.Body.Users)+len(in.Body.Groups) > 0 && in.Caller.Credential == nil {
		return nil, web.NewProblem(http.StatusConflict, "identity-required", "This server does not authenticate callers. Make the node public, or create a link.")
	}
	for i, user := range in.Body.Users {
		if err := web.CheckOwner(user); err != nil {
			return nil, web.Invalid(web.FieldError{Field: fmt.Sprintf("body.users[%d]", i), Message: err.Error()})
		}
	}
	node, err := a.store.Share(ctx, in.ID, in.Body.IsPublic, in.Body.Users, in.Body.Groups, in.edit(c))
	return &permissionsOutput{ETag: node.ETag(), Body: node.Permissions.View()}, err
}

type linkInput struct {
	web.IDParam
	web.CallerParam
	Body struct {
		ExpiresIn string `json:"expiresIn" example:"168h" doc:"lifetime of the link, at most 720h"`
	}
}

type linkOutput struct {
	Location string `header:"Location"`
	Body     library.LinkView
}

func (a *Area) postLink(ctx context.Context, in *linkInput) (*linkOutput, error) {
	valid, err := time.ParseDuration(in.Body.ExpiresIn)
	if err != nil || valid < time.Second || valid > library.MaxLinkAge {
		return nil, web.Invalid(web.FieldError{Field: "body.expiresIn", Message: "must be a duration from 1s to 720h, such as 24h"})
	}
	c := caller(in.Caller)
	path, err := a.store.Writable(ctx, in.ID, c)
	switch {
	case err != nil:
		return nil, err
	case path.Trashed():
		return nil, library.ErrTrashed
	case path.Node().Type == library.KindUser:
		return nil, library.ErrRoot
	}
	links, err := a.links.Make(ctx)
	if err != nil {
		return nil, err
	}
	now := time.Now()
	node, err := a.store.AddLink(ctx, in.ID, now.Add(valid), library.Edit{By: c.Owner})
	if err != nil {
		return nil, err
	}
	out := &linkOutput{}
	if out.Body.Token, out.Body.ExpiresAt, err = links.Issue(node, now, valid); err != nil {
		return nil, err
	}
	out.Location = "/v1/library/links/" + out.Body.Token
	return out, nil
}

func (a *Area) deleteLinks(ctx context.Context, in *FileParam) (*struct{}, error) {
	c := caller(in.Caller)
	_, err := a.store.Writable(ctx, in.ID, c)
	if err == nil {
		_, err = a.store.RevokeLinks(ctx, in.ID, library.Edit{By: c.Owner})
	}
	return nil, err
}

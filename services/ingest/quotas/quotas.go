// Package quotas serves the operator calls that read and set the quotas of owners.
package quotas

import (
	"context"
	"errors"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/assay-project/assay/pkg/platform"
	"github.com/assay-project/assay/pkg/quota"
	"github.com/assay-project/assay/pkg/web"
)

// View contains the quotas of an owner and their usage.
type View struct {
	OwnerID string          `json:"ownerId"`
	Set     quota.Overrides `json:"set" doc:"quotas that operators have set for this owner"`
	Quotas  quota.Limits    `json:"quotas" doc:"effective quotas; 0 means no limit"`
	quota.Usage
}

type ownerInput struct {
	OwnerID string `path:"ownerId" pattern:"^[A-Za-z0-9._~@:+=-]{1,128}$"`
}

type setInput struct {
	OwnerID string `path:"ownerId" pattern:"^[A-Za-z0-9._~@:+=-]{1,128}$"`
	Body    quota.Overrides
}

type output struct{ Body View }

// calls implements the calls for quotas.
type calls struct{ quotas *quota.Quotas }

// Routes registers the calls.
func Routes(r *web.Router, q *quota.Quotas) {
	c := calls{q}
	const path, tag = "/v1/quotas/{ownerId}", "quotas"
	web.Register(r, huma.Operation{
		OperationID: "get-quotas", Method: http.MethodGet, Path: path, Tags: []string{tag}, Summary: "Get the quotas and the usage of an owner",
	}, c.get)
	web.Register(r, huma.Operation{
		OperationID: "set-quotas", Method: http.MethodPut, Path: path, Tags: []string{tag}, Summary: "Set quotas of an owner",
		Description: "Replaces the quotas that operators have set for the owner. For an absent quota, the server's settings apply; 0 means no limit. Other processes apply the change within 10 seconds. " +
			"The next sweep counts the items from before the owner's first quota of bytes, items or uploads.",
	}, c.set, web.Refusals{http.StatusConflict: {"changed-meanwhile"}})
}

func (c calls) get(ctx context.Context, in *ownerInput) (*output, error) {
	o, err := c.quotas.Overrides(ctx, in.OwnerID)
	if err != nil {
		return nil, err
	}
	return c.output(ctx, in.OwnerID, o)
}

func (c calls) set(ctx context.Context, in *setInput) (*output, error) {
	err := c.quotas.Set(ctx, in.OwnerID, in.Body)
	if errors.Is(err, platform.ErrChanged) {
		return nil, web.NewProblem(http.StatusConflict, "changed-meanwhile", "The quotas of the owner were changed concurrently. Read them and try again.")
	}
	if err != nil {
		return nil, err
	}
	return c.output(ctx, in.OwnerID, in.Body)
}

func (c calls) output(ctx context.Context, owner string, set quota.Overrides) (*output, error) {
	limits := c.quotas.Effective(set)
	usage, err := c.quotas.Usage(ctx, owner, limits)
	return &output{View{OwnerID: owner, Set: set, Quotas: limits, Usage: usage}}, err
}

package webhook

import (
	"context"
	"errors"
	"net/http"

	"github.com/assay-project/assay/pkg/web"
)

// Address is an address at which callers manage endpoints: their own, or those of the operators.
type Address struct {
	Endpoints *Endpoints
	Operators bool
}

// Refused are the problems of calls without an owner.
func (a Address) Refused() web.Refusals {
	return web.Refusals{http.StatusBadRequest: {"owner-required"}}
}

// Owner returns the owner of the endpoints that a caller manages, or a problem if it has none.
func (a Address) Owner(c web.Caller) (string, error) {
	switch {
	case a.Operators:
		return Operators, nil
	case c.Owner == "":
		return "", web.NewProblem(http.StatusBadRequest, "owner-required", "Endpoints belong to an owner. Send its id in the header "+web.OwnerHeader+".")
	}
	return c.Owner, nil
}

// Target is an endpoint of the caller: embed it in the input of an operation.
type Target struct {
	web.CallerParam
	ID string `path:"id" maxLength:"36"`
}

// Find reads an endpoint of a caller with the version of its document, or returns a problem.
func (a Address) Find(ctx context.Context, t Target) (e Endpoint, version int64, err error) {
	owner, err := a.Owner(t.Caller)
	if err != nil {
		return e, 0, err
	}
	e, version, err = a.Endpoints.Get(ctx, owner, t.ID)
	if errors.Is(err, ErrNotFound) {
		err = web.NotFound("There is no webhook endpoint with this id.")
	}
	return e, version, err
}

package web

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"
)

// Role grants a caller additional rights.
type Role string

// Operator may manage the service and see the items of all owners.
const Operator Role = "operator"

// Caller identifies the sender of a request. The router resolves it once, before the handler runs.
type Caller struct {
	// Owner is the owner of the items that the caller reads and writes. A Credential proves it;
	// without one it is the anonymous id in OwnerHeader, empty if the request has none.
	Owner string
	// Roles lists the roles in the router's Options that the caller has.
	Roles []Role
	// Client is the key by which limits count the client; see ClientOf.
	Client string
	// Credential proved the identity of the caller. It is nil for an anonymous caller.
	Credential *Credential

	secured bool // whether the address authenticates its callers
}

type callerKey struct{}

// CallerOf returns the caller of a request from its handler's context. Outside of a Router it is
// the zero Caller.
func CallerOf(ctx context.Context) Caller {
	caller, _ := ctx.Value(callerKey{}).(Caller)
	return caller
}

// Has reports whether the caller has a role.
func (c Caller) Has(role Role) bool { return slices.Contains(c.Roles, role) }

// Groups returns the groups of a caller with a Credential.
func (c Caller) Groups() []string {
	if c.Credential == nil {
		return nil
	}
	return c.Credential.Groups
}

// MaySee reports whether the caller may see items of an owner that it names by their ids. An anonymous caller may
// see all; a caller with a Credential only its own, unless it is an operator.
func (c Caller) MaySee(owner string) bool {
	return !c.secured || owner == c.Owner || c.Has(Operator)
}

// ActFor returns nil if the caller may act for the owner named by a field of the request, such as path.ownerId.
// An anonymous caller may act for every owner whose id it knows. For a caller with a Credential that is not an
// operator, another owner is a 404 problem. A malformed id is a 422 problem.
func (c Caller) ActFor(owner, field string) error {
	if !validOwner(owner) {
		return Invalid(FieldError{Field: field, Message: badOwner})
	}
	if !c.MaySee(owner) {
		return NotFound("There is no owner with this id.")
	}
	return nil
}

// retryFull is the Retry-After for a client that a limiter rejected.
const retryFull = time.Second

// Enter takes a slot in a limiter. what names the limited resource in the plural, such as "waiting requests". The
// handler calls leave once. Enter returns a 429 problem if the client has no free slot, and a 503 problem if no
// slot is free for any client. Both state the limit.
func (c Caller) Enter(limiter *Limiter, what string) (leave func(), err error) {
	leave, err = limiter.enter(c.Client)
	switch {
	case errors.Is(err, ErrClientFull):
		return nil, NewProblem(http.StatusTooManyRequests, "too-many-at-once",
			fmt.Sprintf("This client has %d %s, which is the limit. Wait until one ends.", limiter.perClient, what)).
			WithHeader("Retry-After", seconds(retryFull)).WithHeader("Connection", "close") // an idle connection uses memory too
	case errors.Is(err, ErrFull):
		return nil, Unavailable(fmt.Sprintf("This server has %d %s, which is the limit.", limiter.total, what), retryFull).
			WithHeader("Connection", "close")
	}
	return leave, err
}

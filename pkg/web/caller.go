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

// Acting returns the caller that acts for an owner outside of a request. It has the permissions of the owner alone: no roles, and
// no groups.
func Acting(owner string) Caller { return Caller{Owner: owner, secured: true} }

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

// ActFor returns nil if the caller may act for the owner named by a field of the request, such as path.ownerId. An
// anonymous caller may act for the owner that OwnerHeader or OwnerCookie names, and without these for every owner whose
// id it knows. A caller with a Credential may act for its own owner, and an operator for every owner. For others, the
// owner is a 404 problem. A malformed id is a 422 problem.
func (c Caller) ActFor(owner, field string) error {
	if !validOwner(owner) {
		return Invalid(FieldError{Field: field, Message: badOwner})
	}
	if owner != c.Owner && !c.Has(Operator) && (c.secured || c.Owner != "") {
		return NotFound("There is no owner with this id.")
	}
	return nil
}

// retryFull is the Retry-After for a client that a limiter rejected.
const retryFull = time.Second

// Tenant returns the unit of fairness of a caller: its owner, or its client if it has no owner. An owner cannot have the
// name of a client.
func (c Caller) Tenant() string {
	if c.Owner == "" {
		return "client " + c.Client
	}
	return c.Owner
}

// holder returns the holder of a slot in a Limiter.
func (c Caller) holder() holder { return holder{c.Client, c.Owner} }

// Enter takes a slot in a limiter. what names the limited resource in the plural, such as "waiting requests". The
// handler calls leave once. Enter returns a 429 problem if the client or the owner has no free slot, and a 503 problem
// if no slot is free for any caller. All state the limit.
func (c Caller) Enter(limiter *Limiter, what string) (leave func(), err error) {
	leave, err = limiter.enter(c.holder())
	switch {
	case errors.Is(err, ErrClientFull):
		return nil, limiter.refusal(limiter.perClient, "This client has %d %s, which is the limit. Wait until one ends.", what)
	case errors.Is(err, ErrOwnerFull):
		return nil, limiter.refusal(limiter.perOwner, "This owner has %d %s, which is its share of the limit. Wait until one ends.", what)
	case errors.Is(err, ErrFull):
		return nil, Unavailable(fmt.Sprintf("This server has %d %s, which is the limit.", limiter.total, what), retryFull).
			WithHeader("Connection", "close")
	}
	return leave, err
}

// Wait is like Limiter.Wait, for the client and the owner of a caller.
func (c Caller) Wait(ctx context.Context, limiter *Limiter) (leave func(), err error) {
	return limiter.wait(ctx, c.holder())
}

// refusal returns the 429 problem for a limit. detail has verbs for the limit and for what it limits.
func (l *Limiter) refusal(limit int, detail, what string) *Problem {
	p := NewProblem(http.StatusTooManyRequests, "too-many-at-once", fmt.Sprintf(detail, limit, what)).
		WithHeader("Retry-After", seconds(retryFull)).WithHeader("Connection", "close") // an idle connection uses memory too
	if l.name != "" {
		p = p.WithRateLimit(RateLimit{Policy: l.name, Quota: int64(limit), Unit: "concurrent-requests"})
	}
	return p
}

package web

import (
	"errors"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
)

// ClientParam is the client of a typed operation: embed it in the input.
type ClientParam struct {
	remoteAddr string
}

// Resolve is called by huma once the request is read.
func (p *ClientParam) Resolve(ctx huma.Context) []error {
	p.remoteAddr = ctx.RemoteAddr()
	return nil
}

// EnterFor takes a place in a limiter for the client of a typed operation. A
// full limiter is a 429 or 503 problem with what as its detail.
func (p *ClientParam) EnterFor(limiter *Limiter, what string) (leave func(), err error) {
	leave, err = limiter.Enter(p.remoteAddr)
	switch {
	case errors.Is(err, ErrClientFull):
		return nil, NewProblem(http.StatusTooManyRequests, "too-many-at-once", "This client has too many "+what+". Wait until one ends.").
			WithHeader("Retry-After", "1").WithHeader("Connection", "close") // an idle connection takes memory too
	case errors.Is(err, ErrFull):
		return nil, Unavailable("There are too many "+what+".", time.Second).WithHeader("Connection", "close")
	}
	return leave, err
}

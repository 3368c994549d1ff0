// Package remote fetches the pages that owners import, and the pictures that those pages specify.
package remote

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"

	"github.com/assay-project/assay/pkg/guard"
	"github.com/assay-project/assay/pkg/guard/fetch"
	"github.com/assay-project/assay/pkg/library"
	"github.com/assay-project/assay/pkg/reason"
)

// Fetcher fetches documents within the limits library.ImportTime and library.MaxPage. It is safe for
// concurrent use.
type Fetcher struct{ client fetch.Client }

// New returns a Fetcher that requests only addresses allowed by the policy. The caller must close it.
func New(p guard.Policy) *Fetcher {
	return &Fetcher{fetch.Client{HTTP: guard.Client(p, library.ImportTime), MaxBody: library.MaxPage}}
}

// Close closes idle connections.
func (f *Fetcher) Close() { f.client.HTTP.CloseIdleConnections() }

// ErrTemporary means that a later attempt may succeed.
const ErrTemporary = reason.PageUnavailable

// Get fetches a document. It returns ErrTemporary, or a permanent error if a later attempt cannot succeed or the
// document is empty. No error contains an IP address that a host name resolves to, because it may be in a
// private network.
func (f *Fetcher) Get(ctx context.Context, url string) (fetch.Response, error) {
	r, err := f.client.Get(ctx, fetch.Request{URL: url, Header: http.Header{"Accept": {"text/html,application/xhtml+xml,application/pdf,image/*;q=0.9,*/*;q=0.1"}}})
	lookup, unresolved := errors.AsType[*net.DNSError](err)
	timeout, slow := errors.AsType[net.Error](err)
	switch {
	case errors.Is(err, guard.ErrBlocked):
		return r, fmt.Errorf("%w: %w", reason.AddressBlocked, err)
	case errors.Is(err, fetch.ErrTooLarge):
		return r, reason.PageTooLarge.Fill(library.MaxPage)
	case unresolved && lookup.IsNotFound:
		return r, reason.PageNoServer.Fill(lookup.Name)
	case ctx.Err() != nil:
		return r, context.Cause(ctx)
	case unresolved:
		return r, ErrTemporary.With(reason.NameNotResolved, lookup.Name)
	case slow && timeout.Timeout():
		return r, ErrTemporary.With(reason.NoResponseWithin, library.ImportTime)
	case err != nil:
		return r, ErrTemporary.With(reason.Unreachable)
	case r.Status == http.StatusRequestTimeout, r.Status == http.StatusTooEarly, r.Status == http.StatusTooManyRequests, r.Status >= http.StatusInternalServerError:
		return r, ErrTemporary.With(reason.StatusCode, r.Status)
	case r.Status != http.StatusOK:
		return r, reason.PageStatus.Fill(r.Status)
	case len(r.Body) == 0:
		return r, reason.PageEmpty
	}
	return r, nil
}

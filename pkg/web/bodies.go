package web

import (
	"context"
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
	"golang.org/x/sync/semaphore"
)

const (
	// DefaultBodies is the limit in bytes of a Router without Bodies.
	DefaultBodies = 32 << 20
	// bodiesWait is the longest wait of a request for others to release memory.
	bodiesWait = 2 * time.Second
)

// ErrBodiesFull is returned by Grow when request bodies use all of their memory limit.
var ErrBodiesFull = errors.New("web: the memory limit for request bodies is reached")

// Bodies limits the bytes of request bodies that the handlers of a process buffer. A body counts by
// the bytes that have arrived, not by its Content-Length, so that idle clients use none of the
// limit.
type Bodies struct{ free *semaphore.Weighted }

// NewBodies returns Bodies with a limit in bytes. All routers of a process share one.
func NewBodies(limit int64) *Bodies { return &Bodies{semaphore.NewWeighted(limit)} }

// Hold returns a Hold of zero bytes. The caller releases it.
func (b *Bodies) Hold() *Hold { return &Hold{bodies: b} }

// Hold is one holder's share of the limit, in bytes. It is not safe for concurrent use.
type Hold struct {
	bodies *Bodies
	bytes  int64
}

// Grow adds n bytes. At the limit it waits up to 2 seconds for others to release theirs, then
// returns ErrBodiesFull.
func (h *Hold) Grow(ctx context.Context, n int64) error {
	if !h.bodies.free.TryAcquire(n) {
		wait, cancel := context.WithTimeout(ctx, bodiesWait)
		defer cancel()
		if err := h.bodies.free.Acquire(wait, n); err != nil {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			return ErrBodiesFull
		}
	}
	h.bytes += n
	return nil
}

// Release returns all bytes. A nil Hold has none.
func (h *Hold) Release() {
	if h != nil {
		h.bodies.free.Release(h.bytes)
		h.bytes = 0
	}
}

// Reader reads from r and grows the hold by the bytes read.
func (h *Hold) Reader(ctx context.Context, r io.Reader) io.Reader {
	return &heldReader{ctx: ctx, hold: h, from: r}
}

type heldReader struct {
	ctx  context.Context
	hold *Hold
	from io.Reader
}

func (r *heldReader) Read(p []byte) (int, error) {
	n, err := r.from.Read(p)
	if n > 0 {
		if err := r.hold.Grow(r.ctx, int64(n)); err != nil {
			return 0, err
		}
	}
	return n, err
}

// HoldBody counts the bytes that are read from the body of a request, until the caller releases them.
func (b *Bodies) HoldBody(r *http.Request) (release func()) {
	hold := b.Hold()
	r.Body = struct {
		io.Reader
		io.Closer
	}{hold.Reader(r.Context(), r.Body), r.Body}
	return hold.Release
}

// holdBody is the middleware of typed operations, which buffer their bodies.
func (r *Router) holdBody(ctx huma.Context, next func(huma.Context)) {
	req, _ := humago.Unwrap(ctx)
	if req.Body == nil || req.Body == http.NoBody {
		next(ctx)
		return
	}
	defer r.Bodies.HoldBody(req)()
	next(ctx)
}

// bodiesProblem returns the problem for ErrBodiesFull.
func bodiesProblem() *Problem {
	return Unavailable("The memory for request bodies is used up. Try again.", time.Second).
		WithHeader("Connection", "close") // the rest of the body is not read
}

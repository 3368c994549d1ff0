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
	// DefaultBodies is the limit of the Bodies of a Router that is given none, in bytes.
	DefaultBodies = 32 << 20
	// bodiesWait is how long a request waits for others to release memory.
	bodiesWait = 2 * time.Second
)

// ErrBodiesFull is returned by Grow when request bodies hold all the memory that they may.
var ErrBodiesFull = errors.New("web: the limit of memory for request bodies is reached")

// Bodies bounds the bytes of request bodies that the handlers of a process hold in memory together. A
// body counts by what has arrived of it, not by its Content-Length, so that idle clients hold nothing.
type Bodies struct{ free *semaphore.Weighted }

// NewBodies returns a limit of so many bytes. Routers of one process share one.
func NewBodies(limit int64) *Bodies { return &Bodies{semaphore.NewWeighted(limit)} }

// Hold returns an account of zero bytes. The caller releases it.
func (b *Bodies) Hold() *Hold { return &Hold{bodies: b} }

// Hold is the bytes that one holder has of the limit. It is for one goroutine at a time.
type Hold struct {
	bodies *Bodies
	bytes  int64
}

// Grow adds n bytes. At the limit it waits 2 seconds for others to release theirs, and then returns
// ErrBodiesFull.
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

// Release gives all bytes back. A nil Hold has none.
func (h *Hold) Release() {
	if h != nil {
		h.bodies.free.Release(h.bytes)
		h.bytes = 0
	}
}

// Reader reads from r, and grows the hold by what it reads.
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

// holdBody is the middleware of typed operations, whose bodies are read whole.
func (r *Router) holdBody(ctx huma.Context, next func(huma.Context)) {
	req, _ := humago.Unwrap(ctx)
	if req.Body == nil || req.Body == http.NoBody {
		next(ctx)
		return
	}
	hold := r.Bodies.Hold()
	defer hold.Release()
	req.Body = struct {
		io.Reader
		io.Closer
	}{hold.Reader(req.Context(), req.Body), req.Body}
	next(ctx)
}

// bodiesProblem is the problem of ErrBodiesFull.
func bodiesProblem() *Problem {
	return Unavailable("The service is reading as many request bodies as its memory allows. Try again.", time.Second).
		WithHeader("Connection", "close") // the rest of the body is not read
}

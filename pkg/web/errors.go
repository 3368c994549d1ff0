package web

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"syscall"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/rs/zerolog"

	"github.com/assay-project/assay/pkg/obs"
	"github.com/assay-project/assay/pkg/outage"
)

// ErrDraining is the context.Cause of a request that is aborted by shutdown.
var ErrDraining = errors.New("web: the server is stopping")

// StatusClientGone is the status in logs and metrics for a client that disconnected before its
// response. The number is the one that nginx uses; HTTP defines none.
const StatusClientGone = 499

// WriteError responds to a plain handler's request with the problem for err. It must be called
// before anything is written. Causes of a status of 500 or above are logged here, once, with the
// logger that the router put into the request's context.
func WriteError(w http.ResponseWriter, r *http.Request, err error) {
	p := settle(r.Context(), problemOf(r.Context(), err))
	for name, values := range p.header {
		w.Header()[name] = values
	}
	w.Header().Set("Content-Type", p.ContentType(""))
	w.WriteHeader(p.Status)
	// A Problem contains only strings and a number, so encoding cannot fail. A write fails only
	// when the client has disconnected.
	_ = encode(w, p)
}

// problemOf returns the problem to send for err.
func problemOf(ctx context.Context, err error) *Problem {
	return CallerOf(ctx).hidden(problemFor(ctx, err))
}

func problemFor(ctx context.Context, err error) *Problem {
	if p, ok := errors.AsType[*Problem](err); ok {
		if error(p) == err { //nolint:errorlint // checks whether p is wrapped
			return p
		}
		outer := *p // keep the wrapping error's text for the log
		outer.cause = err
		return &outer
	}
	if model, ok := errors.AsType[*huma.ErrorModel](err); ok {
		return problemOfModel(model)
	}
	if tooLarge, ok := errors.AsType[*http.MaxBytesError](err); ok {
		p := statusProblem(http.StatusRequestEntityTooLarge)
		p.Detail = largest(tooLarge.Limit)
		return p.WithHeader("Connection", "close") // the rest of the body is not read
	}
	switch {
	case errors.Is(err, ErrBodyStalled): // first, because net/http cancels the context of a read that timed out
		return statusProblem(http.StatusRequestTimeout).WithHeader("Connection", "close")
	case errors.Is(err, ErrBodiesFull):
		return bodiesProblem().Because(err)
	case errors.Is(context.Cause(ctx), ErrDraining):
		return Unavailable("The server is stopping.", time.Second)
	case ctx.Err() != nil:
		return statusProblem(StatusClientGone)
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT), codeOf(err) == storageFull:
		return StorageFull(err)
	case errors.Is(err, context.DeadlineExceeded), isTimeout(err):
		return Unavailable("A backend of this service did not respond in time.", time.Second).Because(err)
	case isOutage(err), isUnavailable(err):
		return Unavailable("A backend of this service is unavailable.", time.Second).Because(err)
	}
	return Internal(err)
}

// storageFull is the code with which the embedded backends report a full disk.
const storageFull = "StorageFull"

// StorageFull returns the 503 problem for a backend whose disk is full.
func StorageFull(cause error) *Problem {
	p := NewProblem(http.StatusServiceUnavailable, "storage-full", "A disk of this service is full. Free space, then try again.")
	return p.WithHeader("Retry-After", "10").Because(cause)
}

// The errors of the AWS SDK are recognized by their methods.

func isTimeout(err error) bool {
	late, ok := errors.AsType[interface {
		error
		Timeout() bool
	}](err)
	return ok && late.Timeout()
}

func isOutage(err error) bool {
	_, ok := errors.AsType[*outage.Error](err)
	return ok
}

func isUnavailable(err error) bool {
	answer, ok := errors.AsType[interface {
		error
		HTTPStatusCode() int
	}](err)
	return ok && answer.HTTPStatusCode() == http.StatusServiceUnavailable
}

func codeOf(err error) string {
	if answer, ok := errors.AsType[interface {
		error
		ErrorCode() string
	}](err); ok {
		return answer.ErrorCode()
	}
	return ""
}

// settle returns the copy of p that is sent. It sets the instance, and logs the cause, which is not
// sent, unless the client disconnected or the request was aborted.
func settle(ctx context.Context, p *Problem) *Problem {
	sent := *p
	if id := obs.TraceFrom(ctx).RequestID; id != "" && sent.Instance == "" {
		sent.Instance = "urn:assay:request:" + url.PathEscape(id)
	}
	if sent.cause != nil && sent.Status >= http.StatusInternalServerError && ctx.Err() == nil {
		level := zerolog.ErrorLevel
		if sent.Status == http.StatusServiceUnavailable {
			level = zerolog.WarnLevel
		}
		zerolog.Ctx(ctx).WithLevel(level).Err(sent.cause).Str("problem", sent.Type).Int("status", sent.Status).
			Msg("request failed")
	}
	return &sent
}

package web

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/rs/zerolog"

	"github.com/assay-project/assay/pkg/obs"
	"github.com/assay-project/assay/pkg/outage"
)

// ServeHTTP wraps every request: it puts trace and logger into the context, limits slow clients,
// recovers from panics, counts the request and writes one log line.
func (r *Router) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	began := time.Now()
	ctx, span := beginTrace(req)
	w.Header().Set("X-Content-Type-Options", "nosniff")
	sent := obs.TraceFrom(ctx)
	w.Header().Set("X-Request-Id", sent.RequestID)
	w.Header().Set("Traceparent", sent.Parent)
	if sent.State != "" {
		w.Header().Set("Tracestate", sent.State)
	}
	ctx = outage.Bounded(ctx)
	log := obs.Log(ctx, r.log)
	req = req.WithContext(log.WithContext(ctx))
	paceBody(w, req)
	answer := newResponse(w, req, &r.packers)

	r.metrics.inFlight.Inc()
	defer func() {
		cut := recovered(recover(), answer, req, &log)
		answer.end(cut)
		r.metrics.inFlight.Dec()
		endTrace(span, req, r.account(answer, req, &log, time.Since(began)))
		if cut {
			panic(http.ErrAbortHandler)
		}
	}()
	r.route(answer, req)
}

func (r *Router) route(w http.ResponseWriter, req *http.Request) {
	if err := r.hosts.check(req); err != nil {
		WriteError(w, req, err)
		return
	}
	verdict, pattern := r.Mux.Handler(req)
	if pattern == "" {
		r.unmatched(w, req, verdict)
		return
	}
	req.Pattern = pattern // account reads it, also for requests that are rejected here
	if err := r.origin.check(req); err != nil {
		log := obs.Log(req.Context(), r.log)
		log.Warn().Str("route", routeOf(req)).Str("origin", req.Header.Get("Origin")).Msg("refused a cross-origin request")
		WriteError(w, req, NewProblem(http.StatusForbidden, "cross-origin",
			"Cross-origin requests are not allowed."))
		return
	}
	caller, err := r.identify(w, req)
	ctx := context.WithValue(req.Context(), callerKey{}, caller)
	if endpoint := req.Header.Get(WebhookHeader); endpoint != "" {
		ctx = context.WithValue(ctx, webhookKey{}, endpoint)
	}
	if r.throttle != nil {
		ctx = context.WithValue(ctx, throttleKey{}, r.throttle)
	}
	*req = *req.WithContext(ctx) // in place, because account reads its Pattern
	if err == nil {
		err = r.checkAnonymous(req, caller)
	}
	if err != nil {
		r.recordRefused(req, caller, err)
		WriteError(w, req, err)
		return
	}
	if err := r.checkQuery(req); err != nil {
		WriteError(w, req, err)
		return
	}
	if encoding := req.Header.Get("Content-Encoding"); req.ContentLength != 0 && encoding != "" && !strings.EqualFold(encoding, "identity") {
		WriteError(w, req, NewProblem(http.StatusUnsupportedMediaType, "unsupported-content-encoding",
			"A Content-Encoding is not supported. Send the body without one.").WithHeader("Accept-Encoding", "identity"))
		return
	}
	if r.writable != nil && slices.Contains([]string{http.MethodPost, http.MethodPut, http.MethodPatch}, req.Method) {
		if err := r.writable(); err != nil {
			WriteError(w, req, StorageFull(err).WithHeader("Connection", "close")) // the body is not read
			return
		}
	}
	if err := r.throttle.admit(w.Header(), req.URL.Path, caller); err != nil {
		WriteError(w, req, err)
		return
	}
	if err := r.record(w, req, caller); err != nil {
		WriteError(w, req, err)
		return
	}
	r.Mux.ServeHTTP(w, req)
}

// recovered responds for a handler that panicked with cause. cut reports whether the connection
// must be closed because a response has begun that cannot be completed.
func recovered(cause any, w *response, req *http.Request, log *zerolog.Logger) (cut bool) {
	if cause == nil {
		return false
	}
	if err, ok := cause.(error); ok && errors.Is(err, http.ErrAbortHandler) {
		return true
	}
	log.Error().Str("panic", fmt.Sprint(cause)).Bytes("stack", debug.Stack()).Msg("handler panicked")
	if w.status != 0 {
		return true
	}
	maps.DeleteFunc(w.Header(), func(name string, _ []string) bool { return strings.HasPrefix(name, "Content-") })
	WriteError(w, req, statusProblem(http.StatusInternalServerError))
	return false
}

// account records a finished request in metrics and log, and returns its status. Probes are logged at debug level only.
func (r *Router) account(w *response, req *http.Request, log *zerolog.Logger, took time.Duration) (status int) {
	status = w.status
	gone := req.Context().Err() != nil && !errors.Is(context.Cause(req.Context()), ErrDraining)
	switch {
	case gone && (status == 0 || status >= http.StatusInternalServerError):
		status = StatusClientGone
	case status == 0:
		status = http.StatusOK // net/http writes it for a handler that wrote nothing
	}
	route := routeOf(req)
	r.metrics.observe(req.Method, route, status, took)

	level := zerolog.InfoLevel
	if isProbe(route) {
		level = zerolog.DebugLevel
	}
	line := log.WithLevel(level).Str("method", req.Method).Str("route", route).Int("status", status).Int64("bytes", w.bytes).
		Dur("duration_ms", took).Str("client", addressOf(req.RemoteAddr))
	if owner := CallerOf(req.Context()).Owner; owner != "" {
		line.Str("owner", OwnerDigest(owner))
	}
	line.Msg("request")
	return status
}

// routeOf returns the pattern of the path that a request matched.
func routeOf(req *http.Request) string {
	_, route, found := strings.Cut(req.Pattern, " ")
	if !found {
		route = req.Pattern
	}
	return cmp.Or(route, "unmatched")
}

// addressOf returns the address of a client without its port.
func addressOf(remoteAddr string) string {
	host, _, err := net.SplitHostPort(remoteAddr)
	if err != nil {
		return remoteAddr
	}
	return host
}

// OwnerDigest returns the digest of an owner id for logs and operators: 12 hexadecimal digits of its SHA-256, or "" without an
// owner. The id itself is not shown, because it acts as a credential.
func OwnerDigest(owner string) string {
	if owner == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(owner))
	return hex.EncodeToString(sum[:6])
}

// unmatched responds to a path that the mux does not serve with the mux's own result: 404, 405 with
// Allow, or a redirect to the clean path.
func (r *Router) unmatched(w http.ResponseWriter, req *http.Request, verdict http.Handler) {
	said := &verdictWriter{header: http.Header{}}
	verdict.ServeHTTP(said, req)
	switch said.status {
	case http.StatusNotFound:
		if r.missing != nil && FromBrowser(req.Header.Get("Accept")) {
			r.missing.ServeHTTP(w, req)
			return
		}
		WriteError(w, req, statusProblem(http.StatusNotFound))
	case http.StatusMethodNotAllowed:
		problem := statusProblem(http.StatusMethodNotAllowed)
		WriteError(w, req, problem.WithHeader("Allow", said.header.Get("Allow")))
	default:
		maps.Copy(w.Header(), said.header)
		w.WriteHeader(said.status)
	}
}

// FromBrowser reports whether an Accept header is that of a page that a person opens.
func FromBrowser(accept string) bool {
	first, _, _ := strings.Cut(accept, ",")
	first, _, _ = strings.Cut(first, ";")
	return strings.EqualFold(strings.TrimSpace(first), "text/html")
}

// verdictWriter stores the header of a response and drops its body.
type verdictWriter struct {
	header http.Header
	status int
}

func (w *verdictWriter) Header() http.Header         { return w.header }
func (w *verdictWriter) WriteHeader(status int)      { w.status = status }
func (w *verdictWriter) Write(p []byte) (int, error) { return len(p), nil }

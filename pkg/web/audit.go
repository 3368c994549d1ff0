package web

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/assay-project/assay/pkg/obs"
)

// Write describes a request that may change something, for the audit log.
type Write struct {
	Operation string // the id of the operation in the OpenAPI document
	Method    string
	Path      string // path of the request
	RequestID string
	Caller    Caller
	Address   string // address of the client
}

// Audit records a write before its handler runs. recorded is called with the status before the response is sent. If
// Audit returns an error, the handler does not run.
type Audit func(context.Context, Write) (recorded func(status int), err error)

// auditRetry is the Retry-After while the audit log cannot be written.
const auditRetry = 5 * time.Second

// record records a request of a router with an audit log, unless its method is safe. POST operations that only read
// are recorded too.
func (r *Router) record(w http.ResponseWriter, req *http.Request, caller Caller) error {
	if r.audit == nil || !writes(req.Method) {
		return nil
	}
	recorded, err := r.audit(req.Context(), r.write(req, caller))
	if err != nil {
		return Unavailable("The audit log is unavailable. The request was not processed.", auditRetry).Because(err)
	}
	if answer, ok := w.(*response); ok {
		answer.before = recorded
	}
	return nil
}

// recordRefused records a write that is rejected with err because the caller's credential does not allow it. If it
// cannot be recorded, the response stays the same. Above the limit of recorded refusals it only writes a log line.
func (r *Router) recordRefused(req *http.Request, caller Caller, err error) {
	p, is := errors.AsType[*Problem](err)
	if r.audit == nil || !writes(req.Method) || !is || p.Status != http.StatusForbidden {
		return
	}
	log := obs.Log(req.Context(), r.log)
	if !r.refused.take(time.Now()) {
		log.Warn().Str("route", routeOf(req)).Str("owner", OwnerDigest(caller.Owner)).Msg("too many refused writes: one is missing from the audit log")
		return
	}
	recorded, err := r.audit(req.Context(), r.write(req, caller))
	if err != nil {
		log.Error().Err(err).Str("route", routeOf(req)).Msg("a refused write is missing from the audit log")
		return
	}
	recorded(p.Status)
}

// writes reports whether requests of a method may change something.
func writes(method string) bool {
	return method != http.MethodGet && method != http.MethodHead && method != http.MethodOptions
}

func (r *Router) write(req *http.Request, caller Caller) Write {
	return Write{
		Operation: r.operations()[req.Pattern], Method: req.Method, Path: req.URL.Path,
		RequestID: obs.TraceFrom(req.Context()).RequestID, Caller: caller, Address: addressOf(req.RemoteAddr),
	}
}

// recordedRefusals limits how many refused writes are recorded, so that users who are not operators cannot displace the
// entries of operators: a burst of maxRefusals, and then one per refusalPause.
type recordedRefusals struct {
	mu   sync.Mutex
	used int
	at   time.Time // time of the last decrease of used
}

const (
	maxRefusals  = 100
	refusalPause = time.Minute
)

func (l *recordedRefusals) take(now time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if free := int(now.Sub(l.at) / refusalPause); free >= l.used {
		l.used, l.at = 0, now
	} else {
		l.used, l.at = l.used-free, l.at.Add(time.Duration(free)*refusalPause)
	}
	if l.used >= maxRefusals {
		return false
	}
	l.used++
	return true
}

// operationIDs returns the id of each operation, by its pattern.
func (r *Router) operationIDs() map[string]string {
	ids := map[string]string{}
	for pattern, op := range Operations(r.API.OpenAPI()) {
		ids[pattern] = op.OperationID
	}
	return ids
}

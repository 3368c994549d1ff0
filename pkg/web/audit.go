package web

import (
	"context"
	"net/http"
	"time"

	"github.com/assay-project/assay/pkg/obs"
)

// Write is a request that may change something, for the audit log.
type Write struct {
	Operation string // the id of the operation in the OpenAPI document
	Method    string
	Path      string // of the request, with what it is about
	RequestID string
	Caller    Caller
	Address   string // of the client
}

// Audit records a write before its handler runs. recorded is called with the status before the response is sent. After
// an error of Audit the handler does not run.
type Audit func(context.Context, Write) (recorded func(status int), err error)

// auditRetry is the Retry-After while the audit log cannot be written.
const auditRetry = 5 * time.Second

// record records a request of a router with an audit log, unless its method is safe. Operations that only read with
// POST are recorded, too.
func (r *Router) record(w http.ResponseWriter, req *http.Request, caller Caller) error {
	if r.audit == nil || req.Method == http.MethodGet || req.Method == http.MethodHead || req.Method == http.MethodOptions {
		return nil
	}
	recorded, err := r.audit(req.Context(), Write{
		Operation: r.operations()[req.Pattern], Method: req.Method, Path: req.URL.Path,
		RequestID: obs.TraceFrom(req.Context()).RequestID, Caller: caller, Address: addressOf(req.RemoteAddr),
	})
	if err != nil {
		return Unavailable("The audit log cannot be written. The request was not processed.", auditRetry).Because(err)
	}
	if answer, ok := w.(*response); ok {
		answer.before = recorded
	}
	return nil
}

// operationIDs returns the id of each operation, by its pattern.
func (r *Router) operationIDs() map[string]string {
	ids := map[string]string{}
	for pattern, op := range Operations(r.API.OpenAPI()) {
		ids[pattern] = op.OperationID
	}
	return ids
}

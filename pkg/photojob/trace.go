package photojob

import (
	"context"
	"strings"

	"github.com/assay-project/assay/pkg/obs"
)

// Traced returns the job with the ids of the request that created it. The trace id is in X-Ray format.
func (j Job) Traced(t obs.Trace) Job {
	j.CorrelationID = t.RequestID
	if id := t.ID(); id != "" {
		j.TraceID = "1-" + id[:8] + "-" + id[8:]
	}
	return j
}

// Trace returns a context with the trace of the request that created the job. Its span is unknown.
func (j Job) Trace(ctx context.Context) context.Context {
	return obs.WithTraceID(ctx, j.CorrelationID, strings.ReplaceAll(strings.TrimPrefix(j.TraceID, "1-"), "-", ""))
}

package photojob

import (
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

// Trace returns the trace of the request that created the job, with a new span id.
func (j Job) Trace() obs.Trace {
	id := strings.ReplaceAll(strings.TrimPrefix(j.TraceID, "1-"), "-", "")
	return obs.ContinueTrace(j.CorrelationID, "00-"+id+"-0000000000000001-00", "")
}

package consume

import (
	"fmt"
	"sync"
	"time"

	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/event"
)

// During an upgrade, processes of two versions share a consumer. A message that this version does not support is left for a
// newer process: it is redelivered, after pauses that grow, without using an attempt. If no newer process has taken it after
// bus.Consumer.Leave, the consumer gives up on it, because the upgrade was not completed or was undone.
const (
	leaveFirst = time.Second
	leaveMost  = time.Minute
)

// newer returns an error if the message has a version that this process does not support.
func (w *consumerRun) newer(d bus.Delivery) error {
	if supported := w.bus.Version(w.consumer.Stream); d.Version > supported {
		return fmt.Errorf("%w: version %d of %s; this one supports %d", event.ErrNewer, d.Version, d.Type, supported)
	}
	return nil
}

// leavable reports whether a message that this process does not support is left to newer ones.
func (w *consumerRun) leavable(d bus.Delivery) bool { return time.Since(d.Stored) < w.consumer.Leave }

// leaveDelay returns the time to the redelivery of a message that was left, by the server's number of the delivery. It
// begins short, because every second process may already be a newer one.
func leaveDelay(delivered int) time.Duration {
	return min(leaveFirst<<min(max(delivered-1, 0), 6), leaveMost)
}

// reported remembers causes that were logged. Its zero value is ready for use.
type reported struct {
	mu   sync.Mutex
	seen map[string]bool
}

// mostReported is the maximum number of causes that are remembered. Further ones count as seen.
const mostReported = 100

// first reports whether a cause is seen for the first time.
func (r *reported) first(cause string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.seen[cause] || len(r.seen) >= mostReported {
		return false
	}
	if r.seen == nil {
		r.seen = map[string]bool{}
	}
	r.seen[cause] = true
	return true
}

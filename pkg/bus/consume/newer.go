package consume

import (
	"fmt"
	"sync"
	"time"

	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/event"
)

// During an upgrade, processes of two versions share a consumer. A message that this version does not support is left for a
// newer process: it is redelivered after a pause, without using an attempt. If no newer process has taken it after
// bus.Consumer.Leave, the consumer gives up on it, because the upgrade was not completed or was undone.
//
// A redelivery goes to any process that requests messages. With one newer process of n, a newer process therefore takes a
// message after n redeliveries on average, and after 14n with a probability of more than 0.999999. The pauses must be short
// compared with the time for which both versions run, because the server does not end one when a newer process starts. They
// are a thousandth of the message's age, within leaveLeast and leaveMost, so a message is redelivered about 5,500 times in
// 24 h. They are longer if the consumer of this process leaves more than one each leaveSpace.
const (
	leaveLeast = time.Second
	leaveMost  = time.Minute
	leaveSpace = 50 * time.Millisecond
	leaveShare = 1000 // the age of a message per pause
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

// leaving spaces the redeliveries of the messages that a consumer leaves, and remembers the causes that were logged. Its zero value
// is ready for use.
type leaving struct {
	mu     sync.Mutex
	free   time.Time // the earliest time of the next redelivery
	logged map[string]bool
}

// pause returns the time from now to the redelivery of a message that is left at a given age. The age may be negative,
// because the clocks of machines differ.
func (l *leaving) pause(now time.Time, age time.Duration) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.free.Before(now) {
		l.free = now
	}
	wait := min(l.free.Sub(now), leaveMost)
	l.free = now.Add(wait + leaveSpace)
	return max(wait, min(max(age/leaveShare, leaveLeast), leaveMost))
}

// mostLogged is the maximum number of causes that are remembered. Further ones count as logged.
const mostLogged = 100

// first reports whether a cause was not logged yet.
func (l *leaving) first(cause string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.logged[cause] || len(l.logged) >= mostLogged {
		return false
	}
	if l.logged == nil {
		l.logged = map[string]bool{}
	}
	l.logged[cause] = true
	return true
}

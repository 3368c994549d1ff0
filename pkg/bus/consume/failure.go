package consume

import (
	"cmp"
	"errors"
	"net"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/bus/attempt"
	"github.com/assay-project/assay/pkg/event"
	"github.com/assay-project/assay/pkg/outage"
)

// described returns a failure with the defaults that bus.Failure documents.
func described(f bus.Failure, d bus.Delivery, err error) bus.Failure {
	f.Reason, f.Attempts = cmp.Or(f.Reason, err.Error()), cmp.Or(f.Attempts, d.Attempt)
	f.Class = cmp.Or(f.Class, classOf(err))
	if f.At.IsZero() {
		f.At = time.Now()
	}
	return f
}

// classOf returns the class of the dead letter of a message whose handler returned err. An area can state a class that
// the error does not show; see bus.Failure.
func classOf(err error) event.DeadClass {
	_, panicked := errors.AsType[*attempt.PanicError](err)
	_, lost := errors.AsType[*attempt.LostError](err)
	_, late := errors.AsType[*attempt.TimeError](err)
	_, outage := errors.AsType[*outage.Error](err)
	_, network := errors.AsType[net.Error](err)
	switch {
	case panicked || lost:
		return event.DeadCrashed
	case late:
		return event.DeadTimeout
	case errors.Is(err, event.ErrNewer):
		return event.DeadConfiguration // the processes of the newer version are missing
	case errors.Is(err, event.ErrUnreadable):
		return event.DeadEvent
	case outage, network, errors.Is(err, nats.ErrNoResponders), errors.Is(err, bus.ErrFull), errors.Is(err, bus.ErrStorageFull):
		return event.DeadUnavailable
	}
	return event.DeadOther
}

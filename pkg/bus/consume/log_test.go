package consume

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/assay-project/assay/pkg/bus"
)

// TestUnreadRecordIsKept checks that an attempt whose record could not be read does not replace it when it is reverted:
// the server's count includes returned deliveries, which are not attempts.
func TestUnreadRecordIsKept(t *testing.T) {
	unavailable := errors.New("unavailable")
	writes, failed := 0, error(nil)
	l := &attemptLog{records: records{
		read: func(context.Context, bus.Delivery) (bus.AttemptRecord, error) {
			return bus.AttemptRecord{}, unavailable
		},
		write:  func(context.Context, bus.Delivery, []byte) error { writes++; return nil },
		failed: func(_ bus.Delivery, err error) { failed = err },
	}}
	a := l.begin(t.Context(), bus.Delivery{Sequence: 1, Stored: time.Now(), Attempt: 5})
	a.revert(t.Context(), outcomeReturned, nil)
	a.end(t.Context(), outcomeReturned, nil)
	if a.number != 5 || writes != 0 || !errors.Is(failed, unavailable) {
		t.Errorf("attempt %d, %d writes, reported error %v; want 5, 0, %v", a.number, writes, failed, unavailable)
	}
}
